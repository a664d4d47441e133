"""Findings as a code-quality report of GitLab."""

from __future__ import annotations

import json
from hashlib import sha256

from gto_rules.check.model import CheckResult
from gto_rules.report.findings.words import spoken, visible

_LEVELS = {"error": "major", "warning": "minor", "info": "info"}


def render(result: CheckResult, lang: str, *, colour: bool = False) -> str:
    rows = [
        {
            "description": spoken(one.message, lang),
            "check_name": one.rule,
            # Unique in the report: folders checked together can hold files of the same name.
            "fingerprint": sha256(
                f"{one.path}\0{one.rule}\0{one.fingerprint}".encode("utf-8", "surrogatepass")
            ).hexdigest(),
            "severity": _LEVELS[one.severity],
            "location": {
                "path": visible(one.path),
                "lines": {"begin": one.line, "end": one.end_line},
            },
        }
        for one in result.findings
    ]
    return json.dumps(rows, indent=2) + "\n"
