"""Small pieces of text that every template uses: numbers, links, tables, two languages."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "zh")

# C0 and C1 controls, and the Unicode marks that reorder text: a project's own text must neither
# reach the terminal as a command nor make a report read as something it is not.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clean(value: object) -> str:
    """``value`` as text without control characters."""
    return _CONTROLS.sub("\ufffd", str(value))


def cell(value: object) -> str:
    """``value`` inside one cell of a Markdown table."""
    return clean(value).replace("|", "\\|").replace("\r", "").replace("\n", "<br>").strip()


def code(value: object) -> str:
    """``value`` as inline code, whatever backticks it holds."""
    text = " ".join(clean(value).split("\n")).replace("|", "\\|")
    if not text:
        return ""
    fence = "`" * (max((len(run) for run in re.findall(r"`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def fence(value: object) -> str:
    """The fence that encloses ``value`` as a code block."""
    return "`" * max(3, max((len(run) for run in re.findall(r"`+", str(value))), default=0) + 1)


def number(value: Any, digits: int = 1) -> str:
    """A figure for people: thousands separated, ``digits`` decimals; a dash when there is none."""
    if value is None or isinstance(value, bool):
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    if not math.isfinite(value):
        return "–"
    if value != 0 and abs(value) < 10**-digits:
        return f"{value:.2g}"
    return f"{value:,.{digits}f}"


def points(value: float) -> str:
    """Points without needless decimals: ``3``, ``2.5``."""
    return f"{value:g}"


def change(before: float | None, after: float | None) -> str:
    """The relative change from ``before`` to ``after`` in per cent, with its sign."""
    if before is None or after is None or before == 0:
        return "–"
    return f"{(after / before - 1) * 100:+.1f} %"


def points_change(before: float | None, after: float | None, lang: str) -> str:
    """The change of a share, in percentage points: a percentage of a percentage misleads."""
    if before is None or after is None:
        return "–"
    return f"{after - before:+.1f} {'个百分点' if lang == 'zh' else 'points'}"


def speaker(lang: str) -> Callable[[str, str], str]:
    """A function of (English, Chinese) that picks the text of ``lang``."""
    return (lambda en, zh: zh) if lang == "zh" else (lambda en, zh: en)


def picker(lang: str) -> Callable[[Any], str]:
    """A function that picks the text of ``lang`` out of ``{en: ..., zh: ...}`` or a plain string."""

    def pick(text: Any) -> str:
        if text is None:
            return ""
        if isinstance(text, Mapping):
            return clean(text.get(lang) or text.get("en") or next(iter(text.values()), ""))
        return clean(text)

    return pick


def linker(root: Path, reports: Path) -> Callable[[Mapping[str, Any] | None], str]:
    """A function that turns evidence into a Markdown link from ``reports`` to the file in ``root``."""
    base = Path(os.path.relpath(root, reports)).as_posix()

    def link(evidence: Mapping[str, Any] | None) -> str:
        if not evidence:
            return ""
        path, line = evidence.get("path"), evidence.get("line")
        text = code(evidence.get("text")) if evidence.get("text") else ""
        if path is None:
            return text
        label = cell(f"{path}:{line}" if line else path)
        target = clean(path).replace(" ", "%20").replace(")", "%29").replace("(", "%28")
        place = f"[{label}]({base}/{target}{f'#L{line}' if line else ''})"
        return f"{place} {text}".strip()

    return link


def table(headers: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table; cells are cleaned, so they may hold anything but newlines that matter."""
    head = list(headers)
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(value) for value in row) + " |" for row in rows]
    return "\n".join(lines)
