"""Facts of a project before any setting is resolved: imports, dependencies, pattern hits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gto_rules.facts.dependencies import read_dependencies
from gto_rules.facts.imports import find_imports, wanted_imports
from gto_rules.facts.model import Facts
from gto_rules.facts.patterns import match_patterns
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.python.reach import Reach, find_entry, reach
from gto_rules.project.model import Launch
from gto_rules.project.project import Project
from gto_rules.rulebook.model import Rulebook


def collect(
    project: Project,
    rulebook: Rulebook,
    launch: Launch | None,
    *,
    index: PythonIndex | None = None,
    hardware: Mapping[str, Any] | None = None,
    metrics: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    patterns: bool = True,
) -> Facts:
    """Everything the rules ask about a project except its settings.

    Args:
        project: The project's files.
        rulebook: Compiled packs; only what their rules name is looked for.
        launch: What runs. Patterns are then only looked for in files that it can load, when all
            of those can be told.
        index: The project's Python, if the caller has one already.
        hardware: What the probe of the machine found, or None.
        metrics: Flat figures of a measured run, or None.
        environment: Environment variables; by default those that the launch sets.
        patterns: False looks only for the code patterns that detectors name.

    Raises:
        RulebookError: a pattern rule cannot be compiled.
    """
    index = index or PythonIndex(project)
    reached = _reach(index, launch)
    paths = tuple(sorted(reached.depths)) if reached is not None and reached.complete else index.paths
    only = None if patterns else frozenset(_detecting(rulebook))
    hits, unknown = match_patterns(index, rulebook.of("pattern"), paths, only)
    return Facts(
        project=_project(project, index, reached),
        launch=_launch(launch),
        imports=find_imports(index, wanted_imports(rulebook), reached.depths if reached else {}),
        dependencies=read_dependencies(project, launch.cwd if launch else "."),
        patterns=hits,
        unknown_patterns=unknown,
        environment=_environment(launch) if environment is None else dict(environment),
        hardware=hardware,
        metrics=metrics,
    )


def _reach(index: PythonIndex, launch: Launch | None) -> Reach | None:
    entry = find_entry(index, launch.entry, launch.entry_module, launch.cwd) if launch is not None else None
    return reach(index, entry) if entry is not None else None


def _detecting(rulebook: Rulebook) -> Iterator[str]:
    """Ids of the patterns that detectors look for."""
    for rule in rulebook.of("detector"):
        for signal in rule.data.get("signals", ()):
            named = signal.get("pattern", ())
            yield from [named] if isinstance(named, str) else named


def _project(project: Project, index: PythonIndex, reached: Reach | None) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "root": str(project.root),
        "name": project.name,
        "file_count": len(project.inventory.files),
        "python_count": len(index.paths),
    }
    if reached is not None and reached.complete:
        facts["reachable"] = sorted(reached.depths)
    return facts


def _launch(launch: Launch | None) -> dict[str, Any] | None:
    if launch is None:
        return None
    return {
        **launch.to_json(),
        "multi_node": launch.multi_node,
        "program": list(launch.program),
        "arguments": [w.text for w in launch.arguments],
    }


def _environment(launch: Launch | None) -> dict[str, str]:
    return {name: word.text for name, word in sorted(launch.env.items()) if word.known} if launch else {}
