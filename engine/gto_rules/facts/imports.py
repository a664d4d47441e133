"""Which of the names that rules ask for are imported or used, and where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from gto_rules.facts.prefilter import WordTable, words_of
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.python.match import name_matches
from gto_rules.facts.python.mentions import mentions
from gto_rules.facts.python.module import PythonModule
from gto_rules.location import Evidence
from gto_rules.rulebook.model import Rulebook

# Files parsed to prove one name; more proof than this changes no verdict.
_MOST_FILES = 40
_KEYS = ("import", "names", "classes")


def wanted_imports(rulebook: Rulebook) -> tuple[str, ...]:
    """Every dotted name that a rule asks about: signals, conditions, and what settings tables apply to."""
    found: set[str] = set()
    for rule in rulebook.rules:
        if rule.kind != "pattern":
            found.update(_names(rule.data, table=rule.kind == "settings"))
    return tuple(sorted(found))


def _names(data: Any, *, table: bool) -> Iterator[str]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key == "import" or (table and key in _KEYS):
                yield from (v for v in ([value] if isinstance(value, str) else value) if isinstance(v, str))
            else:
                yield from _names(value, table=table)
    elif isinstance(data, list):
        for item in data:
            yield from _names(item, table=table)


def find_imports(
    index: PythonIndex, wanted: Iterable[str], depths: Mapping[str, int]
) -> dict[str, tuple[Evidence, ...]]:
    """Places that import a wanted name (or something below it) or reach it through an imported package.

    Args:
        index: The project's Python.
        wanted: Dotted names; ``*`` stands for any text.
        depths: Files that the launch runs, nearest first: they are looked at before all others.

    Returns:
        Evidence by wanted name, at most a few dozen files each; names that nothing imports are left out.
    """
    names = {n: frozenset(words_of(n.encode())) for n in wanted}
    table = WordTable(index, (w for words in names.values() for w in words))
    order = sorted(index.paths, key=lambda p: (depths.get(p, len(depths) + 1), p.count("/"), p))
    found: dict[str, list[Evidence]] = {}
    files: dict[str, int] = {}
    for path in order:
        open_names = [
            n
            for n, words in names.items()
            if files.get(n, 0) < _MOST_FILES and table.can_match(path, [frozenset({w}) for w in words])
        ]
        if not open_names or not _may_import(index.raw(path), path, open_names):
            continue
        module = index.module(path)
        for name, evidence in _in_module(module, open_names) if module is not None else ():
            if not found.get(name) or found[name][-1].path != path:
                files[name] = files.get(name, 0) + 1
            found.setdefault(name, []).append(evidence)
    return {name: tuple(dict.fromkeys(found[name])) for name in sorted(found)}


def _may_import(raw: bytes, path: str, names: Iterable[str]) -> bool:
    """Whether an import line names the first word of one of the names."""
    if path.endswith(".ipynb"):
        return True
    heads = b"|".join(sorted({re.escape(n.partition(".")[0].encode()) for n in names}))
    return re.search(rb"^[ \t]*(?:from|import)[ \t][^\n]*(?<!\w)(?:" + heads + rb")(?!\w)", raw, re.M) is not None


def _in_module(module: PythonModule, names: Iterable[str]) -> Iterator[tuple[str, Evidence]]:
    named = tuple(names)
    for imported in module.imports:
        for name in named:
            if _imports(imported.name, name):
                yield name, module.evidence(imported.node.parent or imported.node)
    for name, node in mentions(module, (n for n in named if "." in n)):
        yield name, module.evidence(node)


def _imports(imported: str, wanted: str) -> bool:
    if "*" in wanted:
        return fnmatchcase(imported, wanted)
    return imported == wanted or imported.startswith(wanted + ".") or name_matches(imported, wanted)
