"""A project in a folder, resolved with the committed settings tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml
from gto_rules.facts.model import Dependency, Facts, SettingValue
from gto_rules.facts.python import PythonIndex
from gto_rules.facts.settings import resolve_settings
from gto_rules.project.launch import read_launch
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.project import Project
from gto_rules.rulebook.model import Pack, Rule, Rulebook

RULES = Path(__file__).parents[2] / "rules"


def _yaml(path: Path) -> dict[str, object]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    held: dict[str, object] = yaml.load(path.read_text(encoding="utf-8"), loader)
    return held


@cache
def rulebook() -> Rulebook:
    """The committed packs with their settings tables alone, so that no other rule can fail these tests."""
    packs: dict[str, Pack] = {}
    for path in sorted(RULES.glob("*/pack.yaml")):
        data: dict[str, object] = _yaml(path)
        uses = tuple(str(u) for u in data.get("uses", ()))  # type: ignore[attr-defined]
        framework = data.get("framework")
        packs[str(data["name"])] = Pack(
            str(data["name"]), str(data["version"]), str(path), str(framework) if framework else None, uses, data
        )
    rules = []
    for path in sorted(RULES.glob("*/settings/*.yaml")):
        data = _yaml(path)
        rules.append(Rule(str(data["id"]), "settings", str(data["id"]).partition("/")[0], data, path.name))
    return Rulebook(packs, tuple(rules), "test")


@cache
def launchers() -> tuple[LauncherSpec, ...]:
    paths = sorted(p for p in RULES.glob("launchers/launchers/*.yaml") if not p.name.endswith(".test.yaml"))
    return tuple(LauncherSpec.from_mapping(_yaml(p)) for p in paths)


def settings_of(
    folder: Path,
    files: Mapping[str, str],
    command: str | None,
    *,
    framework: str = "hf_trainer",
    versions: Mapping[str, str] | None = None,
    cwd: str = ".",
) -> dict[str, SettingValue]:
    """Writes ``files`` into ``folder`` and resolves the settings of ``command`` there."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    project = Project.open(folder)
    launch = read_launch(command, project=project, cwd=cwd, launchers=launchers()) if command else None
    pinned = {n: Dependency(n, f"=={v}", v, "requirements.txt", 1) for n, v in (versions or {}).items()}
    facts = Facts({}, None, {}, pinned, detection={"framework": framework})
    book = rulebook()
    return resolve_settings(project, book, launch, PythonIndex(project), facts, book.active((framework,)))
