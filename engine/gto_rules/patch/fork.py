"""Copy a project so that everything can be changed in the copy and nothing through it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from gto_rules.errors import PatchError
from gto_rules.patch.copy_tree import Copier, can_clone, needed_bytes

MARKER = ".gto-rules-fork"
# Room that must stay free on the disk beside the copy.
_SPARE_BYTES = 64 * 1024 * 1024
LINK_OVER_BYTES = 1 << 30


@dataclass(frozen=True)
class Fork:
    """A finished copy.

    Attributes:
        root: The copy (``<workdir>/project``).
        original: What was copied.
        files_original: Regular files and links in the original.
        files_fork: The same count in the copy.
        cloned: Files whose blocks are shared with the original until written.
        notes: What could not be copied, or was copied in another way.
        linked: Files that stand in the copy as links, since the run cannot write to them.
    """

    root: Path
    original: Path
    files_original: int
    files_fork: int
    bytes_copied: int
    cloned: int
    notes: tuple[str, ...]
    linked: int = 0


def make_fork(
    original: Path,
    workdir: Path,
    *,
    exist: str = "replace",
    link_over_bytes: int = LINK_OVER_BYTES,
    link_suffixes: Collection[str] = (),
    protected: bool = False,
) -> Fork:
    """Copy ``original`` to ``<workdir>/project``.

    Files are cloned where the file system can share blocks, and copied otherwise. Large files become
    links only where nothing can be written through them: on a file system mounted read-only, in the
    hands of another account, or with ``protected``. Permission bits alone do not count: the owner can
    change them, and they do not stop an administrator's account.
    Links inside the project stay links and point into the copy.

    Args:
        exist: What to do with the copy of an earlier run of the same project: ``replace`` or ``fail``.
            Anything else that stands there is never touched.
        link_over_bytes: Files larger than this may be linked.
        link_suffixes: Endings of names (``.safetensors``) that may be linked at any size.
        protected: The run will see the original read-only (see ``patch.protect``).

    Raises:
        PatchError: there is no such project, the copy would not fit on the disk, or something else
            already stands in its place.
    """
    if not original.is_dir():
        raise PatchError(f"there is no folder {original}")
    target = workdir / "project"
    original = Path(os.path.realpath(original))
    _make_room(target, original, exist)
    try:
        workdir.mkdir(parents=True, exist_ok=True)
        (workdir / MARKER).write_bytes(os.fsencode(original) + b"\n")
    except OSError as error:
        raise PatchError(f"{workdir} cannot be written: {error.strerror or error}") from error
    copier = Copier(
        original,
        Path(os.path.realpath(target)),
        link_over_bytes=link_over_bytes,
        link_suffixes=tuple(link_suffixes),
        protected=protected,
    )
    _check_space(copier, workdir)
    copier.copy()
    return Fork(
        root=target,
        original=original,
        files_original=copier.seen,
        files_fork=count_files(target),
        bytes_copied=copier.bytes,
        cloned=copier.cloned,
        notes=tuple(copier.notes),
        linked=copier.linked,
    )


def _make_room(target: Path, original: Path, exist: str) -> None:
    """Take away an earlier copy of the same project, and nothing else."""
    if not (target.is_symlink() or target.exists()):
        return
    hint = "move it away, or give another --workdir"
    marker = target.parent / MARKER
    if not marker.is_file():
        raise PatchError(f"{target} already exists and was not made by gto-rules", hint=hint)
    made_from = Path(os.fsdecode(marker.read_bytes().strip()))
    if made_from.is_absolute() and made_from != original:
        raise PatchError(f"{target} is a copy of another project, {made_from}", hint=hint)
    if exist != "replace":
        raise PatchError(f"{target} already holds the copy of an earlier run", hint=hint)
    try:
        _remove(target)
    except OSError as error:
        raise PatchError(f"the earlier copy {target} cannot be removed: {error}", hint=hint) from error


def _remove(target: Path) -> None:
    if target.is_symlink() or not target.is_dir():
        target.unlink()
        return
    try:
        shutil.rmtree(target)
    except PermissionError:  # a run may leave folders without write permission
        for folder, _, _ in os.walk(target):
            Path(folder).chmod(0o700)
        shutil.rmtree(target)


def _check_space(copier: Copier, workdir: Path) -> None:
    need = needed_bytes(copier)
    free = shutil.disk_usage(workdir).free
    if need + _SPARE_BYTES > free and not can_clone(copier.original, workdir):
        raise PatchError(
            f"the copy needs {need / 1e9:.2f} GB, but only {free / 1e9:.2f} GB are free in {workdir}",
            hint="free some room, or give --workdir on another disk",
        )


def count_files(root: Path) -> int:
    """Regular files and links below ``root``."""
    total = 0
    for folder, folders, names in os.walk(root):
        total += len(names) + sum((Path(folder) / one).is_symlink() for one in folders)
    return total
