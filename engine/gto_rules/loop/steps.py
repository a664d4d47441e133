"""The steps of a run before and after the rounds. Each takes the run, does one thing and records it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from gto_rules import __version__
from gto_rules.errors import MeasureError, ProjectError
from gto_rules.evaluate.diagnosis import diagnose
from gto_rules.evaluate.model import Bottleneck
from gto_rules.loop.analysis import Analysis, analyse
from gto_rules.loop.changes import write_patches
from gto_rules.loop.compare import comparison_json, paired
from gto_rules.loop.run import Run
from gto_rules.loop.trials import trial
from gto_rules.measure.hardware import read_hardware
from gto_rules.measure.model import Comparison, TrialResult
from gto_rules.measure.traces import TraceNames, read_traces
from gto_rules.patch.fork import make_fork
from gto_rules.patch.manifest import compare, from_json, take_manifest, to_json
from gto_rules.patch.relocate import relocate, relocate_text
from gto_rules.project.project import Project

MANIFEST = "original-manifest.json"


class SkippedError(Exception):
    """A step has nothing to do here; the text says why."""


def begin(run: Run) -> None:
    """Step 1: note what is asked for, and what the original looks like."""
    options = run.options
    run.record(
        "start",
        {
            "original": str(options.project.resolve()),
            "workdir": str(options.workdir.resolve()),
            "command": options.command,
            "cwd": options.cwd,
            "goal": {"en": "throughput first, loss unchanged", "zh": "综合优化（吞吐优先，损失不变）"},
            "steps": int(run.limit("steps")),
            "limits": dict(options.limits),
            "lang": options.lang,
            "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "engine": __version__,
            "rulebook": run.rulebook.digest,
        },
    )
    if not options.project.is_dir():
        raise ProjectError(f"there is no project folder {options.project}")
    manifest = to_json(take_manifest(options.project))
    (run.journal.path.parent / MANIFEST).write_text(json.dumps(manifest), "utf-8")


def read_statically(run: Run) -> None:
    """Step 2: detection, settings and audits of the original, which is only read."""
    run.hardware = run.hardware or probe_hardware(run)
    analysis = analyse(
        run.options.project,
        command=run.options.command,
        cwd=run.options.cwd,
        rulebook=run.rulebook,
        hardware=run.hardware,
        lenient=True,
    )
    run.analysis = analysis
    # A command that cannot be understood can still be run.
    run.command = analysis.launch.command if analysis.launch else run.options.command
    if run.command and run.options.command is None:
        run.record("start", {"command": run.command, "command_found": True})
    run.record("analysis", analysis_json(analysis))
    found = analysis.detection.framework
    scores = ", ".join(f"{a.id} {a.score:g}/{a.max:g}" for a in analysis.audits)
    run.progress.note(f"framework {found}; {scores or 'no audit applies'}")
    if not analysis.project.inventory.files:
        raise ProjectError(f"{run.options.project} holds no files")


def analysis_json(analysis: Analysis) -> dict[str, Any]:
    settings = {n: s.to_json() for n, s in analysis.facts.settings.items() if s.kind != "unset"}
    return {
        "detect": analysis.detect_json(),
        "settings": settings,
        "audits": [a.to_json() for a in analysis.audits],
        "remedies": {
            rule.id: {key: rule.data.get(key) for key in ("title", "risk", "set")} | {"id": rule.id}
            for rule in analysis.rulebook.of("remedy", analysis.packs)
        },
        "files": len(analysis.project.inventory.files),
        "problems": list(analysis.facts.problems)[:50],
    }


def fork_project(run: Run) -> None:
    """Step 3: the copy in which everything else happens."""
    fork = make_fork(run.options.project, run.options.workdir)
    moved = relocate(Project.open(fork.root), fork.original)
    if run.command is not None:
        run.command, count = relocate_text(run.command, fork.original, fork.root.resolve())
        run.record("fork", {"command": run.command, "command_relocated": count})
    run.record(
        "fork",
        {
            "files_original": fork.files_original,
            "files_fork": fork.files_fork,
            "bytes_copied": fork.bytes_copied,
            "cloned": fork.cloned,
            "relocated": [{"path": m.path, "count": m.count} for m in moved],
            "notes": list(fork.notes),
        },
    )
    if fork.files_original != fork.files_fork:
        run.progress.note(f"{fork.files_original - fork.files_fork} file(s) could not be copied; see the report")
    run.progress.note(f"{fork.files_fork} files in {fork.root}")


def measure_baseline(run: Run) -> None:
    """Step 4: one clean run and one profiled run of the unchanged fork."""
    if not run.options.measure:
        raise SkippedError("measuring was switched off")
    if run.command is None:
        raise SkippedError("there is no launch command: give one with --launch")
    result = trial(run, "v0", "baseline")
    if result.status != "ok":
        raise MeasureError(f"the unchanged training did not run: {first_line(result)}")
    run.progress.note(figures(result))
    profile(run, "v0")


def first_line(result: TrialResult) -> str:
    lines = (result.error or result.status).strip().splitlines()
    return lines[-1] if lines else result.status


def figures(result: TrialResult) -> str:
    """A run in one line."""
    metrics = result.metrics
    parts = [f"{metrics['step.time_ms']:.1f} ms per step"] if "step.time_ms" in metrics else []
    for name, unit in (("throughput.samples_per_s", "samples/s"), ("throughput.tokens_per_s", "tokens/s")):
        if name in metrics:
            parts.append(f"{metrics[name]:.1f} {unit}")
    if "dataloader.wait_percent" in metrics:
        parts.append(f"waiting for data {metrics['dataloader.wait_percent']:.0f} %")
    return ", ".join(parts)


def profile(run: Run, version: str) -> None:
    """A profiled run; when it fails the clean timings are all there is, and the report says so."""
    result = trial(run, version, "profile", profile=True)
    if not result.traces:
        reason = first_line(result) if result.error else "the run ended before the window"
        run.record("trace", {"version": version, "summary": {"error": reason}})
        run.progress.note(f"no profile: {reason}")
        return
    try:
        summary = read_traces(result.traces, trace_names(run)).to_json()
    except MeasureError as error:
        summary = {"error": str(error)}
    run.record("trace", {"version": version, "summary": {**summary, "files": [str(p) for p in result.traces]}})


def trace_names(run: Run) -> TraceNames:
    for rule in run.rulebook.of("policy"):
        values = rule.data["values"]
        if "trace_communication" in values:
            return TraceNames(values["trace_communication"]["value"], values["trace_waiting"]["value"])
    return TraceNames()


def probe_hardware(run: Run) -> dict[str, Any]:
    table = [row for rule in run.rulebook.of("hardware") for row in rule.data.get("gpus", ())]
    place = run.options.workdir if run.options.workdir.exists() else Path.cwd()
    hardware = read_hardware(disk=place, table=table)
    run.record("hardware", {"v0": hardware})
    return hardware


def diagnose_version(run: Run, version: str) -> tuple[Bottleneck, ...]:
    """Step 5: bottlenecks from hardware, measurements, code and settings of one version."""
    analysis = run.analysis
    if analysis is None:
        raise SkippedError("the project could not be read")
    metrics = measured(run, version)
    found = diagnose(replace(analysis.facts, metrics=metrics, hardware=run.hardware), run.rulebook, analysis.packs)
    run.record("bottlenecks", {"version": version, "items": [b.to_json() for b in found]})
    for bottleneck in found[:3]:
        run.progress.note(f"[{bottleneck.severity}] {bottleneck.title['en']}")
    return found


def measured(run: Run, version: str) -> dict[str, float]:
    """Every figure of a version: its clean run, and what the profiler adds."""
    metrics: dict[str, float] = {}
    for one in run.state.trials:
        if one["version"] == version and one["purpose"] in ("baseline", "verify", "final") and one["status"] == "ok":
            metrics |= one["metrics"]
    metrics |= run.state.traces.get(version, {}).get("metrics", {})
    return metrics


def close(run: Run) -> None:
    """The closing comparison of the unchanged fork and the result."""
    changes = list(run.state.applied.values())
    baseline = next((t for t in run.state.trials if t["purpose"] == "baseline"), None)
    if not changes or run.command is None:
        before = baseline["metrics"] if baseline and baseline["status"] == "ok" else {}
        run.record("final", {"comparison": None, "before": before, "after": before, "command": run.command})
        return
    version = run.state.rounds[-1]["version"] if run.state.rounds else "v1"
    comparison = paired(run, changes, version, "final", int(run.limit("final_pairs")))
    if not isinstance(comparison, Comparison):
        raise MeasureError(f"the closing comparison failed: {first_line(comparison)}")
    data = comparison_json(comparison)
    run.record("final", {"comparison": data, "before": data["before"], "after": data["after"], "command": run.command})


def verify_original(run: Run) -> bool:
    """Hold the original against the manifest of the beginning."""
    path = run.journal.path.parent / MANIFEST
    if not path.is_file():
        run.record("original", {"unchanged": None, "differences": []})
        return True
    before = from_json(json.loads(path.read_text("utf-8")))
    differences = compare(before, take_manifest(run.options.project))
    shown = [{"path": d.path, "what": d.what} for d in differences[:100]]
    run.record(
        "original",
        {"unchanged": not differences, "differences": shown, "count": len(differences), "files": len(before)},
    )
    write_patches(run)
    return not differences
