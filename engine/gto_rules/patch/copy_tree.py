"""The walk that copies a tree: files cloned, copied or linked, links kept inside."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from gto_rules.errors import PatchError
from gto_rules.project.inventory import printable

# ioctl of Linux that shares the blocks of a file until one side writes (btrfs, xfs, bcachefs).
_FICLONE = 0x40049409
_NO_CLONE = (errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOTTY, errno.ENOSYS, errno.EPERM)
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


class Copier:
    """Copies ``original`` to ``target``; both are real paths.

    Attributes:
        seen: Files and links of the original.
        bytes, cloned, linked: What was done with them.
        notes: One line for each that was not, or not plainly, copied.
    """

    def __init__(
        self, original: Path, target: Path, *, link_over_bytes: int, link_suffixes: tuple[str, ...], protected: bool
    ) -> None:
        self.original = original
        self.target = target
        self.link_over_bytes = link_over_bytes
        self.link_suffixes = link_suffixes
        self.protected = protected
        self.seen = self.bytes = self.cloned = self.linked = 0
        self.notes: list[str] = []
        self.clone = True
        self.links: list[tuple[Path, Path]] = []

    def note(self, path: Path, text: str) -> None:
        where = path.relative_to(self.original) if path.is_relative_to(self.original) else path
        self.notes.append(f"{printable(where.as_posix())}: {text}")

    def copy(self) -> None:
        """Everything.

        Raises:
            PatchError: the disk is full.
        """
        for folder, entries in folders(self.original, self.target.parent, self.note):
            target = self.target / folder.relative_to(self.original)
            self.seen += sum(e.is_symlink() or e.is_file(follow_symlinks=False) for e in entries)
            try:
                target.mkdir(parents=True, exist_ok=True)
                target.chmod(stat.S_IMODE(folder.stat().st_mode) | stat.S_IRWXU)
                for entry in entries:
                    self.entry(entry, target / entry.name)
            except OSError as error:
                self.failed(folder, error)
        self.close()

    def close(self) -> None:
        """Straighten links that reach the original on a way round through other links."""
        for target, real in self.links:
            leads = Path(os.path.realpath(target))
            if leads.is_relative_to(self.original) and not leads.is_relative_to(self.target):
                target.unlink()
                target.symlink_to(self.target / real.relative_to(self.original))

    def entry(self, entry: os.DirEntry[str], target: Path) -> None:
        path = Path(entry.path)
        if entry.is_symlink():
            self.link(path, target)
        elif entry.is_file(follow_symlinks=False):
            self.file(path, target, path)
        elif not entry.is_dir(follow_symlinks=False):
            self.note(path, "not copied, it is neither a file nor a folder")

    def failed(self, source: Path, error: OSError) -> None:
        if error.errno in _DISK_FULL:
            raise PatchError(
                f"the disk of {self.target.parent} is full; the copy is not complete",
                hint="free some room, or give --workdir on another disk",
            ) from error
        self.note(source, f"not copied ({error.strerror or error})")

    def link(self, source: Path, target: Path) -> None:
        """A link as it is when that leads to the same place in the copy, else one that does."""
        to = source.readlink()
        real = Path(os.path.realpath(source))
        try:
            if real.is_relative_to(self.original):
                self.inside(source, target, to, real)
            elif real.is_dir():
                target.symlink_to(real)
                self.note(source, f"links to the folder {real} outside the project; kept, the run can write there")
            elif real.is_file():
                self.file(real, target, source)
                self.note(source, "a link to a file outside the project; the copy has the file itself")
            else:
                target.symlink_to(to)
                self.note(source, "a link to nothing, kept as it is")
        except OSError as error:
            self.failed(source, error)

    def inside(self, source: Path, target: Path, to: Path, real: Path) -> None:
        if not real.exists():
            self.note(source, "a link to nothing in the project")
        if to.is_absolute() or self.climbs_out(source, to):
            there = self.target / real.relative_to(self.original)
            to = Path(os.path.relpath(there, target.parent)) if not to.is_absolute() else there
            self.note(source, "a link that named the original's own path now points into the copy")
        target.symlink_to(to)
        self.links.append((target, real))

    def climbs_out(self, source: Path, to: Path) -> bool:
        """Whether a relative link goes through the folder above the project."""
        above = sum(part == ".." for part in Path(os.path.normpath(to)).parts)
        return above > len(source.relative_to(self.original).parts) - 1

    def file(self, source: Path, target: Path, named: Path) -> None:
        """Clone, link or copy one file. ``named`` is the path in the original that stands for it."""
        try:
            status, done = source.stat(), False
            if self.clone:
                done = _clone(source, target)
                self.cloned += done
                # Another disk says nothing about the project's own.
                self.clone = done or not source.is_relative_to(self.original)
            if not done:
                if self.may_link(source, status):
                    target.unlink(missing_ok=True)
                    target.symlink_to(source)
                    self.linked += 1
                    self.note(named, f"linked, not copied ({status.st_size / 1e9:.2f} GB): nothing can write to it")
                    return
                self.bytes += _copy(source, target, status)
            shutil.copystat(source, target)
            target.chmod(stat.S_IMODE(status.st_mode) | stat.S_IRUSR | stat.S_IWUSR)
        except OSError as error:
            target.unlink(missing_ok=True)
            self.failed(named, error)

    def may_link(self, source: Path, status: os.stat_result) -> bool:
        large = status.st_size > self.link_over_bytes or source.name.endswith(self.link_suffixes or ("\0",))
        own = self.protected and source.is_relative_to(self.original)
        return large and (own or unwritable(source, status))


def folders(
    root: Path, without: Path, note: Callable[[Path, str], None] | None = None
) -> Iterator[tuple[Path, list[os.DirEntry[str]]]]:
    """Every folder below ``root`` with its entries, parents first; links are not followed.

    Args:
        without: A folder that is left out: the work directory may lie inside the project.
        note: Called with a folder and a text when it cannot be read.
    """
    todo = [root]
    while todo:
        folder = todo.pop()
        try:
            with os.scandir(folder) as listing:
                entries = sorted((e for e in listing if folder / e.name != without), key=lambda e: e.name)
        except OSError as error:
            if note is not None:
                note(folder, f"not copied, cannot be read ({error.strerror or error})")
            continue
        yield folder, entries
        todo.extend(folder / e.name for e in reversed(entries) if e.is_dir(follow_symlinks=False))


def needed_bytes(copier: Copier) -> int:
    """Bytes of the files that will be copied, holes left out."""
    total = 0
    for _, entries in folders(copier.original, copier.target.parent):
        for entry in entries:
            path = Path(entry.path)
            outside = entry.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(copier.original)
            try:
                if entry.is_symlink() and not outside:
                    continue
                status = entry.stat()
                if stat.S_ISREG(status.st_mode) and not copier.may_link(path, status):
                    total += min(status.st_size, _allocated(status))
            except OSError:
                continue
    return total


def unwritable(path: Path, status: os.stat_result) -> bool:
    """Whether nothing that this account starts can write to a file."""
    try:
        if os.statvfs(path).f_flag & os.ST_RDONLY:
            return True
    except (OSError, AttributeError):
        return False
    return os.geteuid() not in (0, status.st_uid) and not os.access(path, os.W_OK)


def can_clone(original: Path, workdir: Path) -> bool:
    """Whether the file system shares blocks, tried on the first file with content."""
    probe = workdir / f".gto-rules-clone-{os.getpid()}"
    for _, entries in folders(original, workdir):
        for entry in entries:
            try:
                if entry.is_file(follow_symlinks=False) and entry.stat().st_size:
                    return _clone(Path(entry.path), probe)
            except OSError:
                return False
            finally:
                probe.unlink(missing_ok=True)
    return False


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


def _allocated(status: os.stat_result) -> int:
    return int(getattr(status, "st_blocks", status.st_size // 512 + 1)) * 512


def _copy(source: Path, target: Path, status: os.stat_result) -> int:
    """Copy the content, holes as holes; the number of bytes that were written."""
    if _allocated(status) >= status.st_size or not hasattr(os, "SEEK_DATA"):
        shutil.copyfile(source, target)
        return target.stat().st_size
    written = 0
    with source.open("rb") as reader, target.open("wb") as writer:
        for start, end in _data(reader.fileno(), status.st_size):
            reader.seek(start)
            writer.seek(start)
            while start < end and (chunk := reader.read(min(1 << 20, end - start))):
                writer.write(chunk)
                start += len(chunk)
                written += len(chunk)
        writer.truncate(status.st_size)
    return written


def _data(descriptor: int, size: int) -> Iterator[tuple[int, int]]:
    """Stretches of a sparse file that hold data."""
    at = 0
    while at < size:
        try:
            start = os.lseek(descriptor, at, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # only a hole is left
                return
            raise
        at = os.lseek(descriptor, start, os.SEEK_HOLE)
        yield start, at
