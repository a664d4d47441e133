"""Kineto traces (Chrome JSON) → figures: operators, kernels, waiting, communication."""

from __future__ import annotations

import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gto_rules.errors import MeasureError

TOP = 10
_KERNEL_CATEGORIES = frozenset(("kernel", "Kernel"))
_COPY_CATEGORIES = frozenset(("gpu_memcpy", "gpu_memset", "Memcpy", "Memset"))
_OPERATOR_CATEGORIES = frozenset(("cpu_op", "Operator"))
_RUNTIME_CATEGORIES = frozenset(("cuda_runtime", "cuda_driver", "Runtime"))
_STEP = re.compile(r"ProfilerStep#\d+")
_BETWEEN = re.compile(r"[\s,]*")
_LOADER = re.compile(r"enumerate\(DataLoader\)")


@dataclass(frozen=True)
class TraceNames:
    """Regular expressions over names, given by the packs: what communicates, what waits."""

    communication: str = r"(?i)allreduce|all_gather|allgather|reduce_scatter|broadcast|alltoall|c10d::"
    waiting: str = r"(?i)synchronize|_local_scalar_dense"


@dataclass(frozen=True)
class Row:
    """One line of a top list. Times in microseconds, summed over calls."""

    name: str
    time_us: float
    calls: int
    share: float

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "time_us": self.time_us, "calls": self.calls, "share": self.share}


@dataclass(frozen=True)
class TraceSummary:
    """What traces of one run say. ``metrics`` holds flat figures; a missing figure was not there."""

    metrics: Mapping[str, float]
    operators: tuple[Row, ...] = ()
    kernels: tuple[Row, ...] = ()
    waits: tuple[Mapping[str, Any], ...] = ()
    ranks: int = 1
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "metrics": dict(self.metrics),
            "operators": [row.to_json() for row in self.operators],
            "kernels": [row.to_json() for row in self.kernels],
            "waits": [dict(w) for w in self.waits],
            "ranks": self.ranks,
            "notes": list(self.notes),
        }


def load_events(path: Path) -> list[dict[str, Any]]:
    """The complete events of a trace file, plain or gzip; a file cut off in the middle is read as far as it goes.

    Raises:
        MeasureError: the file is no trace.
    """
    text = _bytes(path).decode("utf-8", "replace")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = _cut_off(text, path)
    events = data.get("traceEvents") if isinstance(data, dict) else data
    if not isinstance(events, list):
        raise MeasureError(f"{path}: holds no traceEvents, so it is not a trace of the profiler")
    return [e for e in events if isinstance(e, dict) and e.get("ph") == "X" and _sound(e)]


def _bytes(path: Path) -> bytes:
    try:
        raw = path.read_bytes()
        if path.suffix != ".gz":
            return raw
        # Not gzip.decompress, which gives nothing of a file that ends early.
        text = b""
        while raw:
            member = zlib.decompressobj(wbits=31)
            text += member.decompress(raw)
            raw = member.unused_data.lstrip(b"\0")
        return text
    except (OSError, zlib.error) as error:
        raise MeasureError(f"{path}: cannot be read ({error})") from error


def _sound(event: Mapping[str, Any]) -> bool:
    """Whether an event has what every figure needs; some profilers write lengths below zero."""
    start, length = event.get("ts"), event.get("dur")
    if not isinstance(event.get("name"), str) or not isinstance(event.get("cat", ""), str):
        return False
    return _time(start) and _time(length) and length >= 0  # type: ignore[operator]


def _time(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) < 1e18


def _cut_off(text: str, path: Path) -> dict[str, Any]:
    """The list of events as far as whole events go."""
    start = re.search(r'"traceEvents"\s*:\s*\[', text)
    if start is None:
        raise MeasureError(f"{path}: is not JSON")
    decode, at, events = json.JSONDecoder().raw_decode, start.end(), []
    try:
        while True:
            at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
            event, at = decode(text, at)
            events.append(event)
    except (ValueError, RecursionError) as error:
        if not events:
            raise MeasureError(f"{path}: is not JSON ({error})") from error
        return {"traceEvents": events}


def read_traces(paths: Sequence[Path], names: TraceNames | None = None) -> TraceSummary:
    """One summary of the traces of all ranks: times summed, shares averaged over ranks.

    Raises:
        MeasureError: no file could be read.
    """
    if not paths:
        raise MeasureError("there is no trace to read")
    wanted = names or TraceNames()
    summaries = [_summary(load_events(path), wanted) for path in paths]
    if len(summaries) == 1:
        return summaries[0]
    shared = set.intersection(*(set(s.metrics) for s in summaries))
    metrics = {n: sum(s.metrics[n] for s in summaries) / len(summaries) for n in sorted(shared)}
    first = summaries[0]
    return TraceSummary(metrics, first.operators, first.kernels, first.waits, len(summaries), first.notes)


@dataclass
class _Sums:
    time: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    calls: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, name: str, time: float) -> None:
        self.time[name] += time
        self.calls[name] += 1

    def top(self) -> tuple[Row, ...]:
        total = sum(self.time.values()) or 1.0
        ordered = sorted(self.time.items(), key=lambda item: (-item[1], item[0]))[:TOP]
        return tuple(Row(name, time, self.calls[name], time / total) for name, time in ordered)


