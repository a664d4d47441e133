"""Where the Python text of a project comes from: files and the code cells of notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gto_rules.documents.model import NotebookDocument, SourceText
from gto_rules.location import Span


@dataclass(frozen=True, slots=True)
class PythonText:
    """Python source of one file.

    Attributes:
        path: The file.
        text: What is parsed. For a notebook, its code cells one after the other.
        source: The text that spans for people and edits index.
        offsets: For a notebook, the byte offset in ``source`` of each byte of ``text``; else None.
    """

    path: str
    text: bytes
    source: SourceText
    offsets: Sequence[int] | None = None

    def span(self, start: int, end: int) -> Span:
        """The span in ``source`` of ``text[start:end]``."""
        if self.offsets is None or not self.offsets:
            return Span(start, end)
        last = len(self.offsets) - 1
        first = self.offsets[min(start, last)]
        return Span(first, self.offsets[min(max(end - 1, start), last)] + 1 if end > start else first)

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based (line, column) in ``source`` of an offset into ``text``."""
        return self.source.position(self.span(offset, offset).start)

    def line(self, offset: int) -> int:
        return self.position(offset)[0]


def from_source(source: SourceText) -> PythonText:
    return PythonText(source.path, source.text, source)


def from_notebook(document: NotebookDocument) -> PythonText:
    """The cells joined, so that a name of one cell is known in the next."""
    pieces: list[bytes] = []
    offsets: list[int] = []
    for cell in document.cells:
        text = cell.document.source.text
        pieces += [text, b"\n"]
        offsets.extend(cell.offsets[: len(text)])
        offsets += [offsets[-1] if offsets else 0] * (len(text) - len(cell.offsets[: len(text)]) + 1)
    return PythonText(document.path, b"".join(pieces), document.source, offsets)
