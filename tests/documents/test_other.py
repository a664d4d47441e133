"""Dependencies, notebooks and containers."""

from __future__ import annotations

import json

import pytest
from gto_rules.documents import parse, source_from_bytes
from gto_rules.documents.model import ContainerDocument, NotebookDocument, RequirementsDocument


def found(name: str, text: str) -> dict[str, str]:
    document = parse(source_from_bytes(text.encode(), name))
    assert isinstance(document, RequirementsDocument), document.kind
    return {r.name: r.specifier for r in document.requirements}


def test_requirements() -> None:
    text = (
        "# top\ntorch==2.9.0+cu126 ; python_version >= '3.10'\nTransformers[torch] >=4.40, <5  # why\n-r base.txt\n"
        "git+https://x.org/modelscope/ms-swift.git@main\nflash_attn @ https://x.org/flash_attn-2.7.0-cp311.whl\n"
        "numpy==1.26.4 \\\n    --hash=sha256:aa\n--extra-index-url https://x.org\n-e git+https://x.org/a/LLaMA-Factory.git#egg=llamafactory\n"
        "./local\nhttps://x.org/apex-0.1-cp311-linux.whl\n"
    )
    assert found("requirements.txt", text) == {
        "torch": "==2.9.0+cu126",
        "transformers": ">=4.40,<5",
        "ms-swift": "",
        "flash-attn": "",
        "numpy": "==1.26.4",
        "llamafactory": "",
        "apex": "==0.1",
    }


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "pyproject.toml",
            '[project]\ndependencies = ["torch>=2"]\n[project.optional-dependencies]\ndev = ["pytest"]\n'
            '[dependency-groups]\nx = ["ruff==0.8.0", {include-group = "dev"}]\n'
            '[tool.poetry.dependencies]\npython = "^3.10"\n'
            'trl = {version = "0.9.6", extras = ["a"]}\n',
            {"torch": ">=2", "pytest": "", "ruff": "==0.8.0", "trl": "==0.9.6"},
        ),
        (
            "environment.yml",
            "dependencies:\n  - python=3.10\n  - conda-forge::pytorch=2.1=cuda\n  - numpy>=1.2\n"
            "  - pip:\n    - vllm==0.8.0\n",
            {"python": "==3.10", "pytorch": "==2.1", "numpy": ">=1.2", "vllm": "==0.8.0"},
        ),
        ("uv.lock", '[[package]]\nname = "torch"\nversion = "2.9.0"\n', {"torch": "==2.9.0"}),
        ("setup.cfg", "[options]\ninstall_requires =\n    torch\n    peft<1\n", {"torch": "", "peft": "<1"}),
        (
            "setup.py",
            "extra = ['deepspeed>=0.14']\nREQ = ['torch']\n"
            "setup(install_requires=REQ, extras_require={'d': extra})\nopen('x')\n",
            {"torch": "", "deepspeed": ">=0.14"},
        ),
        ("Pipfile", '[packages]\ntorch = "*"\ntrl = "==0.9"\n', {"torch": "", "trl": "==0.9"}),
        ("Pipfile.lock", '{"default": {"torch": {"version": "==2.9.0"}}}', {"torch": "==2.9.0"}),
    ],
)
def test_other_places_of_dependencies(name: str, text: str, expected: dict[str, str]) -> None:
    assert found(name, text) == expected


def test_notebook_cells_keep_their_places() -> None:
    cell = '%%time\nimport torch\n!pip install x\nx = torch.tensor([1])  # "é"\nmodel?\n'
    text = json.dumps(
        {"cells": [{"cell_type": "code", "source": cell.splitlines(keepends=True)}], "metadata": {}}, indent=1
    )
    document = parse(source_from_bytes(text.encode(), "n.ipynb"))
    assert isinstance(document, NotebookDocument)
    one = document.cells[0]
    code = one.document.source.text
    assert b"pip install" not in code and b"import torch" in code and not one.document.problems
    for at, byte in enumerate(code):
        if byte not in b' \n"\xc3\xa9':
            assert text.encode()[one.offsets[at]] == byte


def test_a_notebook_of_another_language_has_no_cells() -> None:
    text = json.dumps(
        {"cells": [{"cell_type": "code", "source": "x <- 1"}], "metadata": {"kernelspec": {"language": "R"}}}
    )
    document = parse(source_from_bytes(text.encode(), "n.ipynb"))
    assert isinstance(document, NotebookDocument) and document.cells == ()


def test_containers() -> None:
    docker = parse(
        source_from_bytes(b'FROM x\n# no\nRUN pip install a \\\n  && b\nCMD ["torchrun", "train.py"]\n', "Dockerfile")
    )
    assert isinstance(docker, ContainerDocument)
    assert [(i.name, i.words) for i in docker.instructions][-1] == ("CMD", ("torchrun", "train.py"))
    compose = parse(source_from_bytes(b"services:\n  t:\n    command: python train.py\n", "compose.yaml"))
    assert isinstance(compose, ContainerDocument) and compose.instructions[0].shell == "python train.py"
    pod = b"kind: Pod\nspec:\n  containers:\n  - command: [bash, -c]\n    args: ['python train.py']\n"
    kube = parse(source_from_bytes(pod, "pod.yaml"), "kubernetes")
    assert isinstance(kube, ContainerDocument) and [i.words for i in kube.instructions] == [
        ("bash", "-c"),
        ("python train.py",),
    ]
