"""Python files looked up on disk when a name leads to them, for checks that list no project.

A check of one file must cost no walk through its project, and must find the same whether the file was
named itself or came with its folder. So nothing here depends on which other files are checked.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gto_rules.documents import read_source, source_from_bytes
from gto_rules.documents.model import Problem, SourceText
from gto_rules.facts.prefilter import words_of
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.python.layout import Layout
from gto_rules.facts.python.links import Links
from gto_rules.facts.python.located import Located
from gto_rules.facts.python.module import PythonModule


class DiskFiles:
    """The files below a folder, asked for one by one. Answers are kept for the life of the object.

    Attributes:
        root: The folder.
        touched: Paths that were read or asked for since the set was last cleared, whether they are there or not.
        problems: What could not be read of the files opened since this was last cleared.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.touched: set[str] = set()
        self.problems: dict[str, tuple[Problem, ...]] = {}
        self._text = str(root)
        self._names: dict[str, frozenset[str]] = {}
        self._raw: dict[str, bytes] = {}
        self._holding: dict[str, bool] = {}

    def names(self, folder: str) -> frozenset[str]:
        """Names in a folder; empty if there is none."""
        held = self._names.get(folder)
        if held is None:
            try:
                held = frozenset(os.listdir(os.path.join(self._text, folder)))  # noqa: PTH118, PTH208 - the hot path
            except OSError:
                held = frozenset()
            self._names[folder] = held
        return held

    def has(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return path in self._raw or name in self.names(folder)

    def give(self, path: str, raw: bytes) -> None:
        """The content of the file that is looked at, which need not be what is on disk, nor on disk at all."""
        self._raw = {path: raw}

    def raw(self, path: str) -> bytes:
        if path in self._raw:
            return self._raw[path]
        self.touched.add(path)
        try:
            return (self.root / path).read_bytes()
        except OSError:
            return b""

    def holds(self, path: str, words: frozenset[bytes]) -> bool:
        """Whether a file holds one of ``words``, which must be the same in every call."""
        self.touched.add(path)
        held = self._holding.get(path)
        if held is None:
            held = self._holding[path] = not words.isdisjoint(words_of(self.raw(path)))
        return held

    def source(self, path: str) -> SourceText:
        if path in self._raw:
            return source_from_bytes(self._raw[path], path)
        self.touched.add(path)
        return read_source(self.root / path, path)

    def note(self, path: str, problems: Sequence[Problem]) -> None:
        if problems:
            self.problems[path] = tuple(problems)


class _Existing(Container[str]):
    """The files that are there, as a set would hold them."""

    def __init__(self, files: DiskFiles, endings: tuple[str, ...]) -> None:
        self._files = files
        self._endings = endings

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str) or not path.endswith(self._endings):
            return False
        self._files.touched.add(path)
        return self._files.has(path)


class _Packages(Container[str]):
    def __init__(self, files: DiskFiles) -> None:
        self._files = files

    def __contains__(self, folder: object) -> bool:
        return isinstance(folder, str) and "__init__.py" in self._files.names(folder)


class _Folders(Container[str]):
    def __init__(self, files: DiskFiles) -> None:
        self._files = files

    def __contains__(self, folder: object) -> bool:
        return isinstance(folder, str) and bool(self._files.names(folder))


class DiskLayout(Layout):
    """A layout that asks the disk; a module's name is known once something led to its file."""

    def __init__(self, files: DiskFiles) -> None:
        super().__init__(())
        self._files = _Existing(files, (".py",))
        self._packages = _Packages(files)
        self._folders = _Folders(files)

    def module_name(self, path: str) -> str:
        name = super().module_name(path)
        if path.endswith(".py"):
            self._by_name.setdefault(name, path)
        return name


class DiskIndex(PythonIndex):
    """The Python of a folder without a list of it, for one file.

    Args:
        files: The folder.
        path: The file that is looked at.
        words: Names lead into another file only if it holds one of these words; constants do always.
    """

    def __init__(self, files: DiskFiles, path: str, words: frozenset[bytes]) -> None:
        self._disk = files
        self._path = path
        self._words = words
        self._any_file = False
        self.paths = ()
        self.files = _Existing(files, (".py", ".ipynb"))
        self.layout = DiskLayout(files)
        self._kept = OrderedDict()
        self._kept_bytes = 0
        self.links = _DiskLinks(self)
        self._project = files

    def module(self, path: str) -> PythonModule | None:
        if path != self._path and not self._any_file and not self._disk.holds(path, self._words):
            return None
        return super().module(path)

    @contextmanager
    def whatever_it_holds(self) -> Iterator[None]:
        """Follow names into any file meanwhile."""
        before, self._any_file = self._any_file, True
        try:
            yield
        finally:
            self._any_file = before


class _DiskLinks(Links):
    """Constants are followed into any file: a file of settings need not hold the name of what it sets."""

    def __init__(self, index: DiskIndex) -> None:
        super().__init__(index)
        self._index = index

    def constant(self, dotted: str) -> Located | None:
        with self._index.whatever_it_holds():
            return super().constant(dotted)
