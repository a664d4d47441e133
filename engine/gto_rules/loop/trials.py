"""Runs of the training command: prepared by the trial rules, recorded in the journal."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gto_rules.evaluate.auditing import context_of
from gto_rules.evaluate.conditions import judge
from gto_rules.loop.run import Run
from gto_rules.measure.model import TrialRequest, TrialResult
from gto_rules.measure.trial import run_trial
from gto_rules.project.model import Launch


@dataclass(frozen=True, slots=True)
class Preparation:
    """What the trial rules say about a run: saving functions to switch off, variables to set."""

    suppress: tuple[str, ...]
    env: Mapping[str, str]


def prepare(run: Run) -> Preparation:
    """The union of all trial rules that apply to the project."""
    suppress: list[str] = []
    env: dict[str, str] = {}
    if run.analysis is not None:
        context = context_of(run.analysis.facts, run.rulebook)
        for rule in run.rulebook.of("trial", run.analysis.packs):
            if judge(rule.data.get("applies_when", True), context).value is True:
                suppress += rule.data.get("suppress", ())
                env |= {str(k): str(v) for k, v in (rule.data.get("env") or {}).items()}
    return Preparation(tuple(dict.fromkeys(suppress)), env)


def runnable(launch: Launch | None, command: str) -> str:
    """The command to run here: for one-command-per-node launches the form for a single node."""
    if launch is not None and launch.multi_node == "B" and launch.single_node:
        return shlex.join(launch.single_node)
    return command


def trial(
    run: Run, version: str, purpose: str, *, side: str = "", command: str | None = None, profile: bool = False
) -> TrialResult:
    """Run the fork as it stands once and record the result.

    Args:
        version: ``v0``, ``v1``...
        purpose: ``baseline``, ``profile``, ``verify``, ``pair`` or ``final``.
        side: ``before`` or ``after`` in a paired comparison.
        command: The launch command; by default the current one.
        profile: Record a profiler window instead of clean timings.
    """
    text = command if command is not None else run.command
    if text is None:
        raise ValueError("a trial needs a command")
    launch = run.analysis.launch if run.analysis else None
    preparation = prepare(run)
    number = len(run.state.trials)
    out = run.options.workdir / "journal" / "trials" / f"{number:03d}-{version}-{purpose}{'-' + side if side else ''}"
    request = TrialRequest(
        argv=(runnable(launch if text == run.command else None, text) if launch else text,),
        cwd=run.fork / run.options.cwd,
        out=out,
        env={**preparation.env, **run.options.env},
        steps=int(run.limit("profile_steps" if profile else "steps")),
        warmup=min(int(run.limit("warmup")), int(run.limit("profile_steps" if profile else "steps")) // 3),
        profile=profile,
        time_limit_s=float(run.limit("time_limit_s")),
        suppress=preparation.suppress,
        shell=True,
    )
    label = f"{version} {purpose}{' ' + side if side else ''}"
    result = run_trial(request, tick=lambda seconds: run.progress.busy(f"{label}, {seconds:.0f} s"))
    run.record("trial", trial_json(result, version, purpose, side))
    return result


def trial_json(result: TrialResult, version: str, purpose: str, side: str) -> dict[str, Any]:
    return {
        "version": version,
        "purpose": purpose,
        "side": side,
        "status": result.status,
        "exit_code": result.exit_code,
        "metrics": dict(result.metrics),
        "ranks": {rank: dict(values) for rank, values in result.ranks.items()},
        "step_times_ms": list(result.step_times_ms),
        "losses": [list(pair) for pair in result.losses],
        "traces": [str(path) for path in result.traces],
        "log": str(result.log) if result.log else None,
        "error": result.error,
        "wall_s": result.wall_s,
        "notes": list(result.notes),
    }


def orders(pairs: int) -> Sequence[tuple[str, str]]:
    """Which side of each pair runs first: A B, B A, A B ..., so that a drifting machine favours neither."""
    return [("before", "after") if number % 2 == 0 else ("after", "before") for number in range(pairs)]
