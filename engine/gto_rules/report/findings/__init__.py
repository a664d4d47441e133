"""Findings of a check → text for people and machines, one module per format, loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

from gto_rules.check.model import CheckResult

# Format → module with ``render(result, lang, *, colour)``.
_MODULES = {
    "text": "terminal",
    "json": "jsons",
    "jsonl": "jsons",
    "sarif": "sarif",
    "junit": "junit",
    "github": "github",
    "gitlab": "gitlab",
    "markdown": "markdown",
}
FORMATS = tuple(_MODULES)


def render_check(result: CheckResult, form: str, lang: str, *, colour: bool = False) -> str:
    """The result of a check in one of ``FORMATS``, ended by a newline if it is not empty.

    Args:
        result: What was found.
        form: The format.
        lang: ``en`` or ``zh``.
        colour: Use terminal colours (only ``text`` does).
    """
    module = import_module(f"{__name__}.{_MODULES[form]}")
    if form == "jsonl":
        text: str = module.render_lines(result, lang)
    else:
        text = module.render(result, lang, colour=colour)
    return text
