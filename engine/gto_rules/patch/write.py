"""Fixes → bytes in the fork, each with its diff, and back."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gto_rules.documents import parse, read_source, source_from_bytes
from gto_rules.documents.model import Problem, SourceText
from gto_rules.errors import PatchError
from gto_rules.patch.diff import unified
from gto_rules.patch.model import Applied, Edit, FileChange, Fix


def edited(source: SourceText, edits: Iterable[Edit]) -> bytes:
    """The file's bytes after edits of its text, in its own encoding.

    Raises:
        PatchError: the edits overlap, or the new text cannot be written in the file's encoding.
    """
    text = source.text
    at = len(text) + 1
    # From the end to the start, so that offsets stay right; of several insertions at one place the
    # first given comes first in the text.
    for _, edit in sorted(enumerate(edits), key=lambda one: (one[1].span, one[0]), reverse=True):
        if edit.span.end > at:
            raise PatchError(f"{source.path}: two edits overlap")
        at = edit.span.start
        text = text[: edit.span.start] + edit.text.encode("utf-8") + text[edit.span.end :]
    try:
        return source.encode(text)
    except UnicodeEncodeError as error:
        raise PatchError(
            f"{source.path}: {error.object[error.start]!r} cannot be written as {source.encoding}"
        ) from error


def changes_of(fix: Fix, root: Path) -> tuple[FileChange, ...]:
    """Every file of a fix before and after; nothing is written.

    Raises:
        PatchError: an edited file would no longer parse.
    """
    by_path: dict[str, list[Edit]] = {}
    for edit in fix.edits:
        if edit.path is not None:
            by_path.setdefault(edit.path, []).append(edit)
    return tuple(_change(root, path, edits) for path, edits in by_path.items())


def _change(root: Path, path: str, edits: list[Edit]) -> FileChange:
    if edits[0].create:
        after = edits[0].text.encode("utf-8")
        return FileChange(path, None, after, unified(path, None, after).decode("utf-8", "surrogateescape"))
    source = read_source(root / path, path)
    after = edited(source, edits)
    _check_syntax(source, source_from_bytes(after, path))
    diff = unified(path, source.raw, after).decode("utf-8", "surrogateescape")
    return FileChange(path, source.raw, after, diff)


def _check_syntax(before: SourceText, after: SourceText) -> None:
    old, new = _errors(parse(before).problems), _errors(parse(after).problems)
    if len(new) > len(old):
        raise PatchError(f"{after.path}:{new[0].line}: the edited file would not parse ({new[0].message})")


def _errors(problems: Iterable[Problem]) -> list[Problem]:
    return [p for p in problems if "syntax" in p.message]


def apply_fix(fix: Fix, root: Path, command_before: str | None, command_after: str | None) -> Applied:
    """Write a fix into the fork at ``root``.

    Raises:
        PatchError: an edited file would no longer parse; then nothing was written.
    """
    changes = changes_of(fix, root)
    for change in changes:
        put(root, change.path, change.after)
    return Applied(fix, changes, command_before, command_after)


def put(root: Path, path: str, content: bytes | None) -> None:
    """Make a file of the fork hold ``content``; None takes it away. Its mode stays."""
    target = root / path
    if content is None:
        target.unlink(missing_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


def undo(applied: Applied, root: Path) -> None:
    """Put the files of one fix back to what they held before it.

    Raises:
        PatchError: a file has changed since, so that undoing would lose another change.
    """
    for change in applied.changes:
        target = root / change.path
        now = target.read_bytes() if target.exists() else None
        if now not in (change.after, change.before):
            raise PatchError(f"{change.path} was changed after {applied.fix.remedy}; undo the later change first")
    for change in applied.changes:
        put(root, change.path, change.before)


def combined_diff(root: Path, original: Path, paths: Iterable[str]) -> bytes:
    """One diff from the original's files to the fork's, for all ``paths``."""
    parts = []
    for path in sorted(set(paths)):
        before, after = original / path, root / path
        parts.append(
            unified(
                path, before.read_bytes() if before.exists() else None, after.read_bytes() if after.exists() else None
            )
        )
    return b"".join(parts)
