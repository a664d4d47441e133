"""``tools/settings_table.py``: tables out of releases and sheets."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import settings_table as tool

OLD = """
from dataclasses import dataclass, field
from typing import Optional
@dataclass
class Config:
    lr: float = field(default=1e-3, metadata={"help": "x"})
    gone: bool = False
    mode: Optional[str] = field(default="a", metadata={"choices": ["a", "b"]})
    names: list[str] = field(default_factory=list)
"""
NEW = OLD.replace("1e-3", "2e-3").replace("    gone: bool = False\n", "    fresh: int | None = None\n")
RECIPE = {
    "file": "recipe.yaml",
    "class": ["lib/config.py:Config"],
    "header": {"id": "lib/config", "classes": ["lib.Config"]},
    "overlay": {"mode": {"was": {"kind": "<2"}}},
}


def releases(folder: Path) -> dict[str, Path]:
    for version, text in {"1.0.3": OLD, "2.1.0": NEW}.items():
        target = folder / version / "lib"
        target.mkdir(parents=True)
        (target / "config.py").write_text(text, encoding="utf-8")
    return {"1.0.3": folder / "1.0.3", "2.1.0": folder / "2.1.0"}


def test_versions_are_told_apart(tmp_path: Path) -> None:
    found = releases(tmp_path)
    text = tool.build(RECIPE, tool.read_releases(found, RECIPE), list(found))
    table = yaml.safe_load(text)
    assert table["verified"] == ["1.0.3", "2.1.0"]
    assert table["settings"] == {
        "lr": {"type": "float", "default": [{"value": 1e-3, "version": "<2.1"}, {"value": 2e-3}]},
        "fresh": {"type": "int", "default": None, "since": "2.1"},
        "mode": {"type": "str", "default": "a", "choices": ["a", "b"], "was": {"kind": "<2"}},
        "names": {"type": "list", "default": []},
        "gone": {"type": "bool", "default": False, "removed": "2.1"},
    }


def test_a_sheet(tmp_path: Path) -> None:
    sheet = tmp_path / "s.tsv"
    sheet.write_text(
        "setting\tcli_flag\ttype\tdefault\tchoices\tsource\n"
        "# NOTE x\t-\t-\t-\t-\n"
        "size\t--size|-s\tint\t4\t\ta.py:1\n"
        "kind\t--kind\tLiteral['a', 'b']\ta\ta, b\ta.py:2\n"
        "VAR\tenv\tEnvBool\tfalse\t\ta.py:3\n",
        encoding="utf-8",
    )
    table = yaml.safe_load(tool.build({**RECIPE, "overlay": {}}, tool.read_sheet(sheet, RECIPE), []))
    assert table["settings"] == {
        "size": {"type": "int", "default": 4, "also": [{"cli": "-s"}]},
        "kind": {"type": "str", "default": "a", "choices": ["a", "b"]},
        "VAR": {"type": "bool", "default": False, "sources": [{"env": "VAR"}]},
    }


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("Optional[int]", "int"),
        ("str | None", "str"),
        ("int | float", "float"),
        ("str | bool", "any"),
        ("list[str] | None", "list"),
        ("dict[str, Any] | None", "dict"),
        ("Literal['a', 'b'] | None", "str"),
        ("store_true", "bool"),
        ("not a type (", "any"),
        ("", "any"),
    ],
)
def test_types(annotation: str, expected: str) -> None:
    assert tool.simple_type(annotation) == expected
