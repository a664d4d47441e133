"""Pieces of expanded shell text that remember where they were written."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from gto_rules.location import Span
from gto_rules.project.model import Place, Word

_BLANKS = re.compile(r"[ \t\n\r]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text with one origin.

    ``exact`` means that ``text`` is, byte for byte, what stands at ``place.span``, so that parts of
    it have a place of their own. ``quoted`` text is never split into words. ``expanded`` text came
    out of a parameter and is split at blanks where it is not quoted.
    """

    text: str
    place: Place
    known: bool = True
    quoted: bool = False
    exact: bool = False
    expanded: bool = False

    def cut(self, start: int, end: int) -> Piece:
        """The characters ``[start, end)`` of this piece, with their own place where that is known."""
        span = self.place.span
        place = self.place
        if self.exact and span is not None:
            first = span.start + len(self.text[:start].encode())
            line = place.line + self.text.count("\n", 0, start) if place.line is not None else None
            place = Place(place.path, line, Span(first, first + len(self.text[start:end].encode())))
        return replace(self, text=self.text[start:end], place=place)


Value: TypeAlias = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One word after expansion. ``place`` is where the word stands in its command."""

    pieces: Value
    place: Place

    @property
    def text(self) -> str:
        return text_of(self.pieces)

    @property
    def known(self) -> bool:
        return all(piece.known for piece in self.pieces)

    def word(self) -> Word:
        return Word(self.text, self.known, self.place, value_place(self))


def text_of(value: Iterable[Piece]) -> str:
    return "".join(piece.text for piece in value)


def is_known(value: Iterable[Piece]) -> bool:
    return all(piece.known for piece in value)


def value_place(field: Field) -> Place:
    """Where the text of a word stands: the assignment when the word holds a variable."""
    foreign = [p for p in field.pieces if p.text and not _inside(p.place, field.place)]
    if not foreign:
        return field.place
    if len(foreign) == sum(1 for p in field.pieces if p.text) and _adjoining(foreign):
        first, last = foreign[0].place, foreign[-1].place
        assert first.span is not None and last.span is not None
        return Place(first.path, first.line, Span(first.span.start, last.span.end))
    return foreign[-1].place


def _inside(inner: Place, outer: Place) -> bool:
    if inner.path != outer.path or inner.span is None or outer.span is None:
        return inner == outer
    return outer.span.start <= inner.span.start and inner.span.end <= outer.span.end


def _adjoining(pieces: list[Piece]) -> bool:
    """Whether the pieces follow each other in one file, with nothing but quotes between them."""
    for before, after in itertools.pairwise(pieces):
        one, two = before.place, after.place
        if one.path != two.path or one.span is None or two.span is None:
            return False
        if not 0 <= two.span.start - one.span.end <= 2:
            return False
    return all(p.place.span is not None for p in pieces)


def split_fields(pieces: Iterable[Piece], place: Place) -> Iterator[Field]:
    """Words out of one expanded word: unquoted parameter text is split at blanks, the rest stays."""
    current: list[Piece] = []
    open_word = False
    for piece in pieces:
        if piece.quoted or not piece.expanded:
            current.append(piece)
            open_word = open_word or piece.quoted or bool(piece.text)
            continue
        at = 0
        for blank in _BLANKS.finditer(piece.text):
            if blank.start() > at:
                current.append(piece.cut(at, blank.start()))
                open_word = True
            if open_word:
                yield Field(tuple(current), place)
            current, open_word, at = [], False, blank.end()
        if at < len(piece.text):
            current.append(piece.cut(at, len(piece.text)))
            open_word = True
    if open_word:
        yield Field(tuple(current), place)


def join(values: Iterable[Value], gap: str = " ") -> Value:
    """Values put together with ``gap`` between them."""
    out: list[Piece] = []
    for value in values:
        if out:
            out.append(Piece(gap, out[-1].place))
        out.extend(value)
    return tuple(out)
