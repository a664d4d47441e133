"""What the probe wrote → figures of a run."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class RankRecords:
    """The records of one rank: steps in order, the closing record if there is one."""

    rank: int
    steps: tuple[Mapping[str, Any], ...]
    losses: Mapping[int, float]
    end: Mapping[str, Any]
    notes: tuple[str, ...]
    traces: tuple[str, ...]


def read_records(folder: Path) -> tuple[RankRecords, ...]:
    """The records of every process that took optimiser steps, by rank."""
    found = [_read(path) for path in sorted(folder.glob("rank*-*.jsonl"))]
    stepped = [records for records in found if records.steps]
    by_rank: dict[int, RankRecords] = {}
    for records in stepped:
        known = by_rank.get(records.rank)
        if known is None or len(records.steps) > len(known.steps):
            by_rank[records.rank] = records
    return tuple(by_rank[rank] for rank in sorted(by_rank))


def _read(path: Path) -> RankRecords:
    rank = int(path.name.removeprefix("rank").split("-")[0])
    steps: list[Mapping[str, Any]] = []
    losses: dict[int, float] = {}
    end: Mapping[str, Any] = {}
    notes, traces = [], []
    for line in path.read_text("utf-8", "replace").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue  # the last line of a process that was killed
        kind = record.get("kind")
        if kind == "step":
            steps.append(record)
        if kind in ("step", "loss") and "loss" in record:
            losses[record["n"]] = record["loss"]
        if kind == "end":
            end = record
        elif kind == "error":
            notes.append(f"the probe stepped aside on rank {rank}: {record['message']}")
        elif kind == "save_skipped":
            notes.append(f"saving was switched off ({record['name']})")
        elif kind == "trace":
            traces.append(record["path"])
    return RankRecords(rank, tuple(steps), losses, end, tuple(notes), tuple(traces))


def measured(records: RankRecords, warmup: int) -> list[Mapping[str, Any]]:
    """The steps that count: those after the warm-up that have a duration."""
    return [step for step in records.steps if step["n"] > warmup and "ms" in step]


def rank_metrics(records: RankRecords, warmup: int) -> dict[str, float]:
    """The figures of one rank; what was not seen is absent. Definitions: ``schemas/metrics.schema.json``."""
    steps = measured(records, warmup)
    out: dict[str, float] = {}
    if steps:
        out |= _timing(steps)
    losses = [records.losses[n] for n in sorted(records.losses)]
    if losses:
        out["loss.first"], out["loss.last"], out["loss.mean"] = losses[0], losses[-1], statistics.fmean(losses)
    for name, key in (
        ("memory.peak_rss_mb", "peak_rss_mb"),
        ("memory.cuda_peak_mb", "cuda_peak_mb"),
        ("memory.cuda_reserved_mb", "cuda_reserved_mb"),
        ("cpu.utilisation_percent", "cpu_percent"),
    ):
        if key in records.end:
            out[name] = float(records.end[key])
    if records.end.get("cuda_total_mb") and "cuda_reserved_mb" in records.end:
        out["memory.cuda_used_percent"] = 100.0 * records.end["cuda_reserved_mb"] / records.end["cuda_total_mb"]
    return out


def _timing(steps: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    times = [float(step["ms"]) for step in steps]
    total_s = sum(times) / 1000.0
    out = {
        "step.time_ms": statistics.median(times),
        "step.time_mean_ms": statistics.fmean(times),
        "step.time_p90_ms": _quantile(times, 0.9),
        "step.count": float(len(times)),
        "throughput.steps_per_s": len(times) / total_s,
    }
    for name, key in (("throughput.samples_per_s", "samples"), ("throughput.tokens_per_s", "tokens")):
        amounts = [float(step[key]) for step in steps if key in step]
        if len(amounts) == len(steps) and sum(amounts) > 0:
            out[name] = sum(amounts) / total_s
    waits = [float(step["wait_ms"]) for step in steps if "wait_ms" in step]
    if len(waits) == len(steps):
        out["dataloader.wait_ms"] = statistics.median(waits)
        out["dataloader.wait_percent"] = 100.0 * sum(waits) / sum(times)
    padding = [float(step["padding"]) for step in steps if "padding" in step]
    if padding:
        out["padding.percent"] = 100.0 * statistics.fmean(padding)
    return out


def _quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


# Over ranks: throughput adds up, a step takes as long as the slowest rank, the rest is averaged.
_SUMMED = ("throughput.samples_per_s", "throughput.tokens_per_s")
_LARGEST = (
    "step.time_ms",
    "step.time_mean_ms",
    "step.time_p90_ms",
    "memory.peak_rss_mb",
    "memory.cuda_peak_mb",
    "memory.cuda_reserved_mb",
    "memory.cuda_used_percent",
)


def joined_metrics(ranks: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The figures of all ranks together; a figure that one rank lacks is left out."""
    rows = list(ranks)
    if not rows:
        return {}
    out = {}
    for name in rows[0]:
        values = [row[name] for row in rows if name in row]
        if len(values) == len(rows):
            whole = sum(values) if name in _SUMMED else max(values) if name in _LARGEST else statistics.fmean(values)
            out[name] = whole
    return out
