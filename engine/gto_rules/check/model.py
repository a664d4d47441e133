"""What a check of files gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gto_rules.evaluate.finding import Finding
from gto_rules.rulebook.model import Rule


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not checked, or not in full, and why in one clause."""

    path: str
    reason: str
    line: int | None = None

    @property
    def place(self) -> str:
        """``path:line``, or the path of a file that was left out altogether."""
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True)
class CheckResult:
    """Everything that one check found.

    Attributes:
        root: The folder that all paths are relative to.
        findings: What is to be reported, by path, place and rule.
        suppressed: What is known already; each has its ``suppression``.
        skipped: Files that were not checked.
        files: How many files were checked.
        rules: The rules that were in force, by id.
    """

    root: Path
    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    files: int = 0
    rules: tuple[Rule, ...] = field(default=())
