"""One round: try the remedies one by one on top of each other, keep what helps, undo the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gto_rules.errors import PatchError
from gto_rules.evaluate.conditions import same
from gto_rules.evaluate.model import Bottleneck
from gto_rules.loop.analysis import Analysis
from gto_rules.loop.changes import applied_json, switch
from gto_rules.loop.choose import bottleneck_of, candidates, priority_of
from gto_rules.loop.compare import comparison_json, paired, product, undecided
from gto_rules.loop.repair import Repairs
from gto_rules.loop.run import Run
from gto_rules.loop.trials import trial
from gto_rules.measure.model import Comparison, TrialResult
from gto_rules.patch.model import Applied, Fix, Refusal
from gto_rules.patch.plan import plan_one
from gto_rules.patch.write import apply_fix, undo
from gto_rules.rulebook.model import Rule

# Memory saved that makes a change worth keeping although it is not faster.
MEMORY_GAIN = 0.05
_MEMORY = "memory.cuda_peak_mb"


def run_round(run: Run, version: str, bottlenecks: Sequence[Bottleneck]) -> bool:
    """Try up to ``remedies_per_round`` remedies; returns whether anything was kept."""
    analysis = run.analyse_fork()
    run.analysis = analysis
    repairs = Repairs(run, version)
    tried = 0
    kept: list[dict[str, Any]] = []
    for rule in candidates(analysis.audits, bottlenecks, run.rulebook, analysis.packs):
        if tried >= int(run.limit("remedies_per_round")) or run.out_of_budget() or repairs.exhausted:
            break
        if _settled(run, rule.id):
            continue
        context = {"priority": priority_of(rule.id, analysis.audits), "bottleneck": bottleneck_of(rule.id, bottlenecks)}
        comparison = _try(run, version, rule, repairs, context)
        if comparison is not None:
            tried += 1
            if comparison:
                kept.append(comparison)
    gain = product(kept)
    run.record(
        "round",
        {
            "version": version,
            "tried": tried,
            "kept": len(kept),
            "comparison": {"throughput": {"ratio": gain}} if kept else None,
            "decision": {},
        },
    )
    return bool(kept)


def _settled(run: Run, remedy: str) -> bool:
    """Whether a remedy has had its verdict; an open one is tried again once others were kept below it."""
    last = run.state.remedies.get(remedy, {})
    if last.get("status") not in ("verified", "rejected"):
        return False
    below = sorted(run.state.applied)
    return last["status"] == "verified" or last.get("below") == below or not undecided(run, last.get("comparison"))


def _try(run: Run, version: str, rule: Rule, repairs: Repairs, context: Mapping[str, Any]) -> dict[str, Any] | None:
    """Apply one remedy and judge it. None: it was not possible; ``{}``: undone; else its comparison."""
    analysis = run.analyse_fork()
    run.analysis = analysis
    subject = run.subject(analysis)
    planned = plan_one(rule, subject, applied=tuple(run.state.applied), allow_risks=run.options.allow_risks)
    if isinstance(planned, Refusal):
        _refused(run, version, rule, planned, context)
        return None
    fix, command = planned
    run.progress.note(f"trying {fix.title} ({rule.id})")
    try:
        applied = apply_fix(fix, run.fork, run.command, command or run.command)
    except PatchError as error:
        _refused(run, version, rule, Refusal(rule.id, str(error)), context)
        return None
    run.command = command or run.command
    run.record("applied", applied_json(applied, rule.data, version))
    wrong = _ineffective(run.analyse_fork(), fix)
    if wrong:
        return _undo(run, version, rule, applied, f"the edit did not take effect: {wrong}", context)
    return _judge(run, version, rule, applied, repairs, context)


def _refused(run: Run, version: str, rule: Rule, refusal: Refusal, context: Mapping[str, Any]) -> None:
    if refusal.status in ("already", "not_applicable"):
        return
    _remedy(run, version, rule, "unverified", refusal.reason, None, context)


def _ineffective(analysis: Analysis, fix: Fix) -> str:
    """The first setting that does not read as the fix wants it, in words; empty if all do."""
    for name, value in fix.expects:
        setting = analysis.facts.settings.get(name)
        if setting is None or not same(setting.value, value):
            return f"{name} reads {setting.value if setting else None!r}"
    return ""


def _judge(
    run: Run, version: str, rule: Rule, applied: Applied, repairs: Repairs, context: Mapping[str, Any]
) -> dict[str, Any]:
    result = trial(run, version, "verify")
    if result.status != "ok":
        result = repairs.mend(rule, result)
    if result.status != "ok":
        return _undo(run, version, rule, applied, _failure(result), context)
    change = run.state.applied[rule.id]
    comparison = paired(run, [change], version, "pair", int(run.limit("pairs")))
    if not isinstance(comparison, Comparison):
        return _undo(run, version, rule, applied, _failure(comparison), context)
    worth, reason = worth_keeping(comparison)
    if not worth:
        return _undo(run, version, rule, applied, reason, context, comparison)
    data = comparison_json(comparison)
    _remedy(run, version, rule, "verified", reason, data, context)
    run.progress.note(f"kept: {reason}")
    return data


def _failure(result: TrialResult) -> str:
    last = (result.error or "").strip().splitlines()
    return f"the run failed: {last[-1] if last else result.status}"


def worth_keeping(comparison: Comparison) -> tuple[bool, str]:
    """Whether a change stays, and the sentence that says why."""
    ratio = comparison.throughput
    shown = f"throughput x{ratio.ratio:.3f} (95 % interval {ratio.low:.3f} to {ratio.high:.3f})"
    parity = comparison.loss_parity
    if parity.get("same") is False:
        return False, f"{shown}, but the loss changed by {parity['relative_difference']:.1%}"
    if comparison.verdict == "faster":
        return True, shown
    before, after = comparison.metrics_before.get(_MEMORY), comparison.metrics_after.get(_MEMORY)
    if comparison.verdict == "no_difference" and before and after is not None and after < before * (1 - MEMORY_GAIN):
        return True, f"{shown}; peak GPU memory {before:.0f} MB to {after:.0f} MB"
    return False, f"no gain: {shown}" if comparison.verdict == "no_difference" else f"slower: {shown}"


def _undo(
    run: Run,
    version: str,
    rule: Rule,
    applied: Applied,
    reason: str,
    context: Mapping[str, Any],
    comparison: Comparison | None = None,
) -> dict[str, Any]:
    # A repair may have changed the same files again: go back to what stood before the remedy.
    switch(run, [run.state.applied[rule.id]], "before")
    undo(applied, run.fork)
    run.command = applied.command_before
    data = comparison_json(comparison) if comparison else None
    diff = run.state.applied[rule.id]["diff"]
    run.record("undone", {"id": rule.id})
    _remedy(run, version, rule, "rejected", reason, data, {**context, "diff": diff})
    run.progress.note(f"undone: {reason}")
    return {}


def _remedy(
    run: Run,
    version: str,
    rule: Rule,
    status: str,
    reason: str,
    comparison: Mapping[str, Any] | None,
    context: Mapping[str, Any],
) -> None:
    run.record(
        "remedy",
        {
            "id": rule.id,
            "version": version,
            "title": rule.data["title"],
            "why": rule.data["why"],
            "risk": rule.data["risk"],
            "status": status,
            "reason": reason,
            "comparison": comparison,
            "below": sorted(one for one in run.state.applied if one != rule.id),
            **context,
        },
    )
