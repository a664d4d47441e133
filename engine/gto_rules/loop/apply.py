"""Steps 1 to 3 and 6 without measuring: the fixes of a project, written into a fork."""

from __future__ import annotations

from gto_rules.errors import PatchError
from gto_rules.loop import steps
from gto_rules.loop.changes import applied_json
from gto_rules.loop.choose import candidates, priority_of
from gto_rules.loop.run import Run
from gto_rules.patch.model import Refusal
from gto_rules.patch.plan import plan_one
from gto_rules.patch.write import apply_fix
from gto_rules.rulebook.model import Rule

VERSION = "v1"


def apply_all(run: Run, only: frozenset[str] = frozenset()) -> bool:
    """Fork the project and write every fix that is possible into the fork, one after the other.

    Args:
        only: Ids of remedies to apply; empty for all that the audits ask for.

    Returns:
        Whether the original is unchanged.
    """
    steps.begin(run)
    steps.read_statically(run)
    steps.fork_project(run)
    analysis = run.analysis
    if analysis is None:
        raise PatchError("the project could not be read")
    wanted = candidates(analysis.audits, (), run.rulebook, analysis.packs)
    if only:
        wanted = tuple(run.rulebook.get(one) for one in sorted(only))
    for rule in wanted:
        _apply(run, rule, priority_of(rule.id, analysis.audits))
    run.record(
        "round",
        {
            "version": VERSION,
            "tried": len(wanted),
            "kept": len(run.state.applied),
            "comparison": None,
            "decision": {"en": "applied without measuring", "zh": "已应用，未测量"},
        },
    )
    run.record("final", {"comparison": None, "before": {}, "after": {}, "command": run.command})
    return steps.verify_original(run)


def _apply(run: Run, rule: Rule, priority: str | None) -> None:
    subject = run.subject(run.analyse_fork())
    planned = plan_one(rule, subject, applied=tuple(run.state.applied), allow_risks=run.options.allow_risks)
    reason = "applied, not measured"
    if isinstance(planned, Refusal):
        if planned.status in ("already", "not_applicable"):
            return
        reason = planned.reason
    else:
        fix, command = planned
        try:
            applied = apply_fix(fix, run.fork, run.command, command or run.command)
            run.command = command or run.command
            run.record("applied", applied_json(applied, rule.data, VERSION))
        except PatchError as error:
            reason = str(error)
    run.record(
        "remedy",
        {
            "id": rule.id,
            "version": VERSION,
            "title": rule.data["title"],
            "why": rule.data["why"],
            "risk": rule.data["risk"],
            "status": "unverified",
            "reason": reason,
            "comparison": None,
            "priority": priority,
            "bottleneck": None,
        },
    )
