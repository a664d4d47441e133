"""Findings as JSON, and as JSON Lines."""

from __future__ import annotations

import json
from typing import Any

from gto_rules.check.model import CheckResult
from gto_rules.evaluate.finding import Finding


def render(result: CheckResult, lang: str, *, colour: bool = False) -> str:
    data = {
        "findings": [one.to_json(lang) for one in result.findings],
        "suppressed": [_suppressed(one, lang) for one in result.suppressed],
        "skipped": [{"path": one.path, "line": one.line, "reason": one.reason} for one in result.skipped],
        "files": result.files,
    }
    return json.dumps(data, indent=2) + "\n"


def render_lines(result: CheckResult, lang: str) -> str:
    """One finding a line."""
    return "".join(json.dumps(one.to_json(lang)) + "\n" for one in result.findings)


def _suppressed(one: Finding, lang: str) -> dict[str, Any]:
    why = one.suppression
    known = {"kind": why.kind, "reason": why.reason, "line": why.line} if why is not None else None
    return {**one.to_json(lang), "suppression": known}
