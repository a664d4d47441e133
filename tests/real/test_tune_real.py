"""The whole loop on real training: real gains, the loss unchanged, reports that hold together."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from gto_rules.cli.main import main
from gto_rules.loop.journal import Journal
from gto_rules.loop.state import fold
from gto_rules.patch.manifest import compare, take_manifest

pytestmark = pytest.mark.real


def tuned(project: Path, *options: str) -> tuple[dict[str, Any], Path]:
    work = project.with_name(project.name + "_optimized")
    before = take_manifest(project)
    assert main(["tune", str(project), "--quiet", "--pairs", "3", *options]) == 0
    assert compare(before, take_manifest(project)) == ()
    data: dict[str, Any] = json.loads((work / "reports" / "final_optimization-summary.json").read_text("utf-8"))
    assert data["original_unchanged"] is True
    return data, work


def status(data: dict[str, Any]) -> dict[str, str]:
    return {r["id"]: r["status"] for r in data["remedies"]}


def test_a_plain_loop_gets_faster(copy_of: Any) -> None:
    project = copy_of("plain_torch")
    data, work = tuned(project, "--rounds", "1")
    gain = data["gain"]["throughput"]
    assert gain["ratio"] > 1.1 and gain["low"] > 1.0
    assert data["loss_parity"]["same"] is True and data["loss_parity"]["relative_difference"] < 1e-3
    kept = [i for i, s in status(data).items() if s == "verified"]
    assert kept and set(kept) <= {
        "torch/add-dataloader-workers",
        "torch/fused-optimizer",
        "torch/zero-grad-to-none",
        "torch/remove-item",
    }
    # The patch brings the original to the state of the fork.
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    subprocess.run(["git", "apply", str(work / "patches" / "all.patch")], cwd=project, check=True)
    assert (project / "train.py").read_bytes() == (work / "project" / "train.py").read_bytes()
    for name in ("v0_pytorch-profiler-report.md", "v0_bottleneck-analysis.md", "v1_optimization-changes.md"):
        assert (work / "reports" / name).is_file() and (work / "reports" / "zh" / name).is_file()


def test_the_trainer_stops_computing_on_padding(copy_of: Any) -> None:
    pytest.importorskip("transformers")
    data, work = tuned(copy_of("hf_trainer"), "--rounds", "1", "--steps", "25")
    assert status(data)["hf_trainer/dynamic-padding"] == "verified"
    assert data["gain"]["throughput"]["ratio"] > 1.5
    assert data["loss_parity"]["same"] is True
    assert (
        data["before"]["padding.percent"] > 80 and data["after"]["padding.percent"] < data["before"]["padding.percent"]
    )
    assert fold(Journal(work).events()).analysis["detect"]["framework"] == "hf_trainer"


def test_a_project_of_configuration_alone(copy_of: Any) -> None:
    pytest.importorskip("trl")
    from tests.real.tiny import make_language_model

    project = copy_of("trl_sft")
    make_language_model(project / "model", project / "data" / "train.jsonl")
    data, work = tuned(project, "--rounds", "1", "--steps", "20")
    state = fold(Journal(work).events())
    assert state.analysis["detect"]["launch"]["entry_module"] == "trl.scripts.sft"
    assert {"hf_trainer/dataloader", "hf_trainer/fused-optimizer"} <= set(status(data))
    assert all(t["status"] == "ok" for t in state.trials), [t["error"] for t in state.trials]
    assert data["before"]["step.time_ms"] > 0
    for remedy in data["remedies"]:
        assert remedy["status"] in ("verified", "rejected", "unverified") and remedy["reason"]
