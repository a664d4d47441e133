"""Which of the names that rules ask for are imported or used, and where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from gto_rules.facts.prefilter import WordTable, without_strings, words_of
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.python.match import name_matches
from gto_rules.facts.python.mentions import reached
from gto_rules.facts.python.module import PythonModule
from gto_rules.location import Evidence
from gto_rules.rulebook.model import Rulebook

# Files parsed to prove one name; more proof than this changes no verdict.
_MOST_FILES = 12
_KEYS = ("names",)


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
    asked = [_Asked(n) for n in wanted]
    table = WordTable(index, (w for a in asked for w in a.words))
    order = sorted(index.paths, key=lambda p: (depths.get(p, len(depths) + 1), p.count("/"), p))
    found: dict[str, list[Evidence]] = {}
    files: dict[str, int] = {}
    for path in order:
        likely = [a for a in asked if files.get(a.name, 0) < _MOST_FILES and table.has_all(path, a.words)]
        names = _plausible(likely, index.raw(path), path) if likely else []
        module = index.module(path) if names else None
        for name, evidence in _in_module(module, names) if module is not None else ():
            if not found.get(name) or found[name][-1].path != path:
                files[name] = files.get(name, 0) + 1
            found.setdefault(name, []).append(evidence)
    return {name: tuple(dict.fromkeys(found[name])) for name in sorted(found)}


class _Asked:
    """One wanted name, and what the bytes of a file must hold to import or use it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.words = frozenset(words_of(name.encode()))
        head, *rest = [re.escape(w).replace("\\*", r"\w*").encode() for w in name.split(".")]
        last = rest[-1] if rest else head
        self.head = re.compile(rb"(?<!\w)" + head + rb"(?!\w)")
        self.imported = re.compile(rb"(?<![\w])" + last + rb"(?!\w)")
        self.reached = b"." + name.rpartition(".")[2].partition("*")[0].encode()


def _plausible(asked: Sequence[_Asked], raw: bytes, path: str) -> list[str]:
    """Names whose first word an import line holds and whose last word is imported, or reached by a dot."""
    if path.endswith(".ipynb"):
        return [a.name for a in asked]
    likely = _in_code(asked, raw)
    # Most files that only seem to use a name show it in a docstring; blanking those is cheaper than parsing.
    return [a.name for a in _in_code(likely, without_strings(raw))] if likely else []


def _in_code(asked: Sequence[_Asked], raw: bytes) -> list[_Asked]:
    lines = b"\n".join(_IMPORT.findall(raw))
    heads = [a for a in asked if a.head.search(lines)]
    return [a for a in heads if a.imported.search(lines) or a.reached in raw]


_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t](?:[^\n(]*\([^)]*\)|[^\n]*)", re.M)


def _in_module(module: PythonModule, names: Iterable[str]) -> Iterator[tuple[str, Evidence]]:
    named = tuple(names)
    missing = {n for n in named if "." in n}
    for imported in module.imports:
        for name in named:
            if _imports(imported.name, name):
                missing.discard(name)
                yield name, module.evidence(imported.node.parent or imported.node)
    roots = {i.bound.partition(".")[0] for i in module.imports}
    for name, node in reached(module, sorted(n for n in missing if n.partition(".")[0] in roots)):
        yield name, module.evidence(node)


def _imports(imported: str, wanted: str) -> bool:
    if "*" in wanted:
        return fnmatchcase(imported, wanted)
    return imported == wanted or imported.startswith(wanted + ".") or name_matches(imported, wanted)
