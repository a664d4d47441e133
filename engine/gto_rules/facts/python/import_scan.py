"""Imports read off the text of a file, without a tree: for looking at very many files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

# A string or a comment. Quotes of the same kind inside an f-string end it too early and begin
# another that ends at the same place, so that nothing outside is lost.
_STRING = re.compile(
    rb'''"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""|'''
    rb"""'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''|"""
    rb""""[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'|\#[^\n]*""",
    re.S,
)
_BLANK = bytes(10 if c == 10 else 32 for c in range(256))
_JOINED = rb"(?:[^\n;\\]|\\\r?\n)*"
_IMPORT = re.compile(
    rb"(?:^|[;:])[ \t]*(?:from[ \t]+(?P<base>[.\w \t]+?)[ \t]*(?<![\w])import(?![\w])[ \t]*(?P<names>\([^)]*\)|"
    + _JOINED
    + rb")|import[ \t]+(?P<modules>"
    + _JOINED
    + rb"))",
    re.M,
)
_CHAIN = re.compile(rb"(?<![\w.])\w+(?:\.\w+)*$")
_LONGEST_NAME = 200
_PART = re.compile(r"([\w.]+|\*)(?:\s+as\s+(\w+))?")


@dataclass(frozen=True, slots=True)
class ScannedImport:
    """One imported name: what it is, its local name, what that stands for, and the statement's byte offset."""

    name: str
    alias: str
    bound: str
    start: int


def without_strings(text: bytes) -> bytes:
    """Python source with strings and comments blanked out; lines and offsets stay."""
    return _STRING.sub(lambda match: match[0].translate(_BLANK), text)


def scan_imports(code: bytes, absolute: Callable[[str], str]) -> Iterator[ScannedImport]:
    """The imports of source without strings.

    Args:
        code: What ``without_strings`` gave.
        absolute: Turns a module as written (``..pkg.mod``) into its canonical name.
    """
    for match in _statements(code):
        start = match.end() - len(match[0].lstrip(b";: \t"))
        base = match["base"]
        listed = (match["names"] if base is not None else match["modules"]).decode("utf-8", "replace")
        prefix = re.sub(r"\s", "", base.decode("utf-8", "replace")) if base is not None else None
        for part in listed.strip("() \t\r\n").replace("\\", " ").split(","):
            named = _PART.match(part.strip())
            if named is not None and prefix != "__future__":
                yield _import(prefix, named[1], named[2], start, absolute)


def _statements(code: bytes) -> Iterator[re.Match[bytes]]:
    """Matches of import statements. Only lines with the word are looked at, which is what makes this fast."""
    done = at = 0
    while (at := code.find(b"import", at)) >= 0:
        line_end = code.find(b"\n", at)
        line_end = len(code) if line_end < 0 else line_end
        start = max(done, code.rfind(b"\n", 0, at) + 1)
        while (begun := _IMPORT.search(code, start, line_end)) is not None:
            whole = _IMPORT.match(code, begun.start())  # may go on past the end of the line
            assert whole is not None
            yield whole
            start = done = max(whole.end(), begun.end())
        at = max(line_end, done)


def _import(
    prefix: str | None, name: str, alias: str | None, start: int, absolute: Callable[[str], str]
) -> ScannedImport:
    if prefix is None:
        local = alias or name.partition(".")[0]
        return ScannedImport(absolute(name), local, absolute(name if alias else local), start)
    if name == "*":
        return ScannedImport(absolute(prefix), "*", "", start)
    if prefix.startswith("."):
        base = absolute(prefix)
        full = f"{base}.{name}" if base else name
    else:
        full = absolute(f"{prefix}.{name}")
    return ScannedImport(full, alias or name, full, start)


def scan_reached(code: bytes, imports: Iterable[ScannedImport], last: str) -> Iterator[tuple[str, int]]:
    """Dotted names that end in the word ``last`` and start with an imported name: (canonical name, byte offset)."""
    bound = {i.alias: i.bound for i in imports if i.bound}
    word, at = b"." + last.encode(), 0
    while (at := code.find(word, at)) >= 0:
        end = at + len(word)
        chain = _CHAIN.search(code, max(0, at - _LONGEST_NAME), at)
        at = end
        if chain is None or code[end : end + 1].isalnum() or code[end : end + 1] == b"_":
            continue
        root, _, rest = (chain[0] + word).decode("utf-8", "replace").partition(".")
        if root in bound:
            yield f"{bound[root]}.{rest}", chain.start()
