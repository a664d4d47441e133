"""Proof that a folder did not change: content, mode and links of everything in it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gto_rules.project.inventory import printable

CHUNK = 1 << 20
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Record:
    """One entry: ``kind`` file, folder, link or other; ``content`` a digest, or a link's target."""

    kind: str
    mode: int
    size: int
    content: str


@dataclass(frozen=True, slots=True)
class Difference:
    """How one path differs: ``added``, ``removed``, ``content``, ``mode`` or ``kind``."""

    path: str
    what: str


Manifest = Mapping[str, Record]


def take_manifest(root: Path, *, without: Collection[Path] = ()) -> dict[str, Record]:
    """The record of ``root`` (as ``.``) and everything below it, links not followed.

    What cannot be read is recorded as such. Times are left out: reading a file may change them.

    Args:
        without: Folders that are left out, such as a work directory inside the project.
    """
    left_out = {os.path.realpath(path) for path in without}
    entries = list(_walk(os.path.realpath(root), left_out))
    with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        return dict(pool.map(lambda entry: (entry[0], _record(entry[1], entry[2])), entries))


def _walk(root: str, left_out: Collection[str]) -> Iterator[tuple[str, Path, os.stat_result | None]]:
    """(path, place, status) of the root and everything below, parents first; status None if unreadable."""
    todo: list[tuple[str, str]] = [("", root)]
    yield ".", Path(root), _status(Path(root))
    while todo:
        prefix, folder = todo.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted((e for e in listing if e.path not in left_out), key=lambda e: e.name)
        except OSError:
            # A path that no entry can have.
            yield f"{prefix}/", Path(folder), None
            continue
        for entry in entries:
            status = _status(Path(entry.path))
            yield prefix + entry.name, Path(entry.path), status
            if status is not None and stat.S_ISDIR(status.st_mode):
                todo.append((f"{prefix}{entry.name}/", entry.path))


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None


def _record(path: Path, status: os.stat_result | None) -> Record:
    if status is None:
        return Record("other", 0, 0, UNREADABLE)
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        try:
            return Record("link", 0, 0, str(path.readlink()))
        except OSError:
            return Record("link", 0, 0, UNREADABLE)
    if stat.S_ISDIR(status.st_mode):
        return Record("folder", mode, 0, "")
    if stat.S_ISREG(status.st_mode):
        return Record("file", mode, status.st_size, _digest(path))
    return Record("other", mode, 0, "")


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb", buffering=0) as stream:
            while chunk := stream.read(CHUNK):
                digest.update(chunk)
    except OSError:
        return UNREADABLE
    return digest.hexdigest()


def compare(before: Manifest, after: Manifest) -> tuple[Difference, ...]:
    """Every path that differs between two manifests, in path order."""
    found = []
    for path in sorted(before.keys() | after.keys()):
        what = _difference(before.get(path), after.get(path))
        if what is not None:
            found.append(Difference(printable(path), what))
    return tuple(found)


def _difference(old: Record | None, new: Record | None) -> str | None:
    if old is None or new is None:
        return "added" if old is None else "removed"
    if old.kind != new.kind:
        return "kind"
    if old.content != new.content or old.size != new.size:
        return "content"
    return "mode" if old.mode != new.mode else None


def unreadable(manifest: Manifest) -> tuple[str, ...]:
    """Paths whose content a manifest does not vouch for."""
    return tuple(printable(path) for path, record in manifest.items() if record.content == UNREADABLE)


def to_json(manifest: Manifest) -> dict[str, Any]:
    """Plain JSON; names that are no UTF-8 hold surrogates, which ``json.dumps`` escapes by default."""
    return {path: [r.kind, r.mode, r.size, r.content] for path, r in manifest.items()}


def from_json(data: Mapping[str, Any]) -> dict[str, Record]:
    return {path: Record(*row) for path, row in data.items()}
