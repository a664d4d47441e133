"""The probe on real training: what it counts, what it leaves alone, how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gto_rules.measure.model import TrialRequest, TrialResult
from gto_rules.measure.trial import run_trial

pytestmark = pytest.mark.real

LOOP = """
import torch
from torch.utils.data import DataLoader, TensorDataset
{before}
torch.manual_seed(0)
data = TensorDataset(torch.randn(400, 8), torch.randn(400, 1))
model = torch.nn.Linear(8, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
step = 0
for epoch in range(5):
    for x, y in DataLoader(data, batch_size=4{loader}):
        {accumulate}
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        {step}
        {after}
print("the end")
"""


def script(**parts: str) -> str:
    filled = {"before": "", "loader": "", "accumulate": "opt.zero_grad()", "step": "opt.step()", "after": "step += 1"}
    return LOOP.format(**{**filled, **parts})


def run(folder: Path, code: str, command: str = "python train.py", **options: object) -> TrialResult:
    (folder / "train.py").write_text(code, "utf-8")
    request = TrialRequest((command,), folder, folder / "out", steps=10, warmup=3, shell=True, **options)  # type: ignore[arg-type]
    return run_trial(request)


def test_a_plain_loop(tmp_path: Path) -> None:
    result = run(tmp_path, script())
    assert result.status == "ok" and result.exit_code == 0
    assert result.metrics["step.count"] == 7
    assert [n for n, _ in result.losses] == list(range(1, 11))
    ratio = result.metrics["throughput.samples_per_s"] / result.metrics["throughput.steps_per_s"]
    assert ratio == pytest.approx(4)
    assert not any("cuda" in name for name in result.metrics)
    assert "the end" not in (tmp_path / "out" / "run.log").read_text("utf-8")


def test_losses_are_those_of_the_training(tmp_path: Path) -> None:
    code = script(after="step += 1; print('LOSS', step, float(loss))")
    result = run(tmp_path, code)
    printed = [
        line.split() for line in (tmp_path / "out" / "run.log").read_text().splitlines() if line.startswith("LOSS")
    ]
    for (_, number, value), (n, loss) in zip(printed, result.losses, strict=False):
        assert int(number) == n and float(value) == pytest.approx(loss)


def test_accumulation_counts_optimiser_steps(tmp_path: Path) -> None:
    code = script(accumulate="pass", step="step += 1", after="(opt.step(), opt.zero_grad()) if step % 4 == 0 else None")
    result = run(tmp_path, code)
    assert result.metrics["step.count"] == 7
    ratio = result.metrics["throughput.samples_per_s"] / result.metrics["throughput.steps_per_s"]
    assert ratio == pytest.approx(16)


def test_loader_workers_are_left_alone(tmp_path: Path) -> None:
    result = run(tmp_path, script(loader=", num_workers=2, persistent_workers=True"))
    assert result.status == "ok" and len(list((tmp_path / "out").glob("rank*.jsonl"))) == 1


def test_saving_does_nothing(tmp_path: Path) -> None:
    code = script(after=f"torch.save(model.state_dict(), r'{tmp_path}/model.pt')")
    result = run(tmp_path, code)
    assert not (tmp_path / "model.pt").exists()
    assert any("saving was switched off" in note for note in result.notes)


def test_a_crash_keeps_what_was_recorded(tmp_path: Path) -> None:
    result = run(tmp_path, script(after="step += 1; assert step < 5, 'odd data'"))
    assert result.status == "failed" and result.exit_code == 1
    assert "AssertionError: odd data" in str(result.error)
    assert len(result.losses) == 5


def test_training_that_ends_early(tmp_path: Path) -> None:
    result = run(tmp_path, script(after="step += 1\n        if step == 6: raise SystemExit(0)"))
    assert result.status == "ok" and result.metrics["step.count"] == 3


def test_no_step_at_all(tmp_path: Path) -> None:
    result = run(tmp_path, "import torch\nprint('nothing')\n")
    assert result.status == "no_steps" and result.metrics == {}


def test_a_hang_is_ended(tmp_path: Path) -> None:
    result = run(tmp_path, script(after="import time; time.sleep(60)"), time_limit_s=15.0)
    assert result.status == "timeout" and result.exit_code is None and len(result.losses) == 1


def test_a_sitecustomize_of_the_environment_still_runs(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("import builtins\nbuiltins.OWN = 41\n", "utf-8")
    code = script(before="assert OWN == 41")
    result = run(tmp_path, code, env={"PYTHONPATH": str(tmp_path / "own")})
    assert result.status == "ok", result.error


def test_two_ranks(tmp_path: Path) -> None:
    code = script(
        before="import torch.distributed as dist\ndist.init_process_group('gloo')",
        step="opt.step()",
    ).replace("opt = torch", "model = torch.nn.parallel.DistributedDataParallel(model)\nopt = torch")
    result = run(tmp_path, code, "torchrun --nproc_per_node 2 train.py")
    assert result.status == "ok", result.error
    assert sorted(result.ranks) == ["0", "1"]
    assert result.metrics["throughput.samples_per_s"] == pytest.approx(
        sum(r["throughput.samples_per_s"] for r in result.ranks.values())
    )


def test_accelerate(tmp_path: Path) -> None:
    pytest.importorskip("accelerate")
    code = script(before="from accelerate import Accelerator\na = Accelerator(cpu=True)", step="opt.step()")
    code = code.replace("loss.backward()", "a.backward(loss)").replace(
        "step = 0\n", "model, opt = a.prepare(model, opt)\nstep = 0\n", 1
    )
    result = run(tmp_path, code)
    assert result.status == "ok" and result.metrics["step.count"] == 7, result.error


def test_the_profiler_window(tmp_path: Path) -> None:
    result = run(tmp_path, script(), profile=True)
    assert result.status == "ok" and len(result.traces) == 1
    from gto_rules.measure.traces import read_traces

    summary = read_traces(result.traces)
    assert summary.metrics["trace.steps"] == 3
    assert any("mse_loss" in row.name or "addmm" in row.name or "linear" in row.name for row in summary.operators)
    assert not any(name.startswith("gpu.") for name in summary.metrics)


def test_the_probe_changes_no_number(tmp_path: Path) -> None:
    """The same weights after ten steps with and without the probe."""
    import subprocess

    tail = "step += 1\n        if step == 9: print('W', json.dumps(model.weight.tolist())); "
    code = script(before="import json", after=tail)
    run(tmp_path, code)
    with_probe = [line for line in (tmp_path / "out" / "run.log").read_text().splitlines() if line.startswith("W")]
    bare = subprocess.run(["python", "train.py"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    without = [line for line in bare.splitlines() if line.startswith("W")]
    assert json.loads(with_probe[0][2:]) == json.loads(without[0][2:])
