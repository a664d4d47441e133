"""Read a project and judge it: the static half of the loop, in the order the facts depend on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gto_rules.documents.model import Problem
from gto_rules.errors import LaunchError
from gto_rules.evaluate.auditing import audit
from gto_rules.evaluate.detection import detect
from gto_rules.evaluate.model import AuditVerdict, Detection
from gto_rules.facts.collect import collect
from gto_rules.facts.model import Facts
from gto_rules.facts.python import PythonIndex
from gto_rules.facts.settings import resolve_settings
from gto_rules.facts.signals import gather_signals
from gto_rules.project.candidates import find_launches
from gto_rules.project.launch import read_launch
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.model import Candidate, Launch
from gto_rules.project.project import Project
from gto_rules.rulebook.model import Rulebook


@dataclass(frozen=True)
class Analysis:
    """A project read and judged.

    ``launch`` is None when no command was given and none could be chosen without guessing;
    ``candidates`` then lists what was found.
    """

    project: Project
    rulebook: Rulebook
    index: PythonIndex
    launch: Launch | None
    candidates: tuple[Candidate, ...]
    facts: Facts
    detection: Detection
    packs: frozenset[str]
    audits: tuple[AuditVerdict, ...]

    def detect_json(self) -> dict[str, Any]:
        """The contract of ``gto-rules detect --format json``."""
        found = self.detection
        return {
            "framework": found.framework,
            "inference": dict(found.inference),
            "multi_node": found.multi_node,
            "launch": self.launch.to_json() if self.launch else None,
            "candidates": [
                {"command": c.launch.command, "reason": c.reason, "evidence": c.evidence.to_json()}
                for c in self.candidates
            ],
            "evidence": [e.to_json() for e in found.evidence],
            "alternatives": {n: [e.to_json() for e in ev] for n, ev in found.alternatives.items()},
        }


def _said(problem: Problem) -> str:
    return f"{problem.path}{f':{problem.line}' if problem.line else ''}: {problem.message}"


def launcher_specs(rulebook: Rulebook) -> tuple[LauncherSpec, ...]:
    return tuple(LauncherSpec.from_mapping(rule.data) for rule in rulebook.of("launcher"))


def choose_launch(
    project: Project, command: str | None, cwd: str, specs: Sequence[LauncherSpec]
) -> tuple[Launch | None, tuple[Candidate, ...]]:
    """The launch to judge by: the given command, or the one candidate that stands above all others."""
    if command is not None:
        return read_launch(command, project=project, cwd=cwd, launchers=specs), ()
    candidates = find_launches(project, specs)
    best = [c for c in candidates if c.score == candidates[0].score] if candidates else []
    return (best[0].launch if len(best) == 1 else None), candidates


def analyse(
    root: Path,
    *,
    command: str | None,
    rulebook: Rulebook,
    cwd: str = ".",
    hardware: Mapping[str, Any] | None = None,
    metrics: Mapping[str, Any] | None = None,
    judge: bool = True,
    lenient: bool = False,
) -> Analysis:
    """Read the project at ``root`` and judge it with every pack that applies.

    Args:
        root: The project folder; only read.
        command: The launch command, or None to look for one.
        rulebook: The compiled packs.
        cwd: Folder inside the project where the command runs.
        hardware: What ``measure.read_hardware`` gave, or None when the machine is not known.
        metrics: Flat metrics of a measured run, or None.
        judge: False stops after detection (no settings, no audits).
        lenient: A command that cannot be understood counts as not known instead of as an error.

    Raises:
        ProjectError: ``root`` is no readable folder, or ``command`` cannot be understood.
    """
    project = Project.open(root)
    if not project.is_dir(cwd):
        raise LaunchError(f"there is no folder '{cwd}' inside {root} (--cwd)")
    launch: Launch | None = None
    candidates: tuple[Candidate, ...] = ()
    problem = ""
    try:
        launch, candidates = choose_launch(project, command, cwd, launcher_specs(rulebook))
    except LaunchError as error:
        if not lenient:
            raise
        problem = str(error)
    index = PythonIndex(project)
    facts = collect(project, rulebook, launch, index=index, hardware=hardware, metrics=metrics, patterns=judge)
    if problem:
        facts = replace(facts, problems=(*facts.problems, problem))
    detection = detect(facts, gather_signals(project, rulebook, launch, facts), rulebook, launch)
    packs = rulebook.active(detection.frameworks)
    facts = replace(
        facts,
        detection={
            "framework": detection.framework,
            "inference": dict(detection.inference),
            "multi_node": detection.multi_node,
            "training": detection.training,
            "evidence": [one.to_json() for one in detection.evidence],
        },
    )
    audits: tuple[AuditVerdict, ...] = ()
    if judge:
        facts = replace(facts, settings=resolve_settings(project, rulebook, launch, index, facts, packs))
        audits = audit(facts, rulebook, packs)
    facts = replace(facts, problems=(*facts.problems, *(_said(one) for one in project.problems)))
    return Analysis(project, rulebook, index, launch, candidates, facts, detection, packs, audits)
