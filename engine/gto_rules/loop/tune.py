"""The ten steps, supervised: whatever happens in one of them, the report comes."""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from gto_rules.errors import GtoError
from gto_rules.evaluate.model import Bottleneck
from gto_rules.loop import steps
from gto_rules.loop.changes import switch
from gto_rules.loop.rounds import run_round
from gto_rules.loop.run import Run
from gto_rules.loop.state import RunState

TOTAL = 10
TITLES = {
    1: "Inputs and work directory",
    2: "Static analysis",
    3: "Fork",
    4: "Baseline measurement",
    5: "Hardware and diagnosis",
    6: "Apply remedies",
    7: "Verify and measure",
    8: "Rounds and convergence",
    9: "Final report",
    10: "Completeness check",
}

Reporter = Callable[[RunState, Path], tuple[Path, ...]]


class Interrupted(BaseException):
    """The user or the system asked the run to stop: go straight to the report."""


@contextmanager
def _stoppable() -> Iterator[None]:
    """Turn the first SIGINT or SIGTERM into ``Interrupted``; later ones wait for the report."""

    def stop(number: int, frame: FrameType | None) -> None:
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.SIG_IGN)
        raise Interrupted(signal.Signals(number).name)

    old = {}
    try:
        for one in (signal.SIGINT, signal.SIGTERM):
            old[one] = signal.signal(one, stop)
    except ValueError:  # not in the main thread
        old = {}
    try:
        yield
    finally:
        for one, handler in old.items():
            signal.signal(one, handler)


def tune(run: Run, reporter: Reporter) -> int:
    """Run the ten steps and write the reports.

    Returns:
        0 when the report is complete, 3 when the original changed, 1 when a step before the rounds
        failed so that nothing could be measured.
    """
    with _stoppable():
        try:
            _work(run)
        except Interrupted as stop:
            run.record("error", {"step": None, "message": f"stopped by {stop}"})
            run.progress.note(f"stopped by {stop}; writing the report")
        return _deliver(run, reporter)


def _work(run: Run) -> None:
    if not run.state.step_done(1) and not _step(run, 1, lambda: steps.begin(run)):
        return
    if not _step(run, 2, lambda: steps.read_statically(run)):
        return
    if run.state.step_done(3):
        _restore(run)
    elif not _step(run, 3, lambda: steps.fork_project(run)):
        return
    measured = run.state.step_done(4) or _step(run, 4, lambda: steps.measure_baseline(run))
    found: list[Bottleneck] = []
    _step(run, 5, lambda: found.extend(steps.diagnose_version(run, "v0")))
    if not measured:
        reason = next((s["reason"] for s in run.state.steps if s["number"] == 4), "")
        for number in (6, 7, 8):
            _note_step(run, number, "skipped", f"nothing could be measured: {reason}", 0.0)
        return
    _rounds(run, found)


def _restore(run: Run) -> None:
    """After a stop: the fork shows every change that was kept, and the command that belongs to it."""
    run.command = run.state.fork.get("command", run.command)
    pending = [i for i, r in run.state.applied.items() if run.state.remedies.get(i, {}).get("status") != "verified"]
    for remedy in reversed(pending):
        switch(run, [run.state.applied[remedy]], "before")
        run.record("undone", {"id": remedy})
    command = switch(run, run.state.applied.values(), "after")
    run.command = command or run.command


def _rounds(run: Run, bottlenecks: list[Bottleneck]) -> None:
    """Steps 6 to 8, until nothing more is gained or a limit is reached."""
    started = time.monotonic()
    idle = 0
    done = len(run.state.rounds)
    for number in range(done + 1, int(run.limit("rounds")) + 1):
        version = f"v{number}"
        run.progress.step(6, TOTAL, f"Round {number}: apply, verify, compare")
        kept = run_round(run, version, bottlenecks)
        idle = 0 if kept else idle + 1
        why = _convergence(run, kept, idle, number)
        run.state.rounds[-1]["decision"] = why or {"en": "goes on", "zh": "继续优化"}
        run.record("decision", {"version": version, "decision": run.state.rounds[-1]["decision"]})
        if kept:
            steps.profile(run, version)
            run.analysis = run.analyse_fork()
            bottlenecks = list(steps.diagnose_version(run, version))
        if why:
            break
    if run.state.applied:
        run.progress.step(8, TOTAL, "Closing comparison of original and result")
    try:
        steps.close(run)
        reason = ""
    except GtoError as error:
        reason = str(error)
        run.record("error", {"step": 8, "message": reason})
    seconds = time.monotonic() - started
    for number in (6, 7, 8):
        _note_step(run, number, "failed" if reason and number == 8 else "done", reason if number == 8 else "", seconds)


def _convergence(run: Run, kept: bool, idle: int, number: int) -> dict[str, str] | None:
    """Why the rounds end here, in both languages, or None."""
    last = run.state.rounds[-1]
    if last["tried"] == 0:
        return {"en": "no remedy is left to try", "zh": "没有可继续尝试的优化项"}
    gain = last["comparison"]["throughput"]["ratio"] - 1.0 if kept else 0.0
    if idle >= int(run.limit("idle_rounds")):
        return {"en": f"{idle} rounds in a row gained nothing", "zh": f"连续 {idle} 轮无改善"}
    if kept and gain < float(run.limit("converged_gain")):
        return {"en": f"the round gained {gain:.1%}, converged", "zh": f"本轮提升 {gain:.1%}，已收敛"}
    if number >= int(run.limit("rounds")):
        return {"en": "the limit of rounds is reached", "zh": "达到最大迭代轮数"}
    if run.out_of_budget():
        return {"en": "the time budget is used up", "zh": "时间预算已用尽"}
    return None


def _step(run: Run, number: int, work: Callable[[], object]) -> bool:
    """Run one step; an error is recorded and survived. Returns whether it was done."""
    run.progress.step(number, TOTAL, TITLES[number])
    started = time.monotonic()
    status, reason = "done", ""
    try:
        work()
    except steps.SkippedError as skip:
        status, reason = "skipped", str(skip)
    except GtoError as error:
        status, reason = "failed", str(error)
    except Exception as error:
        status, reason = "failed", f"{type(error).__name__}: {error}"
        run.record("error", {"step": number, "message": reason, "traceback": traceback.format_exc()})
    if status != "done":
        run.progress.note(f"{status}: {reason}")
    _note_step(run, number, status, reason, time.monotonic() - started)
    return status == "done"


def _note_step(run: Run, number: int, status: str, reason: str, seconds: float) -> None:
    run.record("step", {"number": number, "status": status, "reason": reason, "seconds": seconds})


def _deliver(run: Run, reporter: Reporter) -> int:
    """Steps 9 and 10, which always run."""
    unchanged = True

    def prove() -> None:
        nonlocal unchanged
        unchanged = steps.verify_original(run)

    _step(run, 9, prove)
    _note_step(run, 10, "done", "", 0.0)
    run.progress.step(10, TOTAL, TITLES[10])
    reporter(run.state, run.options.workdir)
    if not unchanged:
        return 3
    return 0 if run.state.step_done(2) else 1
