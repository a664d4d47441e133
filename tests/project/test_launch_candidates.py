"""Launch commands that a project shows: where they are found and how they rank."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from gto_rules.errors import LaunchError
from gto_rules.project.candidates import find_launches
from gto_rules.project.launch import launch_from_file, read_launch
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.model import Candidate
from gto_rules.project.project import Project

RULES = Path(__file__).parents[2] / "rules" / "launchers" / "launchers"
SPECS = [
    LauncherSpec.from_mapping(yaml.safe_load(p.read_text(encoding="utf-8")))
    for p in sorted(RULES.glob("*.yaml"))
    if not p.name.endswith(".test.yaml")
]
README = """# A project

    pip install -e .

```bash
git clone https://example.org/x && cd x
pip install -r requirements.txt
```

Training:

```shell
$ torchrun --nproc_per_node=2 train.py \\
    --lr 1e-5
```

Evaluation:

~~~
python evaluate.py --ckpt out
~~~

```python
python = "torchrun no.py"
```
"""
MAKEFILE = """GPUS ?= 4
OUT := runs

.PHONY: train
train: data
\t@echo training
\ttorchrun --nproc_per_node=$(GPUS) train.py --out $(OUT)/$$USER \\
\t  --lr 1

clean:
\trm -rf $(OUT)
"""


def project(folder: Path, files: dict[str, str]) -> Project:
    for name, text in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return Project.open(folder)


def find(folder: Path, files: dict[str, str]) -> list[Candidate]:
    return list(find_launches(project(folder, files), SPECS))


def shown(candidate: Candidate) -> tuple[str | None, int | None, str]:
    return candidate.evidence.path, candidate.evidence.line, candidate.launch.command


def test_a_readme_names_the_command_and_the_better_one_is_first(tmp_path: Path) -> None:
    found = find(tmp_path, {"README.md": README, "train.py": "", "evaluate.py": ""})
    assert [shown(c) for c in found] == [
        ("README.md", 13, "torchrun --nproc_per_node=2 train.py --lr 1e-5"),
        ("README.md", 20, "python evaluate.py --ckpt out"),
    ]
    assert found[0].score > found[1].score


def test_a_found_command_can_be_read_again(tmp_path: Path) -> None:
    (first, *_) = find(tmp_path, {"README.md": README, "train.py": ""})
    again = read_launch(first.launch.command, project=Project.open(tmp_path), launchers=SPECS)
    assert [w.text for w in again.argv] == [w.text for w in first.launch.argv]


def test_a_makefile_with_its_variables(tmp_path: Path) -> None:
    (only,) = find(tmp_path, {"Makefile": MAKEFILE, "train.py": ""})
    assert only.reason == "the target train of Makefile"
    assert (only.evidence.path, only.evidence.line) == ("Makefile", 7)
    assert only.launch.nproc_per_node == 4
    assert [w.text for w in only.launch.arguments] == ["--out", "runs/$USER", "--lr", "1"]
    assert only.launch.launcher_arguments[0].value_place.line == 1
    assert only.launch.command == "torchrun --nproc_per_node=4 train.py --out runs/$USER --lr 1"


def test_a_notebook_cell(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "source": ["import os\n", '!torchrun --nproc_per_node=2 train.py --name "a b"\n']},
        {"cell_type": "code", "source": ["%%bash\n", "python train.py \\\n", "  --x 1\n"]},
        {"cell_type": "markdown", "source": ["!python no.py\n"]},
    ]
    text = json.dumps({"cells": [{**c, "metadata": {}, "outputs": []} for c in cells], "nbformat": 4}, indent=1)
    found = find(tmp_path, {"n.ipynb": text, "train.py": ""})
    assert [c.launch.launcher for c in found] == ["torchrun", "python"]
    lines = text.split("\n")
    for candidate in found:
        assert candidate.evidence.line is not None
        assert candidate.launch.launcher in lines[candidate.evidence.line - 1]


def test_scripts_that_are_equals_have_the_same_score(tmp_path: Path) -> None:
    script = "torchrun --nproc_per_node=2 train.py --config {}.yaml\n"
    files = {"run/a.sh": script.format("a"), "run/b.sh": script.format("b"), "train.py": ""}
    found = find(tmp_path, files)
    assert [c.launch.command for c in found] == ["bash run/a.sh", "bash run/b.sh"]
    assert found[0].score == found[1].score


def test_a_script_that_speaks_from_its_own_folder(tmp_path: Path) -> None:
    (only,) = find(tmp_path, {"exp/run.sh": "python train.py\n", "exp/train.py": ""})
    assert (only.launch.start, only.launch.cwd, only.launch.command) == ("exp", "exp", "bash run.sh")


def test_a_command_that_the_package_installs(tmp_path: Path) -> None:
    points = "{'console_scripts': ['x-train = x.cli:main', 'x-ls = x:ls']}"
    setup = f"from setuptools import setup\nsetup(entry_points={points})\n"
    (only,) = find(tmp_path, {"setup.py": setup})
    assert (only.launch.command, only.launch.entry_module, only.evidence.line) == ("x-train", "x.cli", 2)


def test_a_readme_with_a_script_and_the_script_are_one_candidate(tmp_path: Path) -> None:
    files = {"README.md": "```\nbash run.sh\n```\n", "run.sh": "python train.py\n", "train.py": ""}
    (only,) = find(tmp_path, files)
    assert shown(only) == ("run.sh", 1, "bash run.sh")
    assert only.reason == "a command in README.md"


def test_nothing_is_found_where_nothing_is_run(tmp_path: Path) -> None:
    readme = "```bash\npip install x\nls -la\n```\n"
    files = {"README.md": readme, "a.sh": "echo python train.py\n", "Makefile": "all:\n\tgcc a.c\n"}
    assert find(tmp_path, files) == []


def test_one_line_of_a_script_is_chosen(tmp_path: Path) -> None:
    here = project(tmp_path, {"run.sh": "torchrun train.py --a 1\ntorchrun train.py --a 2\n"})
    assert launch_from_file(here, "run.sh", launchers=SPECS).ambiguous
    second = launch_from_file(here, "run.sh", 2, launchers=SPECS)
    assert ([w.text for w in second.arguments], second.ambiguous) == (["--a", "2"], ())
    with pytest.raises(LaunchError, match=r"run\.sh:3"):
        launch_from_file(here, "run.sh", 3, launchers=SPECS)
