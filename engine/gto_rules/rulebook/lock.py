"""``gto-rules.lock``: which packs a project took, exactly, so that rules change only when someone says so."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gto_rules.errors import UsageError
from gto_rules.rulebook.discover import PACK_FILE, pack_files
from gto_rules.rulebook.sources import Found, is_remote

LOCK_FILE = "gto-rules.lock"
FORMAT = 1
_VERSION = re.compile(r"^version:[ \t]*['\"]?([^'\"\s]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Locked:
    """One pack as it was taken.

    Attributes:
        name: Of the pack.
        source: As the configuration names it.
        version: The pack's own.
        commit: Of a git source; "" for others.
        sha256: Over the names and bytes of pack.yaml and every rule file.
    """

    name: str
    source: str
    version: str
    commit: str
    sha256: str


def locked(found: Found, base: Path) -> Locked:
    """What a lock file says about a pack. Folders are named from ``base``, the folder of the lock."""
    files = pack_files(found.folder)
    digest = hashlib.sha256()
    for path in files.all:
        raw = path.read_bytes()
        digest.update(f"{path.relative_to(files.root).as_posix()}\0{len(raw)}\0".encode() + raw)
    version = _VERSION.search((found.folder / PACK_FILE).read_text("utf-8", "replace"))
    source = found.source
    if not is_remote(source):
        source = os.path.relpath(found.folder, base).replace(os.sep, "/")
    name = found.folder.resolve().name
    return Locked(name, source, version[1] if version else "", found.commit, digest.hexdigest())


def write_lock(file: Path, packs: Iterable[Locked]) -> None:
    """Raises ``UsageError`` if the file cannot be written."""
    rows = [asdict(one) for one in sorted(packs, key=lambda p: p.name)]
    try:
        file.write_text(json.dumps({"format": FORMAT, "packs": rows}, indent=2, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be written ({error.strerror or error})") from error


def read_lock(file: Path) -> tuple[Locked, ...]:
    """The packs of a lock file.

    Raises:
        UsageError: it cannot be read, is damaged, or has another format.
    """
    again = "write it anew with gto-rules rules lock"
    try:
        data = json.loads(file.read_text("utf-8"))
        if data["format"] != FORMAT:
            raise UsageError(f"{file} has the format {data['format']}; this program reads {FORMAT}", hint=again)
        rows = tuple(Locked(**row) for row in data["packs"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} is no lock file ({error})", hint=again) from error
    if not all(isinstance(value, str) for row in rows for value in asdict(row).values()):
        raise UsageError(f"{file} is no lock file (a value is not text)", hint=again)
    return rows


def differences(held: Sequence[Locked], there: Sequence[Locked]) -> list[str]:
    """How packs differ from those of a lock file, a sentence each."""
    known, now = {one.name: one for one in held}, {one.name: one for one in there}
    out = [f"the pack '{name}' is not in the lock file" for name in sorted(now.keys() - known.keys())]
    out += [f"the pack '{name}' of the lock file is not used" for name in sorted(known.keys() - now.keys())]
    for name in sorted(known.keys() & now.keys()):
        old, new = known[name], now[name]
        if old.source != new.source:
            out.append(f"the pack '{name}' comes from {new.source}; locked is {old.source}")
        elif old.commit != new.commit:
            out.append(f"the pack '{name}' is at commit {new.commit[:12]}; locked is {old.commit[:12]}")
        elif old.version != new.version:
            out.append(f"the pack '{name}' has version {new.version}; locked is {old.version}")
        elif old.sha256 != new.sha256:
            out.append(f"the rules of the pack '{name}' changed, but its version did not ({new.version})")
    return out


def hold_to_lock(file: Path, packs: Iterable[Found]) -> None:
    """Refuse packs that differ from a lock file; without the file every pack is let pass.

    Raises:
        UsageError: with every difference.
    """
    if not file.is_file():
        return
    wrong = differences(read_lock(file), [locked(one, file.parent) for one in packs])
    if wrong:
        raise UsageError(f"{file}: " + "; ".join(wrong), hint="if that is meant, run gto-rules rules lock")
