"""Proof that a folder did not change: content, mode and links of everything in it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHUNK = 1 << 20


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


def take_manifest(root: Path) -> dict[str, Record]:
    """The record of everything below ``root``, links not followed; an unreadable file has no digest."""
    entries = list(_walk(root, ""))
    with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        return dict(pool.map(lambda entry: (entry[0], _record(root / entry[0], entry[1])), entries))


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, os.stat_result]]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda e: e.name)
    except OSError:
        return
    for entry in entries:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        yield prefix + entry.name, status
        if stat.S_ISDIR(status.st_mode):
            yield from _walk(folder / entry.name, f"{prefix}{entry.name}/")


def _record(path: Path, status: os.stat_result) -> Record:
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return Record("link", 0, 0, str(path.readlink()))
    if stat.S_ISDIR(status.st_mode):
        return Record("folder", mode, 0, "")
    if stat.S_ISREG(status.st_mode):
        return Record("file", mode, status.st_size, _digest(path))
    return Record("other", mode, 0, "")


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                digest.update(chunk)
    except OSError:
        return "unreadable"
    return digest.hexdigest()


def compare(before: Manifest, after: Manifest) -> tuple[Difference, ...]:
    """Every path that differs between two manifests, in path order."""
    found = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old is None or new is None:
            found.append(Difference(path, "added" if old is None else "removed"))
        elif old.kind != new.kind:
            found.append(Difference(path, "kind"))
        elif old.content != new.content or old.size != new.size:
            found.append(Difference(path, "content"))
        elif old.mode != new.mode:
            found.append(Difference(path, "mode"))
    return tuple(found)


def to_json(manifest: Manifest) -> dict[str, Any]:
    return {path: [r.kind, r.mode, r.size, r.content] for path, r in manifest.items()}


def from_json(data: Mapping[str, Any]) -> dict[str, Record]:
    return {path: Record(*row) for path, row in data.items()}
