"""One project on disk: its files, read at most once."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath

from gto_rules.documents import classify, parse, read_source
from gto_rules.documents.model import Document, Problem, SourceText
from gto_rules.errors import ProjectError
from gto_rules.project.inventory import take_inventory
from gto_rules.project.model import Inventory

# Documents kept in memory: enough for every rule to look at the same files in turn, few enough
# that a tree of thousands of files does not pile up.
_KEPT_DOCUMENTS = 256


class Project:
    """A project folder that is only read.

    Attributes:
        root: The folder.
        inventory: Its files, in path order.
    """

    def __init__(self, root: Path, inventory: Inventory) -> None:
        self.root = root
        self.inventory = inventory
        self._sizes = {entry.path: entry.size for entry in inventory.files}
        self._problems: dict[str, tuple[Problem, ...]] = {}
        self.read = lru_cache(maxsize=_KEPT_DOCUMENTS)(self._read)

    @classmethod
    def open(cls, root: Path) -> Project:
        """The project at ``root``.

        Raises:
            ProjectError: there is no such folder, or it is a file.
        """
        try:
            if not root.exists():
                raise ProjectError(f"there is no folder {root}")
            if not root.is_dir():
                raise ProjectError(f"{root} is a file; the folder of a training project was expected")
            if not os.access(root, os.R_OK | os.X_OK):
                raise ProjectError(f"the folder {root} cannot be read: permission denied")
        except (OSError, ValueError) as error:  # a parent that may not be entered, a name that no file can have
            raise ProjectError(f"{str(root)!r} cannot be read: {error}") from error
        return cls(root, take_inventory(root))

    @property
    def name(self) -> str:
        return self.root.resolve().name

    @property
    def paths(self) -> tuple[str, ...]:
        """Relative POSIX paths of all files, in order."""
        return tuple(self._sizes)

    def exists(self, path: str) -> bool:
        """Whether a file of the inventory has this relative path, also through a link to a folder."""
        return self.real(path) in self._sizes

    def real(self, path: str) -> str:
        """The path under which the inventory has a file: normalised, links to folders followed."""
        clean = normalise(path)
        for _ in self.inventory.links:
            link, target = next((one for one in self.inventory.links if clean.startswith(one[0] + "/")), (None, ""))
            if link is None:
                break
            clean = normalise(f"{target}/{clean[len(link) + 1 :]}")
        return clean

    def is_dir(self, path: str) -> bool:
        """Whether ``path`` is a folder inside the project."""
        clean = normalise(path)
        return not clean.startswith("../") and clean != ".." and (self.root / clean).is_dir()

    def size(self, path: str) -> int:
        return self._sizes.get(self.real(path), 0)

    def raw(self, path: str) -> bytes:
        """Raw content, empty if it cannot be read."""
        try:
            return (self.root / path).read_bytes()
        except OSError:
            return b""

    def source(self, path: str) -> SourceText:
        """Decoded content; what is wrong with it is in its problems."""
        return read_source(self.root / path, normalise(path))

    def _read(self, path: str, kind: str | None = None) -> Document:
        """The parsed document of a file (kept for a while). ``kind`` overrides the reader."""
        document = parse(self.source(path), kind)
        self.note(path, document.problems)
        return document

    def note(self, path: str, problems: Sequence[Problem]) -> None:
        """Keep what could not be read of a file; nothing when all of it could."""
        if problems:
            self._problems[normalise(path)] = tuple(problems)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What could not be read so far, by path: files left out, and the parts of files that no grammar takes."""
        left_out = tuple(Problem(one.path, one.reason) for one in self.inventory.skipped)
        return (*left_out, *(one for path in sorted(self._problems) for one in self._problems[path]))

    def glob(self, pattern: str) -> tuple[str, ...]:
        """Paths that match ``pattern``: ``*`` within a folder, ``**`` across folders, case-sensitive.

        A pattern without a slash matches the file name in any folder.
        """
        regex = glob_regex(pattern)
        if "/" in pattern:
            return tuple(p for p in self._sizes if regex.fullmatch(p))
        return tuple(p for p in self._sizes if regex.fullmatch(p.rpartition("/")[2]))

    @cached_property
    def _by_kind(self) -> dict[str, tuple[str, ...]]:
        kinds: dict[str, list[str]] = {}
        for path in self._sizes:
            kind = classify(path)
            if kind is None and "." not in PurePosixPath(path).name and 0 < self._sizes[path] < 1_000_000:
                kind = classify(path, self._head(path))
            if kind is not None:
                kinds.setdefault(kind, []).append(path)
        return {kind: tuple(paths) for kind, paths in kinds.items()}

    def files_of(self, *kinds: str) -> tuple[str, ...]:
        """Paths of all files of these kinds, in order within each kind."""
        return tuple(path for kind in kinds for path in self._by_kind.get(kind, ()))

    def _head(self, path: str) -> bytes:
        try:
            with (self.root / path).open("rb") as stream:
                return stream.read(128)
        except OSError:
            return b""

    def git_remotes(self) -> tuple[tuple[str, str, int], ...]:
        """(remote, URL, line) of ``.git/config``, read as text; nothing is run."""
        try:
            config = self._git_config()
            text = config.read_text("utf-8", "replace") if config is not None else ""
        except (OSError, ValueError):
            return ()
        found, remote = [], ""
        for number, line in enumerate(text.splitlines(), 1):
            section = re.match(r'\s*\[\s*remote\s+"([^"]+)"\s*\]', line, re.I)
            url = re.match(r'\s*url\s*=\s*"?([^\s"]+)', line, re.I)
            if line.lstrip().startswith("["):
                remote = section[1] if section else ""
            elif url and remote:
                found.append((remote, url[1], number))
        return tuple(found)

    def _git_config(self) -> Path | None:
        git = self.root / ".git"
        if git.is_file():  # a work tree or submodule: ``gitdir: <folder>``
            target = re.match(r"gitdir:\s*(.+)", git.read_text("utf-8", "replace"))
            git = (self.root / target[1].strip()).resolve() if target else git
        common = git / "commondir"  # a work tree keeps its configuration in the main folder
        if common.is_file():
            git = (git / common.read_text("utf-8", "replace").strip()).resolve()
        return git / "config" if (git / "config").is_file() else None


def normalise(path: str) -> str:
    """A relative path without ``./``, doubled slashes or inner ``..``; ``.`` for the root."""
    parts: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts) or "."


@lru_cache(maxsize=512)
def glob_regex(pattern: str) -> re.Pattern[str]:
    """A glob as a regular expression; ``[...]`` sets and ``?`` work as in a shell."""
    out, at = "", 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            out, at = out + "(?:[^/]+/)*", at + 3
        elif pattern.startswith("**", at):
            out, at = out + ".*", at + 2
        elif pattern[at] == "*":
            out, at = out + "[^/]*", at + 1
        elif pattern[at] == "?":
            out, at = out + "[^/]", at + 1
        elif pattern[at] == "[" and "]" in pattern[at + 1 :]:
            end = pattern.index("]", at + 1)
            inner = pattern[at + 1 : end].replace("\\", "\\\\")
            out, at = out + f"[{'^' + inner[1:] if inner.startswith('!') else inner}]", end + 1
        else:
            out, at = out + re.escape(pattern[at]), at + 1
    return re.compile(out)
