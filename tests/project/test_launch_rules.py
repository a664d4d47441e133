"""Every case of the launcher rules and of the shell features, as data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from gto_rules.errors import LaunchError
from gto_rules.project.launch import read_launch
from gto_rules.project.launch_check import differences
from gto_rules.project.launchers import ROLES, CountSource, FlagSyntax, LauncherSpec, MultiNode, SingleNode
from gto_rules.project.project import Project

RULES = Path(__file__).parents[2] / "rules" / "launchers" / "launchers"
DATA = Path(__file__).parent / "data" / "launch"


def load(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def rule_files() -> list[Path]:
    return sorted(p for p in RULES.glob("*.yaml") if not p.name.endswith(".test.yaml"))


SPECS = [LauncherSpec.from_mapping(load(path)) for path in rule_files()]


def cases() -> Iterator[Any]:
    for path in [*sorted(RULES.glob("*.test.yaml")), *sorted(DATA.glob("*.yaml"))]:
        for case in load(path)["cases"]:
            yield pytest.param(case, id=f"{path.name.partition('.')[0]}: {case['name']}")


@pytest.mark.parametrize("case", list(cases()))
def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    for name, text in case.get("files", {}).items():
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    project = Project.open(tmp_path)
    expect = dict(case["expect"])
    error = expect.pop("error", None)
    options = {"cwd": case.get("cwd", "."), "environment": case.get("environment", {})}
    if error is not None:
        with pytest.raises(LaunchError, match=error):
            read_launch(case["launch"], project=project, launchers=SPECS, **options)
        return
    launch = read_launch(case["launch"], project=project, launchers=SPECS, **options)
    assert list(differences(launch, expect)) == []


@pytest.mark.parametrize("path", rule_files(), ids=lambda p: p.stem)
def test_rule_is_named_like_its_file_and_has_cases(path: Path) -> None:
    data = load(path)
    assert data["id"] == f"launchers/{path.stem}"
    assert data["role"] in ROLES
    tests = load(path.with_name(f"{path.stem}.test.yaml"))
    assert tests["rule"] == data["id"]
    assert len(tests["cases"]) >= 2


def test_schema_and_value_have_the_same_keys() -> None:
    path = RULES.parents[2] / "schemas" / "launcher.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))["properties"]
    people = {"kind", "schema", "since", "status", "title", "references", "false_alarms", "replaces", "note"}
    assert set(schema) - people == {f.name for f in fields(LauncherSpec)}
    counts = {"nodes": CountSource, "ranks": CountSource}
    parts = {"flags": FlagSyntax, "multi_node": MultiNode, "single_node": SingleNode, **counts}
    for key, kind in parts.items():
        missing = {"total", "total_config"} if key == "nodes" else set()
        assert set(schema[key]["properties"]) == {f.name for f in fields(kind)} - missing, key
    assert set(schema["role"]["enum"]) == set(ROLES)
