"""Copy a project so that everything can be changed in the copy and nothing through it."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from gto_rules.errors import PatchError

MARKER = ".gto-rules-fork"
# ioctl of Linux that shares the blocks of a file until one side writes (btrfs, xfs, bcachefs).
_FICLONE = 0x40049409
# Room that must stay free on the disk beside the copy.
_SPARE_BYTES = 64 * 1024 * 1024
_NO_CLONE = (errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOTTY, errno.ENOSYS, errno.EPERM)


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
    """

    root: Path
    original: Path
    files_original: int
    files_fork: int
    bytes_copied: int
    cloned: int
    notes: tuple[str, ...]


def make_fork(original: Path, workdir: Path) -> Fork:
    """Copy ``original`` to ``<workdir>/project``.

    Files are cloned where the file system can share blocks, and copied otherwise. Every file of the
    copy is its own: a link to a large file would let a run write through it, and permission bits do
    not stop an administrator's account, so large files are copied too unless they can be cloned.
    Links inside the project stay links and point into the copy.

    Raises:
        PatchError: the copy would not fit on the disk, or stands where something else already is.
    """
    target = workdir / "project"
    original = original.resolve()
    _make_room(target)
    _check_space(original, workdir)
    workdir.mkdir(parents=True, exist_ok=True)
    (workdir / MARKER).write_text(f"{original}\n", "utf-8")
    copier = _Copier(original, target)
    copier.folder(original, target)
    return Fork(
        root=target,
        original=original,
        files_original=copier.seen,
        files_fork=count_files(target),
        bytes_copied=copier.bytes,
        cloned=copier.cloned,
        notes=tuple(copier.notes),
    )


def _make_room(target: Path) -> None:
    if target.is_symlink() or target.exists():
        if not (target.parent / MARKER).is_file():
            raise PatchError(
                f"{target} already exists and was not made by gto-rules", hint="move it away, or give another --workdir"
            )
        shutil.rmtree(target)


def _check_space(original: Path, workdir: Path) -> None:
    need = sum(s.st_size for s in _regular(original))
    place = workdir
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    if need + _SPARE_BYTES > free and not _can_clone(original, place):
        raise PatchError(
            f"the copy needs {need / 1e9:.2f} GB, but only {free / 1e9:.2f} GB are free in {place}",
            hint="free some room, or give --workdir on another disk",
        )


def _regular(root: Path) -> list[os.stat_result]:
    found = []
    for folder, _, names in os.walk(root):
        for name in names:
            try:
                status = (Path(folder) / name).lstat()
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode):
                found.append(status)
    return found


def _can_clone(original: Path, place: Path) -> bool:
    """Whether the file system shares blocks, tried on the first file with content."""
    probe = place / f".gto-rules-clone-{os.getpid()}"
    for folder, _, names in os.walk(original):
        for name in names:
            path = Path(folder) / name
            if path.is_file() and not path.is_symlink() and path.stat().st_size:
                try:
                    return _clone(path, probe)
                except OSError:
                    return False
                finally:
                    probe.unlink(missing_ok=True)
    return False


def count_files(root: Path) -> int:
    """Regular files and links below ``root``."""
    total = 0
    for folder, folders, names in os.walk(root):
        total += len(names) + sum((Path(folder) / one).is_symlink() for one in folders)
    return total


class _Copier:
    def __init__(self, original: Path, target: Path) -> None:
        self.original = original
        self.target = target
        self.seen = 0
        self.bytes = 0
        self.cloned = 0
        self.notes: list[str] = []
        self.clone = True

    def note(self, path: Path, text: str) -> None:
        self.notes.append(f"{path.relative_to(self.original).as_posix()}: {text}")

    def folder(self, source: Path, target: Path) -> None:
        target.mkdir(parents=True, exist_ok=True)
        try:
            with os.scandir(source) as listing:
                entries = sorted(listing, key=lambda e: e.name)
        except OSError as error:
            return self.note(source, f"not copied, cannot be read ({error.strerror})")
        for entry in entries:
            path = Path(entry.path)
            # The work directory may lie inside the project; it is never part of it.
            if path == self.target.parent:
                continue
            if entry.is_symlink():
                self.link(path, target / entry.name)
            elif entry.is_dir(follow_symlinks=False):
                self.folder(path, target / entry.name)
            elif entry.is_file(follow_symlinks=False):
                self.file(path, target / entry.name)
            else:
                self.note(path, "not copied, it is neither a file nor a folder")
        shutil.copystat(source, target)
        target.chmod(target.stat().st_mode | stat.S_IRWXU)
        return None

    def link(self, source: Path, target: Path) -> None:
        """A link as it is; one that names the original by an absolute path is pointed into the copy."""
        self.seen += 1
        to = source.readlink()
        if to.is_absolute() and (to == self.original or self.original in to.parents):
            to = self.target.resolve() / to.relative_to(self.original)
            self.note(source, "an absolute link into the original now points into the copy")
        elif not source.exists():
            self.note(source, "a link to nothing, kept as it is")
        elif self.leads_out(source):
            # Anything written through it would change what lies outside the project.
            return self.outside(source, target)
        target.symlink_to(to)
        return None

    def leads_out(self, source: Path) -> bool:
        return not source.resolve().is_relative_to(self.original)

    def outside(self, source: Path, target: Path) -> None:
        if source.is_dir():
            target.symlink_to(source.resolve())
            self.note(
                source, f"links to the folder {source.resolve()} outside the project; kept, the run can write there"
            )
        else:
            self.file(source.resolve(), target, counted=True)
            self.note(source, "a link to a file outside the project became a copy of it")

    def file(self, source: Path, target: Path, *, counted: bool = False) -> None:
        self.seen += 0 if counted else 1
        try:
            if self.clone:
                self.clone = _clone(source, target)
                self.cloned += self.clone
            if not self.clone:
                shutil.copyfile(source, target)
                self.bytes += target.stat().st_size
            shutil.copystat(source, target)
            target.chmod(target.stat().st_mode | stat.S_IRUSR | stat.S_IWUSR)
        except OSError as error:
            target.unlink(missing_ok=True)
            where = source if source.is_relative_to(self.original) else self.original
            self.note(where, f"not copied ({error.strerror or error})")


def _clone(source: Path, target: Path) -> bool:
    """Share the blocks of a file; False where the file system cannot."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return False
    with source.open("rb") as reader, target.open("wb") as writer:
        try:
            fcntl.ioctl(writer.fileno(), _FICLONE, reader.fileno())
        except OSError as error:
            if error.errno in _NO_CLONE:
                return False
            raise
    return True
