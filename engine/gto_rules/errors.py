"""Every error that a user can meet, in one tree.

GtoError
├── UsageError          wrong command line or configuration
├── ProjectError        the project cannot be read, or is not what was expected
│   └── LaunchError     the launch command cannot be understood
├── RulebookError       one or more rules are wrong (carries all of them)
├── PatchError          an edit cannot be made
│   └── OriginalTouchedError the original project changed during a run
└── MeasureError        a trial or a trace failed

One place (``cli.main``) turns them into exit codes; nothing else calls ``sys.exit``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gto_rules.location import Location


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing that is wrong: what, where, what was expected, and the nearest right name."""

    message: str
    location: Location | None = None
    rule: str | None = None
    expected: str | None = None
    hint: str | None = None
    source_line: str | None = None

    def render(self) -> str:
        """The message as several lines of plain text, with a caret under the column if known."""
        place = f"{self.location}: " if self.location else ""
        rule = f" [{self.rule}]" if self.rule else ""
        lines = [f"{place}{self.message}{rule}"]
        if self.source_line is not None and self.location is not None:
            lines += [f"    {self.source_line}", "    " + " " * (self.location.column - 1) + "^"]
        if self.expected:
            lines.append(f"  expected: {self.expected}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class GtoError(Exception):
    """An error with a message that a user can act on."""

    exit_code = 2

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(GtoError):
    """Wrong command line, missing path, or bad configuration."""


class ProjectError(GtoError):
    """The project cannot be read, or is not what was expected."""


class LaunchError(ProjectError):
    """The launch command cannot be understood."""


class RulebookError(GtoError):
    """One or more rules are wrong; ``diagnostics`` holds every one of them."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(d.render() for d in self.diagnostics))


class PatchError(GtoError):
    """An edit cannot be made."""


class OriginalTouchedError(PatchError):
    """The original project changed during a run."""

    exit_code = 3


class MeasureError(GtoError):
    """A trial or a trace failed."""
