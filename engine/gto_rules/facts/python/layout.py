"""How the Python files of a project are named and found by imports."""

from __future__ import annotations

from collections.abc import Container, Iterable
from posixpath import dirname, splitext


class Layout:
    """Dotted names of a project's Python files.

    A file inside a package (a folder with ``__init__.py``) is named from its topmost package
    folder, as an import would; any other file from the project root, without a leading ``src``.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        """``paths`` are relative POSIX paths of Python files."""
        files = frozenset(p for p in paths if p.endswith(".py"))
        self._files: Container[str] = files
        self._packages: Container[str] = frozenset(dirname(p) for p in files if p.rpartition("/")[2] == "__init__.py")
        self._folders: Container[str] = frozenset(f for p in files for f in _ancestors(dirname(p)))
        self._names: dict[str, str] = {}
        self._by_name: dict[str, str] = {}
        for path in sorted(files):
            self._by_name.setdefault(self.module_name(path), path)

    def module_name(self, path: str) -> str:
        """Canonical dotted name of a file (notebooks and other files count as scripts)."""
        if path not in self._names:
            self._names[path] = self._module_name(path)
        return self._names[path]

    def _module_name(self, path: str) -> str:
        folder, stem = dirname(path), splitext(path.rpartition("/")[2])[0]
        base = self.package_base(folder)
        parts = [p for p in (folder[len(base) :] if base else folder).split("/") if p]
        if not base and parts[:1] == ["src"] and len(parts) > 1:
            parts = parts[1:]
        if stem != "__init__":
            parts.append(stem)
        return ".".join(parts)

    def package_base(self, folder: str) -> str:
        """The folder that holds the topmost package around ``folder``; '' for the project root."""
        top = None
        for outer in _ancestors(folder):
            if outer in self._packages and outer:
                top = outer
        return dirname(top) if top is not None else ""

    def in_package(self, path: str) -> bool:
        return dirname(path) in self._packages

    def relative(self, written: str, path: str) -> str:
        """Canonical form of a relative import (``..pkg.mod``) in ``path``; absolute ones come back as they are."""
        dots = len(written) - len(written.lstrip("."))
        if not dots:
            return written
        folder = dirname(path)
        for _ in range(dots - 1):
            folder = dirname(folder)
        package = self.module_name(f"{folder}/__init__.py" if folder else "__init__.py")
        rest = written[dots:]
        return ".".join(p for p in (package, rest) if p)

    def absolute(self, dotted: str, path: str) -> str:
        """Canonical name of an absolute import in ``path``: the project's own name if it finds one of its files."""
        found = self._search(dotted, path)
        if found is None:
            return dotted
        file, rest = found
        return ".".join(p for p in (self.module_name(file), rest) if p)

    def locate(self, dotted: str) -> tuple[str, str] | None:
        """The project file that a canonical name starts with, and the rest of the name."""
        head, rest = dotted, ""
        while head:
            path = self._by_name.get(head)
            if path is not None:
                return path, rest
            head, _, last = head.rpartition(".")
            rest = f"{last}.{rest}" if rest else last
        return None

    def _search(self, dotted: str, path: str) -> tuple[str, str] | None:
        parts = dotted.split(".")
        for base in self._bases(path):
            if (f"{base}/{parts[0]}" if base else parts[0]) in self._folders or self._file(base, parts[:1]):
                for size in range(len(parts), 0, -1):
                    found = self._file(base, parts[:size])
                    if found is not None:
                        return found, ".".join(parts[size:])
        return None

    def _bases(self, path: str) -> Iterable[str]:
        """Folders that an absolute import of this file may start from, nearest first.

        Folders inside a package are not among them: ``import data`` in a package means the
        installed library even if a module of that name lies beside it.
        """
        for folder in _ancestors(dirname(path)):
            if folder not in self._packages or not folder:
                yield folder
                source = f"{folder}/src" if folder else "src"
                if source in self._folders and source not in self._packages:
                    yield source

    def _file(self, base: str, parts: list[str]) -> str | None:
        stem = "/".join((base, *parts)) if base else "/".join(parts)
        for candidate in (f"{stem}/__init__.py", f"{stem}.py"):
            if candidate in self._files:
                return candidate
        return None


def _ancestors(folder: str) -> Iterable[str]:
    """``a/b`` → ``a/b``, ``a``, ``''``."""
    while folder:
        yield folder
        folder = dirname(folder)
    yield ""