def _summary(events: list[dict[str, Any]], names: TraceNames) -> TraceSummary:
    operators = [e for e in events if e.get("cat") in _OPERATOR_CATEGORIES]
    kernels = [e for e in events if e.get("cat") in _KERNEL_CATEGORIES]
    steps = [e for e in events if _STEP.match(str(e.get("name")))]
    metrics: dict[str, float] = {}
    notes = []
    if steps:
        # An annotation of a GPU trace appears on the host and on the device: count each name once.
        by_name = {e["name"]: e["dur"] for e in steps}
        metrics["trace.steps"] = float(len(by_name))
        metrics["trace.step_time_us"] = sum(by_name.values()) / len(by_name)
    own = _self_times(operators)
    sums = _Sums()
    for event, time in own:
        sums.add(str(event["name"]), time)
    if operators:
        metrics["cpu.operator_time_us"] = sum(sums.time.values())
    metrics |= _loader(events, steps)
    metrics |= _waiting(events, names)
    if kernels:
        metrics |= _gpu(events, kernels, names)
    else:
        notes.append("the trace holds no GPU kernels: figures of the GPU are absent")
        metrics |= _cpu_communication(operators, own, names)
    by_kernel = _Sums()
    for kernel in kernels:
        by_kernel.add(str(kernel["name"]), kernel["dur"])
    waits = _wait_places(events, names)
    return TraceSummary(metrics, sums.top(), by_kernel.top(), waits, 1, tuple(notes))


def _self_times(operators: Iterable[dict[str, Any]]) -> list[tuple[dict[str, Any], float]]:
    """Each operator with its time less that of the operators directly inside it, thread by thread."""
    threads: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for event in operators:
        threads[event.get("pid"), event.get("tid")].append(event)
    out: list[tuple[dict[str, Any], float]] = []
    for own in threads.values():
        own.sort(key=lambda e: (e["ts"], -e["dur"]))
        stack: list[tuple[dict[str, Any], float]] = []
        for event in own:
            while stack and stack[-1][0]["ts"] + stack[-1][0]["dur"] <= event["ts"]:
                out.append(stack.pop())
            if stack:
                parent, time = stack[-1]
                stack[-1] = (parent, max(time - event["dur"], 0.0))
            stack.append((event, float(event["dur"])))
        out.extend(stack)
    return out


def _loader(events: Iterable[dict[str, Any]], steps: Sequence[dict[str, Any]]) -> dict[str, float]:
    waits = [e["dur"] for e in events if e.get("cat") == "user_annotation" and _LOADER.search(str(e.get("name")))]
    total = sum({e["name"]: e["dur"] for e in steps}.values())
    return {"trace.dataloader_percent": 100.0 * sum(waits) / total} if waits and total else {}


def _waiting(events: Iterable[dict[str, Any]], names: TraceNames) -> dict[str, float]:
    pattern = re.compile(names.waiting)
    waits = [e for e in events if e.get("cat") in _RUNTIME_CATEGORIES and pattern.search(str(e.get("name")))]
    if not waits:
        return {}
    return {"sync.count": float(len(waits)), "sync.time_us": float(sum(e["dur"] for e in waits))}


def _wait_places(events: Iterable[dict[str, Any]], names: TraceNames) -> tuple[dict[str, Any], ...]:
    """Calls that make the CPU wait, by name, most time first."""
    pattern = re.compile(names.waiting)
    sums = _Sums()
    for event in events:
        if event.get("cat") in (*_RUNTIME_CATEGORIES, *_OPERATOR_CATEGORIES) and pattern.search(str(event.get("name"))):
            sums.add(str(event["name"]), event["dur"])
    return tuple(row.to_json() for row in sums.top())


def merged(events: Iterable[Mapping[str, Any]]) -> list[tuple[float, float]]:
    """The union of events' time spans as sorted, disjoint intervals."""
    spans = sorted((e["ts"], e["ts"] + e["dur"]) for e in events)
    out: list[tuple[float, float]] = []
    for start, end in spans:
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def _length(spans: Iterable[tuple[float, float]]) -> float:
    return sum(end - start for start, end in spans)


def _gpu(events: Iterable[dict[str, Any]], kernels: Sequence[dict[str, Any]], names: TraceNames) -> dict[str, float]:
    copies = [e for e in events if e.get("cat") in _COPY_CATEGORIES]
    everything = [*kernels, *copies]
    busy = merged(everything)
    span = max(e["ts"] + e["dur"] for e in everything) - min(e["ts"] for e in everything)
    pattern = re.compile(names.communication)
    talking = merged(k for k in kernels if pattern.search(str(k["name"])))
    working = merged(k for k in kernels if not pattern.search(str(k["name"])))
    out = {
        "gpu.kernel_time_us": _length(merged(kernels)),
        "gpu.compute_time_us": _length(working),
        "gpu.idle_time_us": span - _length(busy),
        "gpu.busy_percent": 100.0 * _length(busy) / span if span else 0.0,
        "gpu.short_kernel_percent": 100.0 * sum(k["dur"] < 10 for k in kernels) / len(kernels),
        "gpu.copy_time_us": float(sum(e["dur"] for e in copies)),
    }
    if talking:
        out["comm.time_us"] = _length(talking)
        out["comm.percent"] = 100.0 * _length(talking) / span if span else 0.0
        hidden = _length(talking) + _length(working) - _length(merged([*_as_events(talking), *_as_events(working)]))
        out["comm.compute_overlap_percent"] = 100.0 * hidden / _length(talking)
    return out


def _as_events(spans: Iterable[tuple[float, float]]) -> list[dict[str, float]]:
    return [{"ts": start, "dur": end - start} for start, end in spans]


def _cpu_communication(
    operators: Sequence[dict[str, Any]], own: Iterable[tuple[dict[str, Any], float]], names: TraceNames
) -> dict[str, float]:
    pattern = re.compile(names.communication)
    talking = sum(time for event, time in own if pattern.search(str(event["name"])))
    total = _length(merged(operators))
    return {"comm.percent": 100.0 * talking / total} if talking and total else {}
