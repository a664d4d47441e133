"""Which tables hold for a project, in which order, and read for which version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gto_rules.facts.model import Facts
from gto_rules.facts.settings.reading import Reading
from gto_rules.facts.settings.table import Parser, Table, from_mapping
from gto_rules.facts.settings.versions import Known, known_version
from gto_rules.rulebook.model import Rulebook


@dataclass(frozen=True)
class Active:
    """The tables in use, strongest first, the argument parsers, and what is known about versions.

    ``kin`` holds for each pack the packs whose tables add to its settings: itself and what it uses.
    """

    tables: tuple[Table, ...]
    parsers: tuple[Parser, ...]
    versions: Mapping[str, Known]
    kin: Mapping[str, frozenset[str]]


def tables_of(rulebook: Rulebook, packs: frozenset[str]) -> tuple[Table, ...]:
    """Every settings table of ``packs``, whether it applies or not."""
    return tuple(from_mapping(r.id, r.pack, r.data, r.path) for r in rulebook.of("settings", packs))


def anchors(tables: Iterable[Table]) -> frozenset[bytes]:
    """Last words of what the tables look for in code (parsers count only beside these)."""
    found: set[str] = set()
    for table in tables:
        found.update(table.classes)
        found.update(name for spec in table.settings.values() for s in spec.sources for name in s.of)
    lasts = {name.rstrip(".*").rpartition(".")[2] for name in found}
    return frozenset(last.rstrip("*").encode() for last in lasts if last and "*" not in last.rstrip("*"))


def active_tables(rulebook: Rulebook, packs: frozenset[str], tables: Iterable[Table], reading: Reading) -> Active:
    """Those of the tables that apply to what is read, in order of strength."""
    tables = tuple(tables)
    order = _pack_order(rulebook, packs, reading)
    used = [t for t in tables if applies(t.applies, reading)]
    used.sort(key=lambda t: (-t.priority, order.index(t.pack), t.id))
    versions = {t.id: _known(t, reading.facts) for t in used}
    kin = {pack: _closure(rulebook, pack) for pack in order}
    parsers = tuple(dict.fromkeys(p for t in tables for p in t.parsers))
    return Active(tuple(used), parsers, versions, kin)


def applies(condition: Mapping[str, Iterable[str]], reading: Reading) -> bool:
    """Whether one of the things that ``condition`` lists is seen; an empty condition holds."""
    if not condition:
        return True
    launch = reading.launch
    if launch is not None:
        program = " ".join(launch.program) or launch.launcher
        if launch.launcher in condition.get("launchers", ()):
            return True
        if launch.entry_module is not None and launch.entry_module in condition.get("modules", ()):
            return True
        if any(program == p or program.startswith(p + " ") for p in condition.get("programs", ())):
            return True
    return any(reading.code.uses(name) for name in condition.get("names", ()))


def _pack_order(rulebook: Rulebook, packs: frozenset[str], reading: Reading) -> list[str]:
    """Packs of the project's own framework first, each before the packs that it uses, then the others."""
    framework = (reading.facts.detection or {}).get("framework")
    if framework is None and reading.launch is not None:
        framework = reading.launch.framework

    def rank(pack: str) -> tuple[bool, int, str]:
        found = rulebook.packs.get(pack)
        own = found is not None and found.framework is not None and found.framework == framework
        return (not own, -len(_closure(rulebook, pack)), pack)

    order: list[str] = []
    for pack in sorted(packs, key=rank):
        order += [p for p in _by_use(rulebook, pack) if p in packs and p not in order]
    return order


def _by_use(rulebook: Rulebook, pack: str) -> list[str]:
    out, todo = [], [pack]
    while todo:
        name = todo.pop(0)
        if name not in out:
            out.append(name)
            found = rulebook.packs.get(name)
            todo += found.uses if found else ()
    return out


def _closure(rulebook: Rulebook, pack: str) -> frozenset[str]:
    return frozenset(_by_use(rulebook, pack))


def _known(table: Table, facts: Facts) -> Known:
    dependency = facts.dependencies.get(table.version_of) if table.version_of else None
    if dependency is None:
        return known_version(None, "", table.verified)
    return known_version(dependency.version, dependency.specifier, table.verified)
