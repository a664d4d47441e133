"""Changes: edits in terms of bytes, grouped by the remedy that wants them."""

from __future__ import annotations

from dataclasses import dataclass, field

from gto_rules.location import Evidence, Span


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace ``span`` of the file's UTF-8 text by ``text``. A new file has span (0, 0) and ``create``.

    ``path`` is relative to the project; None means the launch command's own text.
    """

    path: str | None
    span: Span
    text: str
    create: bool = False


@dataclass(frozen=True, slots=True)
class Fix:
    """The edits of one remedy in one project, ready to apply.

    ``expects`` holds settings and the values they must read afterwards; the patch room checks that.
    """

    remedy: str
    title: str
    edits: tuple[Edit, ...]
    expects: tuple[tuple[str, object], ...] = ()
    evidence: tuple[Evidence, ...] = ()
    risk: str = "neutral"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A remedy that does nothing here, and why in one sentence."""

    remedy: str
    reason: str
    status: str = "not_possible"  # not_possible | not_applicable | already | conflict | needs_consent


@dataclass(frozen=True, slots=True)
class PatchSet:
    """Fixes without conflict, in order of application."""

    fixes: tuple[Fix, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    command: str | None = None  # the launch command after the fixes, when they change it


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file before and after one fix; ``diff`` is a unified diff that ``git apply`` takes."""

    path: str
    before: bytes | None
    after: bytes | None
    diff: str


@dataclass(frozen=True, slots=True)
class Applied:
    """One fix that was written into the fork."""

    fix: Fix
    changes: tuple[FileChange, ...]
    command_before: str | None = None
    command_after: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What applying a patch set did."""

    applied: tuple[Applied, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    command: str | None = None
    new_files: tuple[str, ...] = field(default=())
