"""Compiled rules on disk, so that a warm start reads one file and loads neither YAML nor schemas.

The cache is plain data (``marshal``), checked by a digest of its own bytes before it is read, and
written whole under another name before it takes its place: a damaged, foreign or half-written file
counts as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gto_rules import __version__

_MAGIC = b"gto-rules-cache-1\n"


def cache_folder() -> Path:
    """``$GTO_RULES_CACHE``, else the user's cache folder."""
    chosen = os.environ.get("GTO_RULES_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base or os.path.expanduser("~/.cache")) / "gto-rules"  # noqa: PTH111 - Path.home() raises without one


def fingerprint(files: Iterable[Path]) -> str:
    """A digest of names, sizes and times of files, of the engine and of the interpreter."""
    digest = hashlib.blake2b(f"{__version__} {sys.version_info[:3]}".encode(), digest_size=16)
    for path in files:
        status = os.stat(path)  # noqa: PTH116 - every command takes it of every rule
        digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def read_cache(key: str) -> Any:
    """The data stored under ``key``, or None."""
    try:
        raw = (cache_folder() / f"{key}.rules").read_bytes()
        head, seal, body = raw[: len(_MAGIC)], raw[len(_MAGIC) : len(_MAGIC) + 32], raw[len(_MAGIC) + 32 :]
        if head != _MAGIC or hashlib.blake2b(body, digest_size=32).digest() != seal:
            return None
        return marshal.loads(body)
    except (OSError, ValueError, EOFError, TypeError):
        return None


def write_cache(key: str, data: Any) -> None:
    """Store plain data under ``key``; a folder that cannot be written to is no error."""
    body = marshal.dumps(data)
    folder = cache_folder()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(_MAGIC + hashlib.blake2b(body, digest_size=32).digest() + body)
            Path(name).replace(folder / f"{key}.rules")
        except OSError:
            Path(name).unlink(missing_ok=True)  # a full disk: leave nothing behind
            raise
        _prune(folder)


def _prune(folder: Path, keep: int = 16) -> None:
    stored = sorted(folder.glob("*.rules"), key=lambda p: p.stat().st_mtime, reverse=True)
    for old in stored[keep:]:
        old.unlink(missing_ok=True)
