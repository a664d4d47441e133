"""Unified diffs that ``git apply`` takes, byte for byte."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

_NO_NEWLINE = b"\\ No newline at end of file\n"


def unified(path: str, before: bytes | None, after: bytes | None) -> bytes:
    """The diff of one file; None stands for a file that is not there. Empty if nothing changed.

    The bytes of the lines are kept as they are, so files of any encoding and with any line ending
    come out right.
    """
    if before == after:
        return b""
    old, new = _lines(before or b""), _lines(after or b"")
    ours, theirs = quoted(f"a/{path}"), quoted(f"b/{path}")
    head = [b"diff --git %s %s\n" % (ours, theirs)]
    if before is None:
        head.append(b"new file mode 100644\n")
    elif after is None:
        head.append(b"deleted file mode 100644\n")
    head.append(b"--- /dev/null\n" if before is None else b"--- %s\n" % ours)
    head.append(b"+++ /dev/null\n" if after is None else b"+++ %s\n" % theirs)
    return b"".join((*head, *_hunks(old, new)))


def quoted(path: str) -> bytes:
    """A path as git writes it: in quotes, with escapes, when it holds quotes or control characters."""
    raw = path.encode("utf-8", "surrogateescape")
    if all(byte >= 0x20 and byte not in b'"\\' and byte != 0x7F for byte in raw):
        return raw
    out = bytearray()
    for byte in raw:
        if byte in b'"\\':
            out += b"\\" + bytes([byte])
        elif byte < 0x20 or byte == 0x7F:
            out += b"\\%03o" % byte
        else:
            out.append(byte)
    return b'"%s"' % bytes(out)


def _lines(data: bytes) -> list[bytes]:
    """Lines ended by a newline only: a bare carriage return is content to git."""
    parts = data.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _hunks(old: list[bytes], new: list[bytes]) -> Iterator[bytes]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(3):
        yield b"@@ -%s +%s @@\n" % (_range(group[0][1], group[-1][2]), _range(group[0][3], group[-1][4]))
        for tag, a, b, c, d in group:
            if tag == "equal":
                yield from _marked(b" ", old[a:b])
            else:
                yield from _marked(b"-", old[a:b])
                yield from _marked(b"+", new[c:d])


def _range(start: int, end: int) -> bytes:
    length = end - start
    first = start + 1 if length else start
    return b"%d" % first if length == 1 else b"%d,%d" % (first, length)


def _marked(mark: bytes, lines: Iterable[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield mark + line
        if not line.endswith(b"\n"):
            yield b"\n" + _NO_NEWLINE
