"""The ten steps when things go wrong: the report always comes, the original stays as it is."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gto_rules.cli.main import main
from gto_rules.loop.journal import Journal
from gto_rules.loop.state import fold
from gto_rules.patch.manifest import compare, take_manifest

LOOP = "import torch\nopt = torch.optim.SGD([])\nfor x in []:\n    x.backward()\n    opt.step()\n"


def tuned(project: Path, *options: str) -> tuple[int, Path]:
    """Exit code and work directory of a run that must not change the project."""
    work = project.parent / "work"
    before = take_manifest(project)
    code = main(["tune", str(project), "--workdir", str(work), "--quiet", "--pairs", "1", "--steps", "4", *options])
    assert compare(before, take_manifest(project)) == ()
    return code, work


def final(work: Path) -> dict[str, object]:
    report = (work / "reports" / "final_optimization-summary.md").read_text("utf-8")
    assert report.startswith("# GPU training tuning")
    zh = (work / "reports" / "zh" / "final_optimization-summary.md").read_text("utf-8")
    assert zh.startswith("# GPU 训练智能调优")
    data: dict[str, object] = json.loads((work / "reports" / "final_optimization-summary.json").read_text("utf-8"))
    return data


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_a_launch_command_that_fails_at_once(project: Path) -> None:
    (project / "train.py").write_text("raise SystemExit('no data')\n" + LOOP, "utf-8")
    code, work = tuned(project, "--launch", f"{sys.executable} train.py")
    data = final(work)
    assert code == 0 and data["original_unchanged"] is True
    assert any("no data" in str(s["reason"]) for s in data["steps"])  # type: ignore[attr-defined]
    assert "Profiling was not available" in (work / "reports" / "v0_bottleneck-analysis.md").read_text("utf-8")


def test_no_torch_in_the_training_environment(project: Path) -> None:
    (project / "train.py").write_text("import torch_that_is_not_there\n", "utf-8")
    _, work = tuned(project, "--launch", f"{sys.executable} -S train.py")
    assert any("ModuleNotFoundError" in str(s["reason"]) for s in final(work)["steps"])  # type: ignore[attr-defined]


def test_a_program_that_does_not_exist(project: Path) -> None:
    (project / "train.py").write_text(LOOP, "utf-8")
    _, work = tuned(project, "--launch", "no-such-program train.py")
    assert any("not found" in str(s["reason"]) for s in final(work)["steps"])  # type: ignore[attr-defined]


def test_an_empty_folder(project: Path) -> None:
    code, work = tuned(project)
    assert code == 1 and any("holds no files" in str(s["reason"]) for s in final(work)["steps"])  # type: ignore[attr-defined]


def test_a_project_that_does_not_parse(project: Path) -> None:
    (project / "train.py").write_bytes(b"def f(:\n\x00\xff(((\n")
    (project / "c.yaml").write_bytes(b"a: [1\n\tb: {\n")
    (project / "n.ipynb").write_bytes(b"{")
    _, work = tuned(project)
    assert final(work)["original_unchanged"] is True


def test_no_launch_command(project: Path) -> None:
    (project / "train.py").write_text(LOOP, "utf-8")
    _, work = tuned(project)
    assert any("--launch" in str(s["reason"]) for s in final(work)["steps"])  # type: ignore[attr-defined]


def test_an_unexpected_error_in_a_step_is_survived(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "train.py").write_text(LOOP, "utf-8")

    def broken(*args: object) -> None:
        raise ZeroDivisionError("odd")

    monkeypatch.setattr("gto_rules.loop.steps.make_fork", broken)
    _, work = tuned(project, "--launch", "python train.py")
    assert any("ZeroDivisionError" in str(e["message"]) for e in final(work)["errors"])  # type: ignore[attr-defined]


def test_a_training_that_writes_into_the_original_is_reported_first(project: Path) -> None:
    (project / "train.py").write_text(f"open({str(project)!r} + '/../project/x.txt', 'w').write('1')\n", "utf-8")
    work = project.parent / "work"
    command = f"{sys.executable} train.py"
    # The path is spelt so that it is not recognised as the original's and stays as it is in the fork.
    text = (project / "train.py").read_text("utf-8").replace(str(project), str(project.parent / "." / "project") + "/.")
    (project / "train.py").write_text(text.replace("/project/.", "/./project"), "utf-8")
    code = main(["tune", str(project), "--workdir", str(work), "--quiet", "--launch", command])
    report = (work / "reports" / "final_optimization-summary.md").read_text("utf-8")
    assert code == 3 and report.startswith("**WARNING: the original project changed") and "x.txt (added)" in report


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_run_still_reports_and_can_go_on(project: Path, number: signal.Signals) -> None:
    (project / "train.py").write_text("import time\nprint('up', flush=True)\ntime.sleep(60)\n", "utf-8")
    work = project.parent / "work"
    argv = [sys.executable, "-m", "gto_rules.cli.main", "tune", str(project), "--workdir", str(work)]
    process = subprocess.Popen(
        [*argv, "--launch", f"{sys.executable} train.py"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    log = work / "journal" / "trials" / "000-v0-baseline" / "run.log"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (log.is_file() and "up" in log.read_text("utf-8")):
        time.sleep(0.1)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "stopped by" in err and "report:" in out
    assert final(work)["original_unchanged"] is True
    left = subprocess.run(["pgrep", "-f", str(work / "project")], capture_output=True, text=True, check=False)
    assert left.stdout == ""
    (project.parent / "work" / "project" / "train.py").write_text("raise SystemExit(3)\n", "utf-8")
    assert main(["resume", str(work), "--quiet"]) == 0
    assert fold(Journal(work).events()).step_done(3)


def test_reports_are_rebuilt_from_the_journal(project: Path) -> None:
    (project / "train.py").write_text("raise SystemExit('no')\n", "utf-8")
    _, work = tuned(project, "--launch", f"{sys.executable} train.py")
    before = {p.name: p.read_bytes() for p in (work / "reports").rglob("*.md")}
    for path in (work / "reports").rglob("*.*"):
        path.unlink()
    assert main(["report", str(work)]) == 0
    assert {p.name: p.read_bytes() for p in (work / "reports").rglob("*.md")} == before


def test_a_journal_cut_off_by_a_crash_is_read(project: Path) -> None:
    (project / "train.py").write_text("raise SystemExit('no')\n", "utf-8")
    _, work = tuned(project, "--launch", f"{sys.executable} train.py")
    path = work / "journal" / "journal.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    assert main(["report", str(work)]) == 0


def test_paths_into_the_original_point_into_the_fork(project: Path) -> None:
    (project / "data.txt").write_text("1", "utf-8")
    (project / "c.yaml").write_text(f"data: {project}/data.txt\n", "utf-8")
    (project / "train.py").write_text(f"print(open('{project}/data.txt').read())\n", "utf-8")
    (project / "link").symlink_to(project / "data.txt")
    _, work = tuned(project, "--launch", f"{sys.executable} {project}/train.py --data={project}/data.txt")
    fork = work / "project"
    assert str(fork) in (fork / "train.py").read_text("utf-8")
    assert f"data: {fork}/data.txt" in (fork / "c.yaml").read_text("utf-8")
    assert (fork / "link").readlink() == fork / "data.txt"
    assert f"{fork}/train.py --data={fork}/data.txt" in str(fold(Journal(work).events()).fork["command"])
