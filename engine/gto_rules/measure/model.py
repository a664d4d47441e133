"""Runs and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True)
class TrialRequest:
    """One run of a training command in the fork.

    Attributes:
        argv: The command as words, launcher included (already shortened by the trial rules).
        cwd: Folder where it runs.
        env: Variables to add to the environment.
        out: Folder for the log, the probe's records and traces; made if missing.
        steps: Optimiser steps after which the run stops.
        warmup: First steps left out of the figures.
        profile: Record a torch.profiler window instead of clean timings.
        time_limit_s: Wall-clock limit; then the process group is ended.
        suppress: Canonical names of functions that do nothing during a trial (saving).
        shell: Run ``argv[0]`` as a shell command text instead.
    """

    argv: tuple[str, ...]
    cwd: Path
    out: Path
    env: Mapping[str, str] = field(default_factory=dict)
    steps: int = 10
    warmup: int = 3
    profile: bool = False
    time_limit_s: float = 600.0
    suppress: tuple[str, ...] = ()
    shell: bool = False


TrialStatus = Literal["ok", "failed", "timeout", "no_steps", "interrupted"]


@dataclass(frozen=True)
class TrialResult:
    """What one run gave. Every figure that could not be had is absent, never zero.

    Attributes:
        status: ``ok`` when at least one step after the warm-up was measured.
        exit_code: Exit status of the command, or None if it was ended.
        metrics: Flat dotted names with the unit at the end (``step.time_ms``, ``throughput.samples_per_s``,
            ``dataloader.wait_percent``, ``memory.peak_mb``, ``loss.last``...), over all ranks.
        ranks: The same per rank.
        step_times_ms: Times of the measured steps, rank 0.
        losses: (step, loss) pairs, rank 0.
        traces: Kineto trace files, one per rank and cycle.
        log: The run's combined output.
        error: Last lines of the traceback, when it failed.
        wall_s: Wall-clock seconds.
    """

    status: TrialStatus
    exit_code: int | None
    metrics: Mapping[str, float] = field(default_factory=dict)
    ranks: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    step_times_ms: tuple[float, ...] = ()
    losses: tuple[tuple[int, float], ...] = ()
    traces: tuple[Path, ...] = ()
    log: Path | None = None
    error: str | None = None
    wall_s: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Interval:
    """A ratio (after/before) with its confidence interval."""

    ratio: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        return {"ratio": self.ratio, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Comparison:
    """Before against after over interleaved pairs.

    ``verdict`` is ``faster``, ``slower`` or ``no_difference`` (the interval includes 1).
    ``loss_parity`` says whether the loss stayed within the tolerance, and how it was judged.
    """

    throughput: Interval
    verdict: Literal["faster", "slower", "no_difference"]
    pairs: int
    loss_parity: Mapping[str, Any]
    metrics_before: Mapping[str, float]
    metrics_after: Mapping[str, float]
    notes: tuple[str, ...] = ()
