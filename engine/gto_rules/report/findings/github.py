"""Findings as workflow commands, which GitHub shows beside the lines of a change."""

from __future__ import annotations

from gto_rules.check.model import CheckResult
from gto_rules.report.findings.words import spoken, visible

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def render(result: CheckResult, lang: str, *, colour: bool = False) -> str:
    lines = []
    for one in result.findings:
        fields = {
            "file": visible(one.path),
            "line": str(one.line),
            "endLine": str(one.end_line),
            "title": one.rule,
        }
        if one.line == one.end_line:  # columns of several lines are refused
            fields |= {"col": str(one.column), "endColumn": str(one.end_column)}
        shown = ",".join(f"{name}={_property(value)}" for name, value in fields.items())
        lines.append(f"::{_LEVELS[one.severity]} {shown}::{_data(spoken(one.message, lang))}\n")
    return "".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
