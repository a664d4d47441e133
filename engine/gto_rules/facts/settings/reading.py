"""Everything that one resolution reads, gathered once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from gto_rules.documents.model import DataDocument, Node
from gto_rules.facts.model import Facts, Origin
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.settings.configs import ConfigFile, candidates, config_role
from gto_rules.facts.settings.words import Flag, read_flags
from gto_rules.project import Project
from gto_rules.project.model import Launch, Word


class Reading:
    """The project, its launch and what they name, as the finders of settings see them.

    Attributes:
        project: The project's files.
        launch: What runs, or None when nobody said.
        index: The project's Python.
        facts: Imports and dependencies.
    """

    def __init__(self, project: Project, launch: Launch | None, index: PythonIndex, facts: Facts) -> None:
        self.project = project
        self.launch = launch
        self.index = index
        self.facts = facts
        self.program_flags, self.program_words = read_flags(launch.arguments if launch else ())
        self.launcher_flags, _ = read_flags(launch.launcher_arguments if launch else ())

    @property
    def cwd(self) -> str:
        return self.launch.cwd if self.launch else "."

    @property
    def env(self) -> Mapping[str, Word]:
        return self.launch.env if self.launch else {}

    @property
    def overrides(self) -> Mapping[str, Word]:
        return self.launch.overrides if self.launch else {}

    def data(self, path: str) -> DataDocument | None:
        """The file at a project path as data; None when it is missing or something else."""
        document = self.project.document(path)
        return document if isinstance(document, DataDocument) else None

    def find_file(self, written: str) -> str | None:
        """The project file that a path in a command, a setting or a config means."""
        return next((p for p in candidates(written, self.cwd) if self.project.has(p)), None)

    @cached_property
    def configs(self) -> tuple[ConfigFile, ...]:
        """The configuration files that the launch names, in order."""
        return tuple(self._config(written) for written in (self.launch.configs if self.launch else ()))

    def _config(self, written: str) -> ConfigFile:
        role, flag = config_role(written, self.launcher_flags, self.program_flags)
        position = None
        if flag is None:
            at = [i for i, w in enumerate(self.program_words) if w.text == written]
            position = at[0] if at else None
        path = self.find_file(written)
        document = self.data(path) if path else None
        return ConfigFile(path or written, document, role, flag, position)

    def flags_named(self, name: str, *, launcher: bool = False) -> list[Flag]:
        """Flags with this normalised name, strongest (last) first."""
        flags = self.launcher_flags if launcher else self.program_flags
        return [f for f in reversed(flags) if f.name == name]


class Found:
    """An origin, with the data node that it holds when that is a mapping."""

    __slots__ = ("maybe", "node", "origin")

    def __init__(self, origin: Origin, node: Node | None = None, *, maybe: bool = False) -> None:
        self.origin = origin
        self.node = node
        self.maybe = maybe
