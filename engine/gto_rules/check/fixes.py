"""Fixes of findings as one patch: overlapping ones are told apart, the stronger one wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gto_rules.documents import source_from_bytes
from gto_rules.documents.model import SourceText
from gto_rules.evaluate.finding import SEVERITIES, Finding
from gto_rules.patch.diff import unified
from gto_rules.patch.sound import faults

_RISKS = ("neutral", "numerics", "convergence", "artefact")


@dataclass(frozen=True)
class Patch:
    """The fixes of a check.

    Attributes:
        diffs: Unified diff by path, as ``git apply`` takes it.
        fixed: Findings whose fix is in it.
        left: Findings whose fix is not in it, each with the reason.
    """

    diffs: Mapping[str, bytes]
    fixed: tuple[Finding, ...]
    left: tuple[tuple[Finding, str], ...]

    @property
    def content(self) -> bytes:
        return b"".join(self.diffs[path] for path in sorted(self.diffs))


def patch_of(findings: Iterable[Finding], base: Path, allow_risks: frozenset[str]) -> Patch:
    """All fixes of findings together.

    Args:
        findings: What a check found; their paths are relative to ``base``.
        base: The folder of the check.
        allow_risks: Risks that a fix may have.
    """
    by_path: dict[str, list[Finding]] = {}
    for one in findings:
        if one.fix is not None:
            by_path.setdefault(one.path, []).append(one)
    prefix = _prefix(base)
    diffs: dict[str, bytes] = {}
    fixed: list[Finding] = []
    left: list[tuple[Finding, str]] = []
    for path, own in sorted(by_path.items()):
        raw = (base / path).read_bytes()
        chosen, out = _chosen(own, allow_risks)
        left += out
        try:
            chosen, out = _together(source_from_bytes(raw, path), chosen)
            left += out
            after = patched(source_from_bytes(raw, path), chosen)
        except UnicodeError:
            left += [(f, "the fix cannot be written in the encoding of the file") for f in chosen]
            continue
        if after != raw:
            diffs[path] = unified(prefix + path, raw, after)
            fixed += chosen
    return Patch(diffs, tuple(fixed), tuple(left))


def patched(source: SourceText, findings: Iterable[Finding]) -> bytes:
    """A file's bytes with the fixes of findings; those must not overlap.

    Raises:
        UnicodeError: the file's encoding cannot hold the new text.
    """
    return source.encode(_edited(source, findings))


def _edited(source: SourceText, findings: Iterable[Finding]) -> bytes:
    text = source.text
    for edit in sorted({e for f in findings if f.fix is not None for e in f.fix.edits}, reverse=True):
        text = text[: edit.span.start] + edit.text.encode("utf-8", "surrogatepass") + text[edit.span.end :]
    return text


def _prefix(base: Path) -> str:
    """The folder of the check seen from the top of its repository, which is where ``git apply`` counts from."""
    for one in (base, *base.parents):
        if (one / ".git").exists():
            relative = base.relative_to(one).as_posix()
            return "" if relative == "." else f"{relative}/"
    return ""


def _together(source: SourceText, chosen: list[Finding]) -> tuple[list[Finding], list[tuple[Finding, str]]]:
    """Fixes that leave a file readable when all are made, and the others with the reason."""
    before = faults(source.path, source.text)
    if not faults(source.path, _edited(source, chosen)) - before:
        return chosen, []
    kept: list[Finding] = []
    left: list[tuple[Finding, str]] = []
    for one in sorted(chosen, key=_strength):
        if faults(source.path, _edited(source, [*kept, one])) - before:
            other = next((k.rule for k in kept if faults(source.path, _edited(source, [k, one])) - before), "")
            left.append(
                (one, f"its fix does not go together with that of {other}" if other else "the file would not read")
            )
        else:
            kept.append(one)
    return sorted(kept, key=lambda f: f.span), left


def _chosen(findings: list[Finding], allow_risks: frozenset[str]) -> tuple[list[Finding], list[tuple[Finding, str]]]:
    """Findings of one file whose fixes go together, and the others with the reason."""
    chosen: list[Finding] = []
    left: list[tuple[Finding, str]] = []
    for one in sorted(findings, key=_strength):
        if one.fix is None:
            continue
        if one.fix.risk not in allow_risks:
            left.append(
                (one, f"its fix may change results ({one.fix.risk}); allow it with --allow-risk {one.fix.risk}")
            )
            continue
        other = next((c for c in chosen if _overlap(one, c)), None)
        if other is None:
            chosen.append(one)
        else:
            left.append((one, f"its fix overlaps that of {other.rule} on line {other.line}, which is stronger"))
    return sorted(chosen, key=lambda f: f.span), left


def _strength(one: Finding) -> tuple[int, int, int, str]:
    risk = _RISKS.index(one.fix.risk) if one.fix is not None and one.fix.risk in _RISKS else len(_RISKS)
    return SEVERITIES.index(one.severity), risk, one.span.start, one.rule


def _overlap(one: Finding, other: Finding) -> bool:
    """Whether two fixes touch the same text; the same edit wanted twice is no conflict."""
    ours = set(one.fix.edits) if one.fix is not None else set()
    theirs = set(other.fix.edits) if other.fix is not None else set()
    return any(
        (a.span.start < b.span.end and b.span.start < a.span.end)
        or (a.span.start == b.span.start and a.text != "" and b.text != "")
        for a in ours - theirs
        for b in theirs - ours
    )
