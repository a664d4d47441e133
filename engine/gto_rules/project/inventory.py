"""Which files a project holds, found once, in a fixed order, without following anybody out of it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from gto_rules.project.model import FileEntry, Inventory, Skipped

# Tools' own folders: never a project's source. A folder is not skipped for a plain name such as
# ``build``, since real projects (and whole checkouts) live under such names.
TOOL_FOLDERS = frozenset(
    (
        ".git",
        ".hg",
        ".svn",
        "__pycache__",
        "node_modules",
        "site-packages",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".hypothesis",
        ".ipynb_checkpoints",
        ".eggs",
    )
)


# What a Python environment holds at its top.
_ENVIRONMENT = frozenset(("pyvenv.cfg", "conda-meta"))


@dataclass(frozen=True, slots=True)
class Limits:
    """How far the walk goes: number of files, and depth of folders below the root."""

    files: int = 500_000
    depth: int = 64


def printable(name: str) -> str:
    """A file name as text that can be written anywhere: bytes that are no UTF-8 as ``\\x..``."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


class _EnoughError(Exception):
    """The limit of files is reached."""


def take_inventory(root: Path, *, limits: Limits | None = None) -> Inventory:
    """Every regular file below ``root`` in path order, and what was passed over and why.

    A link to a file inside the project counts as that file, a link to a folder inside it is noted;
    links that lead out of the project or nowhere are reported.
    """
    walker = _Walker(Path(os.path.realpath(root)), limits or Limits())
    try:
        walker.folder(str(walker.root), "", 0)
    except _EnoughError:
        walker.skip(".", f"holds more than {walker.limits.files:,} files; the rest was not read")
    return Inventory(
        root,
        tuple(sorted(walker.files, key=lambda f: f.path)),
        tuple(sorted(walker.skipped, key=lambda s: s.path)),
        tuple(sorted(walker.links)),
    )


class _Walker:
    def __init__(self, root: Path, limits: Limits) -> None:
        self.root = root
        self.limits = limits
        self.files: list[FileEntry] = []
        self.skipped: list[Skipped] = []
        self.links: list[tuple[str, str]] = []

    def skip(self, path: str, reason: str) -> None:
        self.skipped.append(Skipped(printable(path), reason))

    def folder(self, folder: str, prefix: str, depth: int) -> None:
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda e: e.name)
        except OSError as error:
            return self.skip(prefix.rstrip("/") or ".", f"cannot be read ({error.strerror or error})")
        if prefix and not _ENVIRONMENT.isdisjoint(e.name for e in entries):
            return self.skip(prefix.rstrip("/"), "is a Python environment")
        for entry in entries:
            try:
                self.entry(entry, prefix + entry.name, depth)
            except OSError as error:
                self.skip(prefix + entry.name, f"cannot be read ({error.strerror or error})")
        return None

    def entry(self, entry: os.DirEntry[str], path: str, depth: int) -> None:
        if printable(entry.name) != entry.name:
            self.skip(path, "has a name that is not UTF-8")
        elif entry.is_symlink():
            self.link(entry, path)
        elif entry.is_dir(follow_symlinks=False):
            self.subfolder(entry, path, depth)
        elif entry.is_file(follow_symlinks=False):
            self.file(path, entry.stat(follow_symlinks=False).st_size)
        else:
            self.skip(path, "is not a regular file")

    def file(self, path: str, size: int) -> None:
        if len(self.files) >= self.limits.files:
            raise _EnoughError
        self.files.append(FileEntry(path, size))

    def subfolder(self, entry: os.DirEntry[str], path: str, depth: int) -> None:
        if entry.name in TOOL_FOLDERS:
            return
        if depth >= self.limits.depth:
            self.skip(path, f"lies more than {self.limits.depth} folders deep")
            return
        self.folder(entry.path, path + "/", depth + 1)

    def link(self, entry: os.DirEntry[str], path: str) -> None:
        target = os.path.realpath(entry.path)
        inside = self.inside(target)
        status = os.stat(target) if inside is not None else None  # noqa: PTH116 - a text, hot path
        if inside is None or status is None:
            self.skip(path, "is a link that leads out of the project")
        elif stat.S_ISDIR(status.st_mode):
            self.links.append((path, inside))
        elif stat.S_ISREG(status.st_mode):
            self.file(path, status.st_size)
        else:
            self.skip(path, "is not a regular file")

    def inside(self, target: str) -> str | None:
        """A real path as the project names it; None when it lies elsewhere."""
        root = str(self.root)
        if target == root:
            return "."
        return target[len(root) :].strip("/") if target.startswith(root.rstrip("/") + "/") else None
