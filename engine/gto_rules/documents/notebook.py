"""Jupyter notebooks → code cells as Python, with every byte's place in the notebook file."""

from __future__ import annotations

import re

from gto_rules.documents.data_json import read_json
from gto_rules.documents.grammar import parse_tree
from gto_rules.documents.model import (
    Cell,
    DataDocument,
    Mapping,
    Node,
    NotebookDocument,
    PythonDocument,
    Scalar,
    Sequence,
    SourceText,
)

_ESCAPES = {"n": b"\n", "t": b"\t", "r": b"\r", "b": b"\b", "f": b"\f", '"': b'"', "\\": b"\\", "/": b"/"}
# Line magics, shell escapes and help requests are not Python: blanked to the same length, with the
# lines that a backslash adds to them.
_REST = rb"(?:[^\\\n]|\\.|\\\n)*"
_MAGIC = re.compile(rb"^[ \t]*(?:[%!?]" + _REST + rb"|[\w.]+\?{1,2}[ \t]*)$", re.M)
_ASSIGNED = re.compile(rb"^([ \t]*[\w., \t]+=[ \t]*)([!%]" + _REST + rb")$", re.M)
_UNICODE = re.compile(rb"\\u([0-9a-fA-F]{4})")
_CELL_MAGIC = re.compile(rb"^\s*%%(\w+)")
_PYTHON_CELLS = frozenset((b"time", b"timeit", b"capture", b"prun"))


def read_notebook(source: SourceText) -> NotebookDocument:
    """The Python cells of a notebook; a notebook in another language has none."""
    data = read_json(source)
    if _language(data) not in (None, "python"):
        return NotebookDocument(source, "notebook", data.problems)
    entry = data.find("cells")
    rows = entry.value.items if entry is not None and isinstance(entry.value, Sequence) else ()
    cells = [_cell(source, index, row) for index, row in enumerate(rows) if _is_code(row)]
    return NotebookDocument(source, "notebook", data.problems, cells=tuple(c for c in cells if c is not None))


def _language(data: DataDocument) -> str | None:
    for path in (("metadata", "kernelspec", "language"), ("metadata", "language_info", "name")):
        entry = data.find(*path)
        if entry is not None and isinstance(entry.value, Scalar):
            return str(entry.value.value).lower()
    return None


def _is_code(row: Node) -> bool:
    kind = row.get("cell_type") if isinstance(row, Mapping) else None
    return kind is not None and isinstance(kind.value, Scalar) and kind.value.value == "code"


def _cell(source: SourceText, index: int, row: Node) -> Cell | None:
    entry = row.get("source") if isinstance(row, Mapping) else None
    if entry is None:
        return None
    parts = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
    text = bytearray()
    offsets: list[int] = []
    for part in parts:
        if isinstance(part, Scalar) and isinstance(part.value, str):
            _decode(source.text, part.span.start + 1, part.span.end - 1, text, offsets)
    offsets.append(entry.value.span.end)
    cell = SourceText(source.path, bytes(text), bytes(text))
    tree, problems = parse_tree("python", cell)
    if problems:  # only what is no Python can hold magics; a ``% b`` may also go on with an expression
        cell = SourceText(source.path, bytes(text), _blank(bytes(text)))
        tree, problems = parse_tree("python", cell)
    return Cell(index, PythonDocument(cell, "python", problems, tree=tree), tuple(offsets))


def _blank(text: bytes) -> bytes:
    magic = _CELL_MAGIC.match(text)
    if magic and magic[1] not in _PYTHON_CELLS:
        return _spaces(text)
    text = _ASSIGNED.sub(lambda found: found[1] + b"0" + _spaces(found[2][1:]), text)
    return _MAGIC.sub(lambda found: _spaces(found[0]), text)


def _spaces(text: bytes) -> bytes:
    return re.sub(rb"[^\n]", b" ", text)


def _decode(raw: bytes, start: int, end: int, text: bytearray, offsets: list[int]) -> None:
    """Undo JSON's escapes between two offsets, noting for each byte where it came from."""
    at = start
    while at < end:
        step, piece = 1, raw[at : at + 1]
        if piece == b"\\":
            step, piece = _escape(raw, at)
        text += piece
        offsets.extend([at] * len(piece))
        at += step


def _escape(raw: bytes, at: int) -> tuple[int, bytes]:
    """Length of the escape at ``at``, and the bytes that it stands for."""
    high = _UNICODE.match(raw, at)
    if high is None:
        letter = raw[at + 1 : at + 2].decode("latin-1")
        return 2, _ESCAPES.get(letter, letter.encode())
    code = int(high[1], 16)
    low = _UNICODE.match(raw, at + 6) if 0xD800 <= code < 0xDC00 else None
    if low is not None and 0xDC00 <= int(low[1], 16) < 0xE000:
        return 12, chr(0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00).encode("utf-8")
    return 6, chr(code).encode("utf-8", "replace")
