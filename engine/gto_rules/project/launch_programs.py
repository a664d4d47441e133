"""Which rule reads a command: by program name, module, file ending or the project's own commands."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from gto_rules.project.launch_entry_points import EntryPoint
from gto_rules.project.launch_flags import Level, Options, after, read_all_options, read_options
from gto_rules.project.launchers import CountSource, LauncherSpec
from gto_rules.project.shell_values import Field

_INNER_ROLES = ("launcher", "interpreter", "program", "starter", "wrapper", "shell")


def joins(word: Field) -> bool:
    """Whether a word that reached the program as text joins two commands: ``;``, ``&&`` or ``&&next``."""
    return word.text in (";", "||") or word.text.startswith("&&")


def _commands(words: tuple[Field, ...]) -> Iterator[tuple[Field, ...]]:
    """The commands that ``words`` hold when another shell reads them."""
    starts = [n for n, word in enumerate(words) if joins(word)]
    for start, end in zip([-1, *starts], [*starts, len(words)], strict=True):
        glued = after(words[start], 2) if start >= 0 and words[start].text.startswith("&&") else None
        command = words[start + 1 : end] if glued is None or not glued.text else (glued, *words[start + 1 : end])
        if command:
            yield command


class Programs:
    """Finds the rule for a command. Rules for any program come after those that name theirs."""

    def __init__(self, specs: Sequence[LauncherSpec], points: dict[str, EntryPoint]) -> None:
        self.specs = sorted(specs, key=lambda spec: "*" in spec.programs)
        self.points = points
        self._patterns = [s for s in self.specs if any(set(p) & set("*?[") for p in s.programs)]
        self._exact: dict[str, list[LauncherSpec]] = {}
        for spec in self.specs:
            for name in spec.programs:
                self._exact.setdefault(name, []).append(spec)

    def _candidates(self, base: str) -> Iterator[tuple[LauncherSpec, str]]:
        exact = self._exact.get(base, [])
        for spec in (*exact, *(s for s in self._patterns if s not in exact)):
            name = spec.named(base, spec.programs)
            if name is not None:
                yield spec, name

    def level(self, words: tuple[Field, ...]) -> Level | None:
        """The rule for the program that ``words`` begin with, and its options."""
        base = posixpath.basename(words[0].text)
        for spec, name in self._candidates(base):
            first = self._after_subcommand(spec, words, 1)
            if first is None or (spec.separated and self.separator(spec, words, 1) is None):
                continue
            return Level(spec, name, words, first, self._options(spec, words, first))
        return self._by_ending(words) or self._by_package(words)

    def _options(self, spec: LauncherSpec, words: tuple[Field, ...], first: int) -> Options:
        if spec.role == "program":
            return read_all_options(words, first, spec.flags)
        return read_options(words, first, spec.flags, not spec.operands)

    def _by_package(self, words: tuple[Field, ...]) -> Level | None:
        """A command that the project's own package installs."""
        point = self.points.get(words[0].text)
        if point is None:
            return None
        spec = LauncherSpec(id="", role="program", nodes=CountSource(default=1))
        return Level(spec, point.name, words, 1, Options((), 1), point.module)

    def _by_ending(self, words: tuple[Field, ...]) -> Level | None:
        """A program given as a path, such as ``./train.sh``: its ending names the reader."""
        path = words[0].text
        spec = next((s for s in self.specs if s.endings and path.endswith(s.endings)), None)
        if spec is None:
            return None
        name = next(iter(spec.programs.values()))
        return Level(spec, path if name == "*" else name, words, 0, Options((), 0))

    def _after_subcommand(self, spec: LauncherSpec, words: tuple[Field, ...], start: int) -> int | None:
        """Index after the words of a subcommand that the rule requires; None when they are not there."""
        if not spec.subcommands:
            return start
        for sequence in spec.subcommands:
            at: int | None = start
            for wanted in sequence:
                at = self._find(words, at, wanted, spec) if at is not None else None
            if at is not None:
                return at
        return None

    def _find(self, words: tuple[Field, ...], at: int, wanted: str, spec: LauncherSpec) -> int | None:
        options = read_options(words, at, spec.flags)
        here = options.rest < len(words) and words[options.rest].text == wanted
        return options.rest + 1 if here else None

    def separator(self, spec: LauncherSpec, words: tuple[Field, ...], start: int) -> int | None:
        """Index after the separator when a known program follows it."""
        for at in range(start, len(words) - 1):
            if words[at].text == spec.separator:
                levels = [self.level(command) for command in _commands(words[at + 1 :])]
                return at + 1 if any(one is not None and one.spec.role in _INNER_ROLES for one in levels) else None
        return None

    def module(self, name: str) -> tuple[LauncherSpec, str] | None:
        """The rule for a module that an interpreter runs, and the name to report."""
        for spec in self.specs:
            found = spec.named(name, spec.modules) if spec.modules else None
            if found is not None:
                return spec, found
        return None
