"""One measured run of a training command."""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Callable
from pathlib import Path

from gto_rules.measure.model import TrialRequest, TrialResult, TrialStatus
from gto_rules.measure.ports import free_port
from gto_rules.measure.processes import Finished, run_group
from gto_rules.measure.records import RankRecords, joined_metrics, measured, rank_metrics, read_records

PROBE_FOLDER = Path(__file__).parent / "probe"
PROFILED_STEPS = 3
TAIL_BYTES = 200_000
_TRACEBACK = re.compile(r"^(?:\[[^\]]*\]:?\s*)?Traceback \(most recent call last\):", re.M)
# Progress bars and colours, which would drown the message.
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[^\n]*\r(?!\n)")


def run_trial(request: TrialRequest, *, tick: Callable[[float], None] | None = None) -> TrialResult:
    """Run the command with the probe attached and read what it recorded.

    Args:
        request: What to run and how long.
        tick: Called several times a second with the seconds so far.

    Returns:
        The result; a failed, hanging or stepless run is a result too, never an exception.
    """
    request.out.mkdir(parents=True, exist_ok=True)
    for old in (*request.out.glob("rank*-*.jsonl"), *request.out.glob("trace-rank*")):
        old.unlink()
    log = request.out / "run.log"
    config = request.out / "probe.json"
    config.write_text(json.dumps(_probe_config(request)), "utf-8")
    marker = ("GTO_RULES_RUN", uuid.uuid4().hex)
    argv = ["bash", "-c", request.argv[0]] if request.shell else list(request.argv)
    try:
        finished = run_group(
            argv,
            cwd=request.cwd,
            env=_environment(request, config, marker),
            log=log,
            time_limit_s=request.time_limit_s,
            marker=marker,
            tick=tick,
        )
    except OSError as error:
        message = f"the command could not be started: {error}"
        return TrialResult("failed", None, error=message, log=log)
    return _result(request, finished, log)


def _probe_config(request: TrialRequest) -> dict[str, object]:
    return {
        "out": str(request.out.resolve()),
        "steps": request.steps,
        "warmup": min(request.warmup, max(request.steps - 1, 0)),
        "profile": request.profile,
        "active": PROFILED_STEPS,
        "suppress": list(request.suppress),
    }


def _environment(request: TrialRequest, config: Path, marker: tuple[str, str]) -> dict[str, str]:
    env = {**os.environ, **request.env}
    path = env.get("PYTHONPATH")
    env["PYTHONPATH"] = f"{PROBE_FOLDER}{os.pathsep}{path}" if path else str(PROBE_FOLDER)
    env["GTO_PROBE"] = str(config.resolve())
    # A fixed port may still be held by a run that ended a moment ago.
    env.setdefault("MASTER_PORT", str(free_port()))
    # Files are switched back and forth between runs; byte code of the other version must not be used.
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    env["PYTHONUNBUFFERED"] = "1"
    env[marker[0]] = marker[1]
    return env


def _result(request: TrialRequest, finished: Finished, log: Path) -> TrialResult:
    records = read_records(request.out)
    warmup = min(request.warmup, max(request.steps - 1, 0))
    ranks = {str(r.rank): rank_metrics(r, warmup) for r in records}
    first = records[0] if records else None
    status = _status(finished, first, warmup, request.profile)
    return TrialResult(
        status=status,
        exit_code=finished.exit_code,
        metrics=joined_metrics(ranks.values()),
        ranks=ranks,
        step_times_ms=tuple(float(s["ms"]) for s in measured(first, warmup)) if first else (),
        losses=tuple(sorted(first.losses.items())) if first else (),
        traces=tuple(Path(t) for r in records for t in r.traces if Path(t).is_file()),
        log=log,
        error=None if status == "ok" else _explain(finished, status, log),
        wall_s=finished.wall_s,
        notes=tuple(dict.fromkeys(note for r in records for note in r.notes)),
    )


def _status(finished: Finished, first: RankRecords | None, warmup: int, profile: bool) -> TrialStatus:
    if finished.timed_out:
        return "timeout"
    if finished.exit_code != 0:
        return "failed"
    if first is None or not (measured(first, warmup) or (profile and first.traces)):
        return "no_steps"
    return "ok"


def _explain(finished: Finished, status: TrialStatus, log: Path) -> str:
    tail = last_error(log)
    if status == "timeout":
        return f"ended after {finished.wall_s:.0f} s, the time limit of one run\n{tail}".strip()
    if status == "no_steps":
        return f"the run ended without an optimiser step that could be measured\n{tail}".strip()
    return tail or f"exit code {finished.exit_code}"


def last_error(log: Path) -> str:
    """The last traceback of a log, or its last lines."""
    try:
        raw = log.read_bytes()[-TAIL_BYTES:]
    except OSError:
        return ""
    text = _ESCAPES.sub("", raw.decode("utf-8", "replace")).strip()
    starts = [found.start() for found in _TRACEBACK.finditer(text)]
    if starts:
        text = text[starts[0] if len(starts) < 3 else starts[-1] :]
    return "\n".join(text.splitlines()[-30:])
