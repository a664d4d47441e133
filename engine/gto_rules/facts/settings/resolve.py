"""Settings with their origin: every source of every table, strongest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from gto_rules.facts.model import Facts, Origin, SettingValue, ValueKind
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.settings import launch_sources as said
from gto_rules.facts.settings import python_sources as code
from gto_rules.facts.settings.active import Active, active_tables, anchors, applies, tables_of
from gto_rules.facts.settings.implied import with_implied
from gto_rules.facts.settings.nested import find_nested, find_setting
from gto_rules.facts.settings.own import own_settings
from gto_rules.facts.settings.reading import Found, Reading
from gto_rules.facts.settings.table import Source, Spec, Table
from gto_rules.project.model import Launch
from gto_rules.project.project import Project
from gto_rules.rulebook.model import Rulebook

_FINDERS = {
    "cli": said.find_cli,
    "launcher": said.find_launcher,
    "override": said.find_override,
    "config": said.find_config,
    "env": said.find_env,
    "launch": said.find_launch,
    "keyword": code.find_keyword,
    "attribute": code.find_attribute,
    "field": code.find_field,
    "argument": code.find_argument,
}


def resolve_settings(
    project: Project,
    rulebook: Rulebook,
    launch: Launch | None,
    index: PythonIndex,
    facts: Facts,
    packs: frozenset[str],
) -> dict[str, SettingValue]:
    """Every setting of the packs' tables, and the program's own arguments, with where each is set.

    Args:
        project: The project's files.
        rulebook: Compiled packs.
        launch: What runs; without it only values that all scripts agree on are known.
        index: The project's Python.
        facts: Imports, dependencies (for versions) and, when known, detection (for the order of packs).
        packs: Names of the packs whose tables are read.

    Returns:
        Values by setting name, sorted. A setting that two unrelated packs define appears under its
        plain name for the stronger pack and as ``<pack>.<name>`` for the other. A setting that is
        written under an old name appears under that name too.
    """
    tables = tables_of(rulebook, packs)
    reading = Reading(project, launch, index, facts, anchors(tables))
    active = active_tables(rulebook, packs, tables, reading)
    resolver = _Resolver(reading, active)
    reading.follow(active.parsers, resolver.lookup)
    settings = with_implied(resolver.all(), resolver.specs())
    own = own_settings(reading, settings)
    return dict(sorted({**own, **settings}.items()))


class _Resolver:
    """Resolves on demand, each name once: settings may lead to other settings."""

    def __init__(self, reading: Reading, active: Active) -> None:
        self._reading = reading
        self._active = active
        self._rows = _rows(active)
        self._done: dict[str, SettingValue] = {}
        self._open: set[str] = set()

    def all(self) -> dict[str, SettingValue]:
        for name in self._rows:
            self.lookup(name)
        return self._done | _old_names(self._done, self._rows)

    def specs(self) -> dict[str, Spec]:
        return {name: rows[0][1] for name, rows in self._rows.items()}

    def lookup(self, name: str) -> SettingValue | None:
        """The value of a setting, or None for a name that no table has or that leads to itself."""
        if name not in self._done:
            rows = self._rows.get(name)
            if rows is None or name in self._open:
                return None
            self._open.add(name)
            self._done[name] = self._decide(name, rows)
            self._open.discard(name)
        return self._done[name]

    def _decide(self, name: str, rows: list[tuple[Table, Spec]]) -> SettingValue:
        pack = rows[0][0].pack
        origins: list[Origin] = []
        maybe: Found | None = None
        for found in self._found(rows):
            if found.maybe:
                if maybe is None and (found.weak or not origins):
                    maybe = found
            elif found.origin not in origins and (found.origin.line is not None or not origins):
                origins.append(found.origin)
        if maybe is not None and (not origins or not maybe.weak):
            unsure = replace(maybe.origin, value=None, computed=True, reason=maybe.origin.reason or "may be set here")
            return SettingValue(name, None, "computed", unsure, tuple(origins), pack)
        if not origins:
            return self._default(name, rows)
        first = origins[0]
        kind: ValueKind = "computed" if first.computed else "default" if first.kind == "default" else "literal"
        return SettingValue(name, first.value, kind, first, tuple(origins[1:]), pack)

    def _default(self, name: str, rows: list[tuple[Table, Spec]]) -> SettingValue:
        """The default of the first table whose version has the setting."""
        chosen, note = None, None
        for table, spec in rows:
            chosen, note = spec.default_for(self._active.versions[table.id])
            if chosen is not None:
                break
        value = chosen.value if chosen else None
        kind: ValueKind = "default" if value is not None else "unset"
        origin = Origin("default", None, None, value=value, text=str(value), reason=note, key=name) if note else None
        return SettingValue(name, value, kind, origin, (), rows[0][0].pack)

    def _found(self, rows: list[tuple[Table, Spec]]) -> Iterator[Found]:
        for _, spec in rows:
            for source in spec.sources:
                if applies(source.options.get("for", {}), self._reading):
                    yield from self._find(source, spec)

    def _find(self, source: Source, spec: Spec) -> Iterator[Found]:
        if source.kind == "nested":
            yield from find_nested(source, spec, self._reading, self.lookup)
        elif source.kind == "setting":
            yield from find_setting(source, spec, self.lookup)
        else:
            finder = _FINDERS[source.kind]
            for spelling in spec.spellings() if "{" in source.name else (spec.name,):
                for found in finder(source, spec, spelling, self._reading):
                    yield _mapped(source, found)


def _mapped(source: Source, found: Found) -> Found:
    """A value found at a source as the setting's own value (``map`` option)."""
    table, value = source.options.get("map"), found.origin.value
    if not table or found.origin.computed or not isinstance(value, str | int | bool):
        return found
    return Found(replace(found.origin, value=table.get(value, value)), found.node, maybe=found.maybe, weak=found.weak)


def _rows(active: Active) -> dict[str, list[tuple[Table, Spec]]]:
    """For each name the tables that define it: one pack's with those it uses; strangers get a name of their own."""
    rows: dict[str, list[tuple[Table, Spec]]] = {}
    for table in active.tables:
        for name, spec in table.settings.items():
            held = rows.get(name)
            other = held[0][0].pack if held else table.pack
            if table.pack in active.kin[other] or other in active.kin[table.pack]:
                rows.setdefault(name, []).append((table, spec))
            else:
                rows.setdefault(f"{table.pack}.{name}", []).append((table, spec))
    return rows


def _old_names(
    done: Mapping[str, SettingValue], rows: Mapping[str, Iterable[tuple[Table, Spec]]]
) -> dict[str, SettingValue]:
    """Values once more under the old name or alias that they are written with."""
    out: dict[str, SettingValue] = {}
    for name, value in done.items():
        if value.origin is None:
            continue
        written = value.origin.key.lstrip("-").replace("-", "_")
        for _, spec in rows[name]:
            if written in (*spec.was, *spec.aliases) and written not in done:
                out[written] = replace(value, name=written)
    return out
