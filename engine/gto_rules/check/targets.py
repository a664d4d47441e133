"""Which files a check is about: named files, files below named folders, less what is excluded."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gto_rules.check.config import Config, Configs
from gto_rules.check.model import Skipped
from gto_rules.documents import classify
from gto_rules.errors import UsageError
from gto_rules.project.inventory import printable, take_inventory
from gto_rules.project.project import glob_regex

OTHER_KIND = "is no code, configuration or script that rules look at"


@dataclass(frozen=True, slots=True)
class Target:
    """One file to check.

    Attributes:
        file: Absolute path.
        shown: As people named it: relative to the folder of the check, POSIX.
        config: What holds for it.
        root: Folder that names are looked up in.
        path: Relative to ``root``, POSIX.
    """

    file: str
    shown: str
    config: Config
    root: Path
    path: str


class Targets:
    """Collects targets; a file that is named twice counts once."""

    def __init__(self, base: Path, configs: Configs, kinds: frozenset[str]) -> None:
        self.base = base
        self.skipped: list[Skipped] = []
        self._configs = configs
        self._kinds = kinds
        self._found: dict[str, Target] = {}
        self._folders: dict[str, tuple[Config, Path, str, str]] = {}

    @property
    def found(self) -> list[Target]:
        return [self._found[name] for name in sorted(self._found)]

    def add(self, names: Iterable[str]) -> None:
        """Named files and folders.

        Raises:
            UsageError: a path that is not there.
        """
        for name in names:
            absolute = os.path.normpath(os.path.join(self.base, name))  # noqa: PTH118 - thousands of names
            if os.path.isdir(absolute):  # noqa: PTH112
                self.folder(absolute)
            elif os.path.isfile(absolute):  # noqa: PTH113
                self.file(absolute, named=True)
            elif os.path.lexists(absolute):
                self.skipped.append(Skipped(printable(name), "is not a regular file"))
            else:
                raise UsageError(f"there is no file or folder {printable(name)!r}")

    def folder(self, folder: str) -> None:
        inventory = take_inventory(Path(folder))
        prefix = self._shown(folder)
        for entry in inventory.files:
            self.file(f"{folder}/{entry.path}", size=entry.size)
        for one in inventory.skipped:
            shown = one.path if prefix in ("", ".") else f"{prefix}/{one.path}"
            self.skipped.append(Skipped(shown, one.reason))

    def file(self, absolute: str, *, named: bool = False, size: int | None = None) -> None:
        folder, _, name = absolute.rpartition("/")
        config, root, relative, shown = self._of_folder(folder)
        path = f"{relative}/{name}" if relative else name
        as_shown = f"{shown}/{name}" if shown else name
        if classify(name) not in self._kinds and ("." in name or not named):
            if named:
                self.skipped.append(Skipped(printable(as_shown), OTHER_KIND))
            return
        if printable(name) != name:
            self.skipped.append(Skipped(printable(as_shown), "has a name that is not UTF-8"))
        elif not self._is_excluded(config, absolute):
            size = os.path.getsize(absolute) if size is None else size  # noqa: PTH202
            if size > config.max_bytes:
                self.skipped.append(Skipped(as_shown, f"is larger than {config.max_bytes // 1000:,} kB"))
            else:
                self._found[absolute] = Target(absolute, as_shown, config, root, path)

    def _of_folder(self, folder: str) -> tuple[Config, Path, str, str]:
        held = self._folders.get(folder)
        if held is None:
            config = self._configs.of(Path(folder))
            root = root_of(Path(folder), config)
            relative = os.path.relpath(folder, root)
            held = config, root, "" if relative == "." else relative.replace(os.sep, "/"), self._shown(folder)
            self._folders[folder] = held
        return held

    def _shown(self, folder: str) -> str:
        relative = os.path.relpath(folder, self.base).replace(os.sep, "/")
        return "" if relative == "." else relative

    def _is_excluded(self, config: Config, absolute: str) -> bool:
        if not config.exclude:
            return False
        return excluded(os.path.relpath(absolute, config.folder).replace(os.sep, "/"), config.exclude)


def target_named(base: Path, name: str, configs: Configs) -> Target:
    """A file by name, whether it is there or not."""
    absolute = os.path.normpath(os.path.join(base, name))  # noqa: PTH118
    folder = Path(absolute).parent
    config = configs.of(folder)
    root = root_of(folder, config)
    shown = os.path.relpath(absolute, base).replace(os.sep, "/")
    return Target(absolute, shown, config, root, os.path.relpath(absolute, root).replace(os.sep, "/"))


def root_of(folder: Path, config: Config) -> Path:
    """The folder that names are looked up from: the nearest one above with a repository or the configuration.

    Without either, the folder around the topmost package. It follows from the file alone, so that a file is
    judged the same whichever way it was named.
    """
    for one in (folder, *folder.parents):
        if (one / ".git").exists() or (config.file is not None and one == config.folder):
            return one
    while (folder / "__init__.py").exists() and folder.parent != folder:
        folder = folder.parent
    return folder


def excluded(path: str, globs: Sequence[str]) -> bool:
    """Whether a glob names a file or one of the folders that it lies in."""
    parts = path.split("/")
    for glob in globs:
        clean = glob.rstrip("/")
        regex = glob_regex(clean)
        whole = "/" in clean
        for size in range(1, len(parts) + 1):
            if regex.fullmatch("/".join(parts[:size]) if whole else parts[size - 1]):
                return True
    return False
