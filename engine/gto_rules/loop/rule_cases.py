"""Run the cases that stand beside rules: small inputs, expected verdicts."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gto_rules.errors import GtoError
from gto_rules.loop.case_checks import ALL_RISKS, CHECKERS, Mismatch
from gto_rules.rulebook.model import Rule, Rulebook

__all__ = ["ALL_RISKS", "CaseResult", "Mismatch", "is_positive", "run_case"]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case: ``mismatches`` is empty when it came out as expected; ``positive`` when it expects the rule to hold."""

    rule: str
    name: str
    positive: bool
    mismatches: tuple[Mismatch, ...]
    gap: str = ""

    @property
    def problem(self) -> str:
        """What is wrong, on one line; empty if nothing is."""
        return "; ".join(map(str, self.mismatches))


def run_case(rule: Rule, case: Mapping[str, Any], rulebook: Rulebook) -> CaseResult:
    """Run one case of a rule in a folder of its own."""
    checker = CHECKERS.get(rule.kind)
    found: tuple[Mismatch, ...]
    if checker is None:
        found = (Mismatch("kind", f"one of {', '.join(CHECKERS)}", rule.kind, "there is no way to test it"),)
    else:
        with tempfile.TemporaryDirectory(prefix="gto-rules-case-") as folder:
            root = Path(folder).resolve() / "case"
            root.mkdir()
            try:
                _write(root, case.get("files") or {})
                found = tuple(checker(rule, case, root, rulebook))
            except GtoError as error:
                found = (Mismatch("error", None, f"{type(error).__name__}: {error}"),)
    return CaseResult(rule.id, case["name"], is_positive(rule.kind, case["expect"]), found, case.get("gap", ""))


def _write(root: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        if not path.resolve().is_relative_to(root):
            raise GtoError(f"the file '{name}' lies outside of the case")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8", "surrogateescape"))


def is_positive(kind: str, expect: Mapping[str, Any]) -> bool:
    """Whether a case expects its rule to hold."""
    tests: dict[str, Callable[[], bool]] = {
        "item": lambda: expect.get("status") == "enabled",
        "pattern": lambda: bool(expect.get("hits")),
        "finding": lambda: bool(expect.get("findings")),
        "detector": lambda: not expect.get("not") and expect.get("framework") is not None,
        "remedy": lambda: "files" in expect or "command" in expect,
        "diagnosis": lambda: expect.get("found") is True,
        "repair": lambda: expect.get("matches") is True,
    }
    return tests[kind]() if kind in tests else True
