"""Which files can matter, told from their bytes alone, so that most are never parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gto_rules.facts.python.index import PythonIndex

# Every byte that is no word character becomes a space: splitting then gives the words of a file,
# which is several times faster than one regular expression or one search per word.
_SEPARATED = bytes(c if (chr(c).isalnum() and c < 128) or c == 95 else 32 for c in range(256))
_ROUNDS = 4

Groups = Sequence[frozenset[bytes]]


def words_of(raw: bytes) -> list[bytes]:
    """All words (letters, digits, underscores) of a file."""
    return raw.translate(_SEPARATED).split()


class WordTable:
    """Which of some words stand in which Python files of a project.

    Args:
        index: The project's Python.
        words: The words; one with other characters is taken apart.
        paths: Files to read; by default all.
    """

    def __init__(self, index: PythonIndex, words: Iterable[bytes], paths: Iterable[str] | None = None) -> None:
        self._index = index
        self._paths = tuple(index.paths if paths is None else paths)
        self.words: set[bytes] = set()
        self._held: dict[str, frozenset[bytes]] = {}
        self.add(words)

    def add(self, words: Iterable[bytes]) -> None:
        """Look for further words."""
        new = {part for word in words for part in words_of(word)} - self.words
        if not new:
            return
        self.words |= new
        for path in self._paths:
            found = new.intersection(words_of(self._index.raw(path)))
            if found:
                self._held[path] = self._held.get(path, frozenset()) | found

    def can_match(self, path: str, groups: Groups) -> bool:
        """Whether a file has at least one word of every group."""
        held = self._held.get(path, frozenset())
        return all(any(held.issuperset(words_of(word)) for word in group) for group in groups)

    def held(self, path: str) -> frozenset[bytes]:
        """Those of the words that stand in a file."""
        return self._held.get(path, frozenset())

    def paths_with(self, groups: Groups) -> list[str]:
        return [p for p in self._paths if self.can_match(p, groups)]


def subclass_words(index: PythonIndex, table: WordTable, classes: Iterable[bytes]) -> dict[bytes, frozenset[bytes]]:
    """Names of project classes that seem to derive from ``classes`` (last words), directly or not.

    A class header is read with a regular expression: the answer may hold too much, never decides
    a match, and only lets more files be parsed. The table learns the new words.
    """
    heirs: dict[bytes, set[bytes]] = {c: {c} for c in classes}
    todo = {c: {c} for c in heirs}
    for _ in range(_ROUNDS):
        found: dict[bytes, set[bytes]] = {}
        for path in table.paths_with([frozenset(w for words in todo.values() for w in words)]):
            for name, bases in _HEADER.findall(index.raw(path)):
                for cls, words in todo.items():
                    if words.intersection(words_of(bases)) and name not in heirs[cls]:
                        found.setdefault(cls, set()).add(name)
        if not found:
            break
        for cls, names in found.items():
            heirs[cls] |= names
        todo = found
        table.add(n for names in found.values() for n in names)
    return {cls: frozenset(names) for cls, names in heirs.items()}


_HEADER = re.compile(rb"^[ \t]*class[ \t]+(\w+)[ \t]*\(([^)]*)\)", re.M)
