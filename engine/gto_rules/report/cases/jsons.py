"""Results of cases as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gto_rules.errors import Diagnostic
from gto_rules.loop.case_suite import RanCase, SuiteResult


def suite_json(suite: SuiteResult, wrong: Sequence[Diagnostic]) -> dict[str, Any]:
    """Counts, every case with its outcome, the rules that lack cases, and what is wrong with test files."""
    return {
        "passed": len(suite.of("passed")),
        "failed": len(suite.of("failed")) + len(suite.of("closed")),
        "gaps": len(suite.of("gap")),
        "cases": [_case(one) for one in suite.ran],
        "lacking": [
            {"rule": one.rule.id, "path": one.rule.path, "line": one.rule.line, "missing": list(one.missing)}
            for one in suite.lacking
        ],
        "errors": [
            {
                "message": one.message,
                "path": one.location.path if one.location else None,
                "line": one.location.line if one.location else None,
                "column": one.location.column if one.location else None,
            }
            for one in wrong
        ],
    }


def _case(one: RanCase) -> dict[str, Any]:
    result = one.result
    return {
        "rule": result.rule,
        "name": result.name,
        "path": one.file.path,
        "line": one.line,
        "positive": result.positive,
        "outcome": one.outcome,
        "gap": result.gap or None,
        "mismatches": [
            {"what": m.what, "expected": m.expected, "got": m.got, "note": m.note or None} for m in result.mismatches
        ],
    }
