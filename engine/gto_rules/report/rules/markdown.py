"""Pages as Markdown, through templates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from gto_rules.report import text
from gto_rules.report.render import TEMPLATES
from gto_rules.report.rules.model import Line

_SPECIAL = re.compile(r"`[^`]*`|[*<\\]|(?<![A-Za-z0-9])_|__")
_FENCE = re.compile(r"^(`{3,})[^`\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)


@cache
def _environment() -> Any:
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def render_markdown(template: str, lang: str, values: Mapping[str, Any]) -> str:
    """One page in one language; blank lines are made few outside of code."""
    helpers = {
        "_": text.speaker(lang),
        "bullets": bullets,
        "cell": text.cell,
        "clean": text.clean,
        "code": text.code,
        "fence": text.fence,
        "points": text.points,
        "prose": prose,
    }
    rendered: str = _environment().get_template(template).render({**helpers, **values})
    parts, last = [], 0
    for block in _FENCE.finditer(rendered):
        parts += [_tidy(rendered[last : block.start()]), block[0]]
        last = block.end()
    return "".join((*parts, _tidy(rendered[last:]))).strip() + "\n"


def _tidy(words: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+(?=\n)", "", words))


def prose(words: str) -> str:
    """A rule's own words inside Markdown: what is code stays code, and nothing else is taken for markup."""
    return _SPECIAL.sub(lambda m: m[0] if m[0].startswith("`") else "".join(f"\\{c}" for c in m[0]), text.clean(words))


def bullets(lines: Iterable[Line]) -> str:
    """A nested list."""
    return "\n".join(f"{'  ' * line.depth}- {prose(line.text)}" for line in lines)
