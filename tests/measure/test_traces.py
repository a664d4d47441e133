"""Traces of the profiler: figures by hand, and files that are not whole."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from gto_rules.errors import MeasureError
from gto_rules.measure.traces import load_events, read_traces
from hypothesis import given
from hypothesis import strategies as st

Event = dict[str, Any]


def event(name: str, cat: str, start: float, length: float, tid: int = 1) -> Event:
    return {"ph": "X", "name": name, "cat": cat, "pid": 1, "tid": tid, "ts": start, "dur": length}


GPU = [
    event("ProfilerStep#1", "user_annotation", 0, 100),
    event("ProfilerStep#1", "gpu_user_annotation", 5, 100),
    event("ProfilerStep#2", "user_annotation", 100, 100),
    event("enumerate(DataLoader)#_Single.__next__", "user_annotation", 0, 40),
    event("gemm", "kernel", 40, 20, 7),
    event("gemm", "kernel", 100, 5, 7),
    event("ncclDevKernel_AllReduce_Sum", "kernel", 50, 20, 8),
    event("Memcpy HtoD", "gpu_memcpy", 130, 10, 9),
    event("cudaStreamSynchronize", "cuda_runtime", 150, 30),
    event("aten::outer", "cpu_op", 10, 50),
    event("aten::inner", "cpu_op", 20, 30),
]


def write(path: Path, events: object) -> Path:
    text = json.dumps({"traceEvents": events})
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def test_figures_of_a_trace_with_a_gpu(tmp_path: Path) -> None:
    metrics = read_traces([write(tmp_path / "t.json", GPU)]).metrics
    assert metrics["trace.steps"] == 2 and metrics["trace.step_time_us"] == 100
    assert metrics["trace.dataloader_percent"] == pytest.approx(20.0)  # 40 of 200
    # Busy from 40 to 70, 100 to 105 and 130 to 140, of 40 to 140.
    assert metrics["gpu.busy_percent"] == pytest.approx(45.0) and metrics["gpu.idle_time_us"] == 55
    assert metrics["comm.time_us"] == 20 and metrics["comm.compute_overlap_percent"] == pytest.approx(50.0)
    assert metrics["gpu.short_kernel_percent"] == pytest.approx(100 / 3)
    assert metrics["sync.count"] == 1 and metrics["sync.time_us"] == 30


def test_operators_by_their_own_time(tmp_path: Path) -> None:
    rows = {row.name: row.time_us for row in read_traces([write(tmp_path / "t.json", GPU)]).operators}
    assert rows == {"aten::outer": 20, "aten::inner": 30}


def test_without_a_gpu_its_figures_are_absent(tmp_path: Path) -> None:
    found = read_traces([write(tmp_path / "t.json", [e for e in GPU if e["cat"] == "cpu_op"])])
    assert not [name for name in found.metrics if name.startswith("gpu.")]
    assert any("no GPU kernels" in note for note in found.notes)


@pytest.mark.parametrize("suffix", ["json", "json.gz"])
@pytest.mark.parametrize("kept", [0.3, 0.7, 0.98])
def test_a_file_that_ends_early_is_read_as_far_as_it_goes(tmp_path: Path, suffix: str, kept: float) -> None:
    path = write(tmp_path / f"t.{suffix}", [event(f"k{n}", "kernel", n, n % 7) for n in range(4000)])
    whole = len(load_events(path))
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    assert whole * kept * 0.5 < len(load_events(path)) < whole


@given(st.integers(0, 900))
def test_any_cut_gives_events_or_a_plain_error(tmp_path_factory: pytest.TempPathFactory, at: int) -> None:
    path = write(tmp_path_factory.mktemp("cut") / "t.json", GPU)
    path.write_bytes(path.read_bytes()[:at])
    try:
        events = load_events(path)
    except MeasureError as error:
        assert str(path) in str(error)
    else:
        assert events == GPU[: len(events)]


def test_events_that_cannot_be_are_left_out(tmp_path: Path) -> None:
    odd: list[object] = [
        event("negative", "kernel", 5, -3),
        {"ph": "X", "ts": 1, "dur": 1},
        {"ph": "X", "name": 5, "ts": 1, "dur": 1},
        {"ph": "X", "name": "text", "ts": "1", "dur": 1},
        {"ph": "X", "name": "far", "ts": 1e300, "dur": 1},
        "not an event",
        None,
    ]
    assert load_events(write(tmp_path / "t.json", [*odd, *GPU])) == GPU


@pytest.mark.parametrize(
    "data", [b"", b"[", b"hello", b'{"a": 1}', b"\x1f\x8b broken", b"\xff\xfe\x00", b"[" * 100_000]
)
@pytest.mark.parametrize("suffix", ["json", "json.gz"])
def test_what_is_no_trace_is_refused(tmp_path: Path, data: bytes, suffix: str) -> None:
    path = tmp_path / f"t.{suffix}"
    path.write_bytes(data)
    with pytest.raises(MeasureError, match=path.name):
        load_events(path)


def test_bytes_that_are_no_utf8_do_not_hide_the_rest(tmp_path: Path) -> None:
    path = write(tmp_path / "t.json", GPU)
    path.write_bytes(path.read_bytes().replace(b"aten::inner", b"aten::\xff\xfeinner"))
    assert len(load_events(path)) == len(GPU)


def test_ranks_are_averaged(tmp_path: Path) -> None:
    idle = [e for e in GPU if e["name"] != "gemm"]
    one, two = write(tmp_path / "0.json", GPU), write(tmp_path / "1.json", idle)
    both = read_traces([one, two])
    each = [read_traces([p]).metrics["gpu.busy_percent"] for p in (one, two)]
    assert both.ranks == 2 and both.metrics["gpu.busy_percent"] == pytest.approx(sum(each) / 2)
