"""The package: what the wheel holds is what git holds, and an installed command finds its rules."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a source distribution."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)], check=True, capture_output=True)
    assert list(out.glob("gto_rules-*.tar.gz"))
    return next(out.glob("gto_rules-*.whl"))


def test_the_wheel_holds_the_rules_and_schemas_that_git_holds(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "rules", "schemas"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    inside = {n.removeprefix("gto_rules/") for n in zipfile.ZipFile(wheel).namelist()}
    assert set(listed) <= inside
    assert all(n.endswith((".yaml", ".json")) for n in inside if n.startswith(("rules/", "schemas/")))


def test_the_probe_is_inside(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"gto_rules/measure/probe/gto_probe.py", "gto_rules/measure/probe/sitecustomize.py"} <= set(names)


def test_the_installed_command_finds_its_packs(wheel: Path, tmp_path: Path) -> None:
    """Installed from the wheel into a fresh environment, run from another folder. The packages that it needs are
    borrowed from this environment; its own files come from the wheel."""
    home = tmp_path / "env"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--no-deps", "-q", str(wheel)], check=True, capture_output=True)
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    borrowed = sysconfig.get_paths()["purelib"]
    (Path(site) / "borrowed.pth").write_text(borrowed + "\n", "utf-8")
    project = tmp_path / "project"
    project.mkdir()
    (project / "train.py").write_text("from transformers import Trainer\nTrainer(model=None).train()\n", "utf-8")
    env = {**os.environ, "GTO_RULES_CACHE": str(tmp_path / "cache"), "PYTHONPATH": ""}
    shown = subprocess.run(
        [home / "bin" / "gto-rules", "detect", str(project), "--format", "json"],
        cwd=tmp_path,
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(shown.stdout)["framework"] == "hf_trainer"
    where = subprocess.run(
        [python, "-c", "import gto_rules; print(gto_rules.__file__)"],
        check=True,
        capture_output=True,
        text=True,
        env=env,
    )
    assert where.stdout.strip().startswith(site)
