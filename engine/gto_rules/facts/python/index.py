"""The project's Python, parsed file by file when asked for and forgotten again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Protocol

from gto_rules.documents import parse as read_document
from gto_rules.documents.model import NotebookDocument, Problem, SourceText
from gto_rules.facts.python.classes import Class
from gto_rules.facts.python.files import PythonText, from_notebook, from_source
from gto_rules.facts.python.layout import Layout
from gto_rules.facts.python.links import Links
from gto_rules.facts.python.module import PythonModule
from gto_rules.project.project import Project

# Bytes of source whose trees are kept; a tree takes about ten times its text.
_KEPT_BYTES = 4_000_000
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # byte-order marks of UTF-16


class Files(Protocol):
    """Where the texts of files come from."""

    def raw(self, path: str) -> bytes: ...
    def source(self, path: str) -> SourceText: ...
    def note(self, path: str, problems: Sequence[Problem]) -> None: ...


class PythonIndex:
    """Modules of a project by path, and names across them.

    Modules are parsed when asked for; the least recently used are forgotten, so a caller may hold
    a module but should not ask for all of them at once.
    """

    def __init__(self, project: Project) -> None:
        self._project: Files = project
        self.paths: tuple[str, ...] = tuple(sorted(project.files_of("python", "setup_py", "notebook")))
        self.files: Container[str] = frozenset(self.paths)
        self.layout: Layout = Layout(self.paths)
        self._kept: OrderedDict[str, PythonModule | None] = OrderedDict()
        self._kept_bytes = 0
        self.links = Links(self)

    def module(self, path: str) -> PythonModule | None:
        """The module of a project file; None if there is none or it cannot be read."""
        if path in self._kept:
            self._kept.move_to_end(path)
            return self._kept[path]
        module = self._open(path)
        self._kept[path] = module
        self._kept_bytes += len(module.text) if module else 0
        while self._kept_bytes > _KEPT_BYTES and len(self._kept) > 1:
            _, old = self._kept.popitem(last=False)
            self._kept_bytes -= len(old.text) if old else 0
        return module

    def modules(self, paths: Iterable[str] | None = None) -> Iterator[PythonModule]:
        """The modules of these paths (default: all), one after the other."""
        for path in self.paths if paths is None else paths:
            module = self.module(path)
            if module is not None:
                yield module

    def raw(self, path: str) -> bytes:
        """The bytes of a file to search for words, before parsing; empty if it cannot be read."""
        raw = self._project.raw(path)
        if raw.startswith(_WIDE):
            return self._project.source(path).text
        return raw.replace(b"\\n", b" ") if path.endswith(".ipynb") else raw

    def _open(self, path: str) -> PythonModule | None:
        text = self.text(path)
        if text is None:
            return None
        module = PythonModule(
            text, self.layout.module_name(path), self.links, lambda written: self.absolute(written, path)
        )
        self._project.note(path, (*text.source.problems, *module.problems))
        return module

    def text(self, path: str) -> PythonText | None:
        """The Python source of a project file; None if it is none, or cannot be read."""
        if path not in self.files:
            return None
        source = self._project.source(path)
        if path.endswith(".ipynb"):
            document = read_document(source, "notebook")
            return from_notebook(document) if isinstance(document, NotebookDocument) else None
        return from_source(source)

    def absolute(self, written: str, path: str) -> str:
        """Canonical name of a module as an import in file ``path`` writes it (``..pkg.mod``)."""
        if written.startswith("."):
            return self.layout.relative(written, path)
        return self.layout.absolute(written, path)

    def class_named(self, dotted: str) -> Class | None:
        """The project class with this canonical name."""
        return self.links.class_named(dotted)

    def bases(self, cls: str) -> tuple[str, ...]:
        """A class and all its bases by canonical name, the project's own followed, nearest first."""
        return self.links.bases(cls)

    def is_subclass_of(self, cls: str, names: Iterable[str]) -> bool:
        """True if a class is, or derives from, one of the canonical ``names`` (``*`` allowed)."""
        return self.links.is_subclass_of(cls, names)
