"""Everything that one resolution reads, gathered once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property

from gto_rules.documents.model import DataDocument, Node
from gto_rules.facts.model import Facts, Origin, SettingValue
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.settings.arguments import Arguments, Declared
from gto_rules.facts.settings.code import CallSite, Code, fits
from gto_rules.facts.settings.configs import ConfigFile, candidates, config_role, entry_origin, find_entry
from gto_rules.facts.settings.flow import Flow
from gto_rules.facts.settings.table import Parser
from gto_rules.facts.settings.words import Flag, flag_origin, read_flags, words_origin
from gto_rules.project.model import Launch, Word
from gto_rules.project.project import Project

_DATA_ENDINGS = (".json", ".yaml", ".yml", ".toml")
_LARGEST_CONFIG = 200_000  # bytes; a larger plain word names data


class Reading:
    """The project, its launch and what they name, as the finders of settings see them.

    Attributes:
        project: The project's files.
        launch: What runs, or None when nobody said.
        index: The project's Python.
        facts: Imports and dependencies.
    """

    def __init__(
        self,
        project: Project,
        launch: Launch | None,
        index: PythonIndex,
        facts: Facts,
        anchors: Iterable[bytes] = (),
    ) -> None:
        self.project = project
        self.launch = launch
        self.index = index
        self.index = index
        self.facts = facts
        self.program_flags, self.program_words = read_flags(launch.arguments if launch else ())
        self.launcher_flags, _ = read_flags(launch.launcher_arguments if launch else ())
        self.code = Code(index, launch, anchors)
        self.sites: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[CallSite, ...]] = {}
        self.used: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._derived: dict[tuple[str, ...], frozenset[str]] = {}
        self.arguments: Arguments
        self.flow: Flow

    def follow(self, parsers: Iterable[Parser], setting: Callable[[str], SettingValue | None]) -> None:
        """Reads the arguments that the code declares, and makes expressions followable."""
        self.arguments = Arguments(self.code, parsers, self._is_given)
        self.flow = Flow(self.code, self.arguments, self.given, self.variable, setting)

    def derived(self, patterns: tuple[str, ...]) -> frozenset[str]:
        """Classes of the code that derive from one of the named ones."""
        if patterns not in self._derived:
            held = (c for c in self.code.classes if any(fits(b, p) for b in self.code.lineage(c) for p in patterns))
            self._derived[patterns] = frozenset(held)
        return self._derived[patterns]

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
        document = self.project.read(path)
        if not isinstance(document, DataDocument):
            text = document.source.text.lstrip()[:1]
            document = self.project.read(path, "json" if text == b"{" else "yaml")
        return document if isinstance(document, DataDocument) and document.roots else None

    def find_file(self, written: str) -> str | None:
        """The project file that a path in a command, a setting or a config means."""
        root = str(self.project.root.resolve())
        return next((p for p in candidates(written, self.cwd, root) if self.project.exists(p)), None)

    @cached_property
    def configs(self) -> tuple[ConfigFile, ...]:
        """The configuration files that the launch names, in order; last a data file that is its first plain word."""
        named = list(self.launch.configs) if self.launch else []
        first = self.program_words[0].text if self.program_words else ""
        if first.endswith(_DATA_ENDINGS) and first not in named:
            path = self.find_file(first)
            if path is not None and self.project.size(path) <= _LARGEST_CONFIG:
                return (*(self._config(n) for n in named), replace(self._config(first), guessed=True))
        return tuple(self._config(n) for n in named)

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

    def given(self, declared: Declared) -> Origin | None:
        """What the launch says about an argument that the code declares."""
        for flag in reversed(self.program_flags):
            if flag.name in declared.spellings:
                return flag_origin(flag, declared.type)
            if declared.type == "bool" and flag.name in {f"no_{s}" for s in declared.spellings}:
                return flag_origin(flag, declared.type, negative=True)
        return self._configured(declared) if self.arguments.reads_config(declared) else None

    def _is_given(self, declared: Declared) -> bool:
        names = declared.spellings | {f"no_{s}" for s in declared.spellings}
        return any(flag.name in names for flag in self.program_flags)

    def _configured(self, declared: Declared) -> Origin | None:
        word = self.overrides.get(declared.name)
        if word is not None:
            return words_origin("override", (word,), declared.type, declared.name)
        for config in self.configs:
            entry = find_entry(config.document, declared.name) if config.document and config.role == "program" else None
            if entry is not None and config.document is not None:
                return entry_origin("config", config.document, entry, declared.name, declared.type)
        return None

    def variable(self, name: str) -> Origin | None:
        """What the launch sets an environment variable to, as text."""
        word = self.env.get(name)
        return words_origin("env", (word,), "str", name) if word is not None else None


class Found:
    """An origin, with the data node that it holds when that is a mapping.

    ``maybe`` marks a place that can set the value, though nobody knows whether it does; a ``weak`` one counts only
    when nothing else sets the value.
    """

    __slots__ = ("maybe", "node", "origin", "weak")

    def __init__(self, origin: Origin, node: Node | None = None, *, maybe: bool = False, weak: bool = False) -> None:
        self.origin = origin
        self.node = node
        self.maybe = maybe
        self.weak = weak
