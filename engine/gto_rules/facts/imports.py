"""Which of the names that rules ask for are imported or used, and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gto_rules.facts.prefilter import WordTable, words_of
from gto_rules.facts.python.import_scan import scan_imports, scan_reached, without_strings
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.python.match import name_matches
from gto_rules.location import Evidence
from gto_rules.rulebook.model import Rulebook

# Files that prove one name; more proof than this changes no verdict.
_MOST_FILES = 40
_LONGEST_TEXT = 200
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

    Files are read as text, not parsed: this looks at every file of a project.

    Args:
        index: The project's Python.
        wanted: Dotted names; ``*`` stands for any word.
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
        held = table.held(path)
        likely = [a for a in asked if held.issuperset(a.words) and files.get(a.name, 0) < _MOST_FILES]
        for name, evidence in _in_file(index, path, likely) if likely else ():
            if not found.get(name) or found[name][-1].path != path:
                files[name] = files.get(name, 0) + 1
            found.setdefault(name, []).append(evidence)
    return {name: tuple(dict.fromkeys(found[name])) for name in sorted(found)}


class _Asked:
    """One wanted name, with the words that a file must hold to import or reach it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.words = frozenset(words_of(name.encode()))
        self.head, _, rest = name.partition(".")
        self.last = name.rpartition(".")[2] if rest and "*" not in rest else ""

    def imported_by(self, name: str) -> bool:
        return name == self.name or name.startswith(self.name + ".") or name_matches(name, self.name)


def _in_file(index: PythonIndex, path: str, asked: Sequence[_Asked]) -> Iterator[tuple[str, Evidence]]:
    text = index.text(path)
    if text is None:
        return
    code = without_strings(text.text)
    imports = tuple(scan_imports(code, lambda written: index.absolute(written, path)))
    heads = {i.name.partition(".")[0] for i in imports}
    for one in asked:
        if one.head not in heads:
            continue
        direct = [i.start for i in imports if one.imported_by(i.name)]
        reached = scan_reached(code, imports, one.last) if one.last and not direct else ()
        for start in direct or [at for name, at in reached if name_matches(name, one.name)]:
            line = text.line(start)
            yield one.name, Evidence(path, line, text.source.line_text(line).strip()[:_LONGEST_TEXT])
