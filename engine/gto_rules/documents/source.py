"""Bytes of a file → text with an encoding, never an exception."""

from __future__ import annotations

import codecs
import re
import stat
from pathlib import Path

from gto_rules.documents.model import Problem, SourceText

LIMIT_BYTES = 20_000_000

# Longest marks first: the UTF-16 little-endian mark is a prefix of the UTF-32 one.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


def read_source(path: Path, name: str, *, limit_bytes: int = LIMIT_BYTES) -> SourceText:
    """Read a file; whatever is wrong with it becomes a ``Problem`` of an empty text.

    Args:
        path: The file on disk.
        name: Its relative POSIX path, for locations.
        limit_bytes: Larger files are not read.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return _unread(name, "is not a regular file")
        if status.st_size > limit_bytes:
            return _unread(name, f"is larger than the limit ({status.st_size:,} > {limit_bytes:,} bytes)")
        raw = path.read_bytes()
    except OSError as error:
        return _unread(name, f"cannot be read ({error.strerror or error})")
    return source_from_bytes(raw, name)


def source_from_bytes(raw: bytes, name: str) -> SourceText:
    """Decode ``raw``: byte-order mark, UTF-8, UTF-16 without a mark, coding cookie, else Latin-1."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _decoded(raw, name, encoding, mark)
    if b"\0" in raw:
        guess = _utf16_without_mark(raw)
        return _decoded(raw, name, guess, b"") if guess else _binary(raw, name)
    try:
        raw.decode("utf-8")
        return SourceText(name, raw, raw)
    except UnicodeDecodeError:
        return _decoded(raw, name, _cookie(raw) or "latin-1", b"")


def _decoded(raw: bytes, name: str, encoding: str, mark: bytes) -> SourceText:
    body = raw[len(mark) :]
    try:
        text = body.decode(encoding)
        if text.encode(encoding) != body:  # a lossy codec could not be written back
            raise ValueError("does not round-trip")
        utf8 = text.encode("utf-8")
    except (UnicodeError, ValueError, LookupError):
        if encoding == "latin-1":
            return _binary(raw, name)
        problem = Problem(name, f"is not valid {encoding}; read as latin-1")
        return SourceText(name, raw, body.decode("latin-1").encode("utf-8"), "latin-1", mark, (problem,))
    if "\0" in text:
        return _binary(raw, name)
    return SourceText(name, raw, utf8, encoding, mark)


def _cookie(raw: bytes) -> str | None:
    for line in raw.split(b"\n", 2)[:2]:
        found = _COOKIE.match(line)
        if found:
            try:
                return codecs.lookup(found[1].decode("ascii")).name
            except LookupError:
                return None
    return None


def _utf16_without_mark(raw: bytes) -> str | None:
    """UTF-16 of mostly ASCII text has a NUL in every other byte."""
    sample = raw[:4096]
    if len(sample) < 4 or len(raw) % 2:
        return None
    half = len(sample) // 2
    for offset, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if sample[offset::2].count(0) > 0.7 * half and sample[1 - offset :: 2].count(0) < 0.1 * half:
            return encoding
    return None


def _binary(raw: bytes, name: str) -> SourceText:
    return SourceText(name, raw, b"", problems=(Problem(name, "is binary (it holds NUL bytes)"),))


def _unread(name: str, message: str) -> SourceText:
    return SourceText(name, b"", b"", problems=(Problem(name, message),))
