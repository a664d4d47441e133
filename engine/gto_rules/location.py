"""Places in files: the value types that every room shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range ``[start, end)`` of byte offsets into a document's UTF-8 text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place for people: ``path`` relative to the project (POSIX), lines and columns from 1.

    Columns count characters, not bytes. ``end_line``/``end_column`` point just past the text.
    """

    path: str
    line: int
    column: int = 1
    end_line: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, order=True)
class Evidence:
    """A location and what was read there.

    ``path`` is None when the launch command itself is the place. ``text`` is one short line.
    """

    path: str | None
    line: int | None
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "line": self.line, "text": self.text}
