"""The kernel's help: a command that sees the original read-only, in a mount namespace of its own.

What the command starts inherits the view. Nothing outside it changes, and it is gone with the last
process. Linux only, through ``unshare`` and ``mount`` of util-linux.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
# Options that a remount must repeat: leaving one out counts as taking it away.
_KEPT_OPTIONS = frozenset(("nosuid", "nodev", "noexec", "noatime", "nodiratime", "relatime"))
_PROBE_S = 20
_PROBE = 'for p do case "$p" in -*) test ! -w "${p#-}" || exit 1;; +*) test -w "${p#+}" || exit 1;; esac; done'


def readonly_original(argv: Sequence[str], original: Path, *, writable: Sequence[Path] = ()) -> list[str] | None:
    """``argv`` wrapped so that nothing it runs can write below ``original``.

    Args:
        argv: A command as words.
        original: The folder to protect.
        writable: Folders inside it that stay writable, such as a work directory.

    Returns:
        The wrapped command, or None where the kernel does not allow it (tried once for each folder).
    """
    inside = tuple(sorted(_real(path) for path in writable if _below(_real(path), _real(original))))
    prefix = _prefix(_real(original), inside)
    return [*prefix, *argv] if prefix is not None else None


@lru_cache(maxsize=16)
def _prefix(original: str, writable: tuple[str, ...]) -> tuple[str, ...] | None:
    if not (_MOUNTS.is_file() and shutil.which("unshare") and shutil.which("mount")):
        return None
    prefix = _words(original, writable)
    expected = [f"-{original}", *(f"+{path}" for path in writable)]
    try:
        done = subprocess.run(
            [*prefix, "sh", "-c", _PROBE, "sh", *expected],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_PROBE_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return prefix if done.returncode == 0 else None


def _words(original: str, writable: tuple[str, ...]) -> tuple[str, ...]:
    lines = ["set -e", _mount("--rbind", original, original)]
    lines += [_mount("--bind", path, path) for path in writable]
    lines += [_mount("-o", ",".join(("remount", "bind", "ro", *kept)), path) for path, kept in _places(original)]
    # The working directory still refers to what lay there before.
    lines += ['cd "$PWD"', f'exec {_back_to_own_account()}"$@"']
    start = ("unshare", "--mount") if os.geteuid() == 0 else ("unshare", "--user", "--map-root-user", "--mount")
    return (*start, "sh", "-c", "\n".join(lines), "sh")


def _back_to_own_account() -> str:
    """An ordinary account may mount only as the root of a namespace; the command gets its own number back."""
    if os.geteuid() == 0:
        return ""
    return f"unshare --user --map-user={os.geteuid()} --map-group={os.getegid()} -- "


def _mount(*words: str) -> str:
    return "mount " + " ".join(map(shlex.quote, words))


def _places(original: str) -> Iterator[tuple[str, list[str]]]:
    """The folder and every mount point below it, with the options that stay."""
    mounts = [line.split() for line in _MOUNTS.read_text("utf-8", "surrogateescape").splitlines()]
    points = [(_unescaped(fields[4]), fields[5].split(",")) for fields in mounts if len(fields) > 5]
    around = max((p for p in points if _below(original, p[0])), key=lambda p: len(p[0]), default=(original, []))
    yield original, [o for o in around[1] if o in _KEPT_OPTIONS]
    for path, options in points:
        if path != original and _below(path, original):
            yield path, [o for o in options if o in _KEPT_OPTIONS]


def _unescaped(path: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        path = path.replace(code, character)
    return path


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _real(path: Path) -> str:
    return os.path.realpath(path)
