"""Surfaces: every name that a call, a configuration file or a command accepts, and where such places are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from gto_rules.facts.settings.table import Spec, from_mapping
from gto_rules.rulebook.model import Rule


@dataclass(frozen=True)
class FilePlace:
    """Which configuration files are meant, told from their top keys."""

    formats: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    least: int = 1
    none: tuple[str, ...] = ()
    under: str = ""

    def fits(self, kind: str, keys: frozenset[str]) -> bool:
        if self.formats and kind not in self.formats:
            return False
        if not keys.issuperset(self.all) or not keys.isdisjoint(self.none):
            return False
        return not self.any or len(keys.intersection(self.any)) >= self.least


@dataclass(frozen=True)
class CommandPlace:
    """Which commands are meant."""

    programs: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    launchers: tuple[str, ...] = ()
    environment: bool = False


@dataclass(frozen=True, slots=True)
class Versions:
    """Whose version decides which names a table has, and the versions that it was read off."""

    version_of: str | None
    verified: tuple[str, ...] = ()


@dataclass(frozen=True)
class Surface:
    """A ``kind: surface`` file with the names of the surfaces and settings tables that it includes.

    Attributes:
        id: Rule id.
        calls: Canonical names of callables that take the names as keywords.
        files: Configuration files that hold them.
        commands: Programs that take them as flags.
        positional: Names of the calls' arguments by place.
        open: Globs of names that are accepted unlisted.
        specs: Every setting by name.
        spelt: The same by old names and aliases too.
        others: By name of the setting: what further included tables say about it.
        versions: By name of the setting: what decides whether a version has it.
        strict: Every other name is unknown.
        packages: Packages of the framework itself.
    """

    id: str
    calls: tuple[str, ...] = ()
    files: tuple[FilePlace, ...] = ()
    commands: tuple[CommandPlace, ...] = ()
    open: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()
    specs: Mapping[str, Spec] = field(default_factory=dict)
    spelt: Mapping[str, Spec] = field(default_factory=dict)
    others: Mapping[str, tuple[Spec, ...]] = field(default_factory=dict)
    versions: Mapping[str, Versions] = field(default_factory=dict)
    strict: bool = False
    packages: tuple[str, ...] = ()

    def accepts_unlisted(self, name: str) -> bool:
        return any(fnmatchcase(name, glob) for glob in self.open)


def read_surfaces(rules: Iterable[Rule], wanted: Iterable[str]) -> dict[str, Surface]:
    """The surfaces with these ids, what they include merged in.

    Args:
        rules: Rules of the kinds ``surface`` and ``settings``.
        wanted: Ids of surfaces.
    """
    data = {rule.id: rule for rule in rules}
    return {name: _surface(data[name], data) for name in wanted if name in data}


def _surface(rule: Rule, rules: Mapping[str, Rule]) -> Surface:
    specs: dict[str, Spec] = {}
    others: dict[str, tuple[Spec, ...]] = {}
    versions: dict[str, Versions] = {}
    unlisted: list[str] = []
    for one in _with_included(rule, rules):
        table = from_mapping(one.id, one.pack, one.data)
        own = Versions(table.version_of, table.verified)
        for name, spec in table.settings.items():
            if name not in specs:
                specs[name], versions[name] = spec, own
            else:
                others[name] = (*others.get(name, ()), spec)
        unlisted += one.data.get("open", ())
    spelt = {spelling: spec for spec in reversed(specs.values()) for spelling in (*spec.was, *spec.aliases)} | specs
    calls: list[str] = []
    files: list[FilePlace] = []
    commands: list[CommandPlace] = []
    positional: tuple[str, ...] = ()
    for place in rule.data["places"]:
        calls += place.get("call", ())
        positional = positional or tuple(place.get("positional", ()))
        if "file" in place:
            files.append(_file_place(place["file"]))
        if "command" in place:
            commands.append(_command_place(place["command"]))
    return Surface(
        rule.id,
        tuple(calls),
        tuple(files),
        tuple(commands),
        tuple(unlisted),
        positional,
        specs,
        spelt,
        others,
        versions,
        bool(rule.data.get("strict", False)),
        tuple(rule.data.get("packages", ())),
    )


def _file_place(data: Mapping[str, Any]) -> FilePlace:
    lists = {key: tuple(data.get(key, ())) for key in ("formats", "all", "any", "none")}
    return FilePlace(**lists, least=data.get("least", 1), under=data.get("under", ""))


def _command_place(data: Mapping[str, Any]) -> CommandPlace:
    lists = {key: tuple(data.get(key, ())) for key in ("programs", "modules", "launchers")}
    return CommandPlace(**lists, environment=data.get("environment", False))


def _with_included(rule: Rule, rules: Mapping[str, Rule]) -> list[Rule]:
    found, todo = [], [rule]
    while todo:
        one = todo.pop(0)
        if one not in found:
            found.append(one)
            todo += [rules[name] for name in one.data.get("includes", ()) if name in rules]
    return found
