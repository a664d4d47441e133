"""Remedies → fixes: what would be edited where, or why nothing is."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from gto_rules.errors import PatchError
from gto_rules.evaluate.auditing import text as words
from gto_rules.evaluate.conditions import judge
from gto_rules.patch.model import Edit, Fix, PatchSet, Refusal
from gto_rules.patch.operations import structural_edits
from gto_rules.patch.setting_edit import write_setting
from gto_rules.patch.subject import Subject
from gto_rules.rulebook.model import Rule

DEFAULT_RISKS = frozenset(("neutral", "numerics"))


def plan_one(
    rule: Rule,
    subject: Subject,
    *,
    applied: Collection[str] = (),
    allow_risks: Collection[str] = DEFAULT_RISKS,
) -> tuple[Fix, str | None] | Refusal:
    """The fix of one remedy in the project as it stands, with the launch command after it (or None).

    Args:
        rule: A rule of kind remedy.
        applied: Ids of remedies that are already in place; conflicting ones refuse.
        allow_risks: Risk classes that may be applied without being asked for.
    """
    data = rule.data
    refusal = _refusal(rule, subject, applied, allow_risks)
    if refusal is not None:
        return refusal
    edits: list[Edit] = []
    command = None
    expects: list[tuple[str, object]] = []
    try:
        for name, written in (data.get("set") or {}).items():
            value = subject.value(written)
            more, changed = write_setting(subject, name, value)
            edits += more
            if changed:
                command = changed
                subject = subject.with_command(changed)
            expects.append((name, value))
        for operation in data.get("edits") or ():
            edits += structural_edits(subject, operation)
        edits = list(dict.fromkeys(edits))
        _check_overlap(edits)
    except PatchError as error:
        return Refusal(rule.id, str(error))
    if not edits and command is None:
        return Refusal(rule.id, "there is nothing to change", "already")
    evidence = judge(data.get("applies_when", True), subject.context).evidence
    fix = Fix(
        remedy=rule.id,
        title=words(data["title"])["en"],
        edits=tuple(sorted(edits, key=lambda e: (e.path or "", e.span))),
        expects=tuple(expects),
        evidence=evidence,
        risk=data["risk"],
        reason=words(data["why"])["en"],
    )
    return fix, command


def _refusal(rule: Rule, subject: Subject, applied: Collection[str], allow_risks: Collection[str]) -> Refusal | None:
    data: Mapping[str, Any] = rule.data
    against = [one for one in data.get("conflicts", ()) if one in applied]
    if against:
        return Refusal(rule.id, f"it excludes {', '.join(against)}, which is in place", "conflict")
    for key in ("applies_when", "requires"):
        truth = judge(data.get(key, True), subject.context)
        if truth.value is False and key == "applies_when":
            return Refusal(rule.id, truth.reason or "its condition does not hold here", "not_applicable")
        if truth.value is not True:
            said = words(data["needs"])["en"] if "needs" in data and key == "requires" else ""
            reason = said or truth.reason or "its condition does not hold here"
            return Refusal(rule.id, reason)
    if data["risk"] not in allow_risks:
        return Refusal(
            rule.id, f"its risk class is '{data['risk']}', which was not allowed (--allow-risk)", "needs_consent"
        )
    return None


def _check_overlap(edits: Iterable[Edit]) -> None:
    by_path: dict[str | None, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    for path, own in by_path.items():
        own.sort(key=lambda e: e.span)
        for one, other in itertools.pairwise(own):
            if other.span.start < one.span.end:
                raise PatchError(f"{path}: two of its edits overlap")


def plan(
    rules: Iterable[Rule],
    subject: Subject,
    *,
    allow_risks: Collection[str] = DEFAULT_RISKS,
) -> PatchSet:
    """Fixes of several remedies against one state, the first ones winning where edits overlap."""
    fixes: list[Fix] = []
    refusals: list[Refusal] = []
    command = None
    for rule in rules:
        planned = plan_one(rule, subject, applied=[f.remedy for f in fixes], allow_risks=allow_risks)
        if isinstance(planned, Refusal):
            refusals.append(planned)
            continue
        fix, changed = planned
        try:
            _check_overlap([e for f in (*fixes, fix) for e in f.edits])
        except PatchError as error:
            refusals.append(Refusal(rule.id, f"a stronger remedy edits the same place ({error})", "conflict"))
            continue
        if changed and command:
            refusals.append(Refusal(rule.id, "a stronger remedy already changes the launch command", "conflict"))
            continue
        fixes.append(fix)
        command = changed or command
    return PatchSet(tuple(fixes), tuple(refusals), command)
