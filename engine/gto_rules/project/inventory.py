"""Which files a project holds, found once, in a fixed order, without following anybody out of it."""

from __future__ import annotations

import os
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


@dataclass(frozen=True, slots=True)
class Limits:
    """How far the walk goes: number of files, and depth of folders below the root."""

    files: int = 500_000
    depth: int = 64


def take_inventory(root: Path, *, limits: Limits | None = None) -> Inventory:
    """Every regular file below ``root`` in path order, and what was passed over and why.

    A link to a file inside the project counts as that file; links that lead out of the project,
    to a folder above, or nowhere are reported.
    """
    walker = _Walker(root.resolve(), limits or Limits())
    walker.folder(walker.root, "", 0)
    return Inventory(root, tuple(sorted(walker.files, key=lambda f: f.path)), tuple(walker.skipped))


class _Walker:
    def __init__(self, root: Path, limits: Limits) -> None:
        self.root = root
        self.limits = limits
        self.files: list[FileEntry] = []
        self.skipped: list[Skipped] = []
        self.seen: set[tuple[int, int]] = set()

    def skip(self, path: str, reason: str) -> None:
        self.skipped.append(Skipped(path, reason))

    def folder(self, folder: Path | str, prefix: str, depth: int) -> None:
        try:
            status = Path(folder).stat()
            if (status.st_dev, status.st_ino) in self.seen:
                return self.skip(prefix.rstrip("/"), "is a link to a folder that was already read")
            self.seen.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda e: e.name)
        except OSError as error:
            return self.skip(prefix.rstrip("/") or ".", f"cannot be read ({error.strerror or error})")
        if any(e.name == "pyvenv.cfg" for e in entries):
            return self.skip(prefix.rstrip("/") or ".", "is a Python environment")
        for entry in entries:
            self.entry(entry, prefix + entry.name, depth)
        return None

    def entry(self, entry: os.DirEntry[str], path: str, depth: int) -> None:
        if len(self.files) >= self.limits.files:
            if not self.skipped or self.skipped[-1].path != ".":
                self.skip(".", f"holds more than {self.limits.files:,} files; the rest was not read")
            return
        try:
            if entry.is_symlink() and not self.inside(entry.path):
                self.skip(path, "is a link that leads out of the project or nowhere")
            elif entry.is_dir():
                self.subfolder(entry, path, depth)
            elif entry.is_file():
                self.files.append(FileEntry(path, entry.stat().st_size))
            else:
                self.skip(path, "is not a regular file")
        except OSError as error:
            self.skip(path, f"cannot be read ({error.strerror or error})")

    def subfolder(self, entry: os.DirEntry[str], path: str, depth: int) -> None:
        if entry.name in TOOL_FOLDERS:
            return
        if depth >= self.limits.depth:
            self.skip(path, f"lies more than {self.limits.depth} folders deep")
            return
        self.folder(entry.path, path + "/", depth + 1)

    def inside(self, path: str) -> bool:
        target = os.path.realpath(path)
        return Path(target).exists() and os.path.commonpath((target, self.root)) == str(self.root)
