"""One tuning run: where it works, what it may spend, and what it has found so far."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gto_rules.loop.analysis import Analysis, analyse
from gto_rules.loop.journal import Journal
from gto_rules.loop.progress import Progress
from gto_rules.loop.state import RunState, fold
from gto_rules.patch.subject import Subject
from gto_rules.rulebook.model import Rulebook


@dataclass(frozen=True)
class TuneOptions:
    """What the user asked for.

    Attributes:
        project: The original project; only read.
        workdir: Where everything is written (default: ``<project>_optimized`` beside it).
        command: Launch command, or None to find one.
        cwd: Folder inside the project where it runs.
        limits: Values of the loop's policy, already overridden by the command line.
        allow_risks: Risk classes that may be applied.
        lang: Language of the reports at the top of ``reports/``.
        measure: False stops before anything is run.
        env: Variables to add to the training's environment.
    """

    project: Path
    workdir: Path
    command: str | None
    cwd: str
    limits: Mapping[str, Any]
    allow_risks: frozenset[str]
    lang: str = "en"
    measure: bool = True
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Run:
    """The moving parts of a run, handed from step to step. ``state`` always equals the folded journal."""

    options: TuneOptions
    rulebook: Rulebook
    journal: Journal
    progress: Progress
    state: RunState
    started: float = field(default_factory=time.monotonic)
    analysis: Analysis | None = None
    hardware: Mapping[str, Any] | None = None
    command: str | None = None

    @property
    def fork(self) -> Path:
        return self.options.workdir / "project"

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Write an event to disk and take it into the state."""
        self.state.apply(self.journal.append(name, data))

    def limit(self, name: str) -> Any:
        return self.options.limits[name]

    def out_of_budget(self) -> bool:
        return time.monotonic() - self.started > float(self.limit("budget_s"))

    def analyse_fork(self, metrics: Mapping[str, Any] | None = None) -> Analysis:
        """Read and judge the fork as it stands now."""
        return analyse(
            self.fork,
            command=self.command,
            cwd=self.options.cwd,
            rulebook=self.rulebook,
            hardware=self.hardware,
            metrics=metrics,
            lenient=True,
        )

    def subject(self, analysis: Analysis) -> Subject:
        return Subject(
            analysis.project,
            analysis.index,
            analysis.facts,
            self.rulebook,
            analysis.launch,
            self.command,
            analysis.packs,
        )


def open_run(options: TuneOptions, rulebook: Rulebook, progress: Progress, *, resume: bool = False) -> Run:
    """A run with its journal on disk; with ``resume`` the state of an earlier one."""
    journal = Journal(options.workdir)
    state = RunState()
    if resume:
        state = fold(journal.events())
    else:
        journal.create()
    return Run(options, rulebook, journal, progress, state)
