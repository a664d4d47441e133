"""Flags and their values out of the words of a command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from gto_rules.facts.model import Origin, OriginKind
from gto_rules.facts.settings.typed import from_text, is_bool_word, is_placeholder
from gto_rules.location import Span
from gto_rules.project.model import Place, Word

_FLAG = re.compile(r"--?[A-Za-z_]")
_ASSIGNMENT = re.compile(r"[+~]*[A-Za-z_][\w./@-]*=")


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag of a command with the words that follow it.

    Attributes:
        name: Without leading dashes, hyphens as underscores (``rate_limit``).
        word: The word that opens it.
        values: The words up to the next flag; one word when the value is attached by ``=``.
        attached: Written as ``--name=value``.
    """

    name: str
    word: Word
    values: tuple[Word, ...]
    attached: bool = False

    @property
    def written(self) -> str:
        return self.word.text.partition("=")[0]


def normal(name: str) -> str:
    """A flag's name without dashes; hyphens and underscores are the same."""
    return name.lstrip("-").replace("-", "_")


def is_flag(text: str) -> bool:
    return _FLAG.match(text) is not None


def read_flags(words: Iterable[Word]) -> tuple[tuple[Flag, ...], tuple[Word, ...]]:
    """The flags of a command in order, and the words before the first flag."""
    flags: list[Flag] = []
    before: list[Word] = []
    for word in words:
        if is_flag(word.text):
            flags.append(_open_flag(word))
        elif not flags:
            before.append(word)
        elif not flags[-1].attached:
            last = flags[-1]
            flags[-1] = replace(last, values=(*last.values, word))
    return tuple(flags), tuple(before)


def _open_flag(word: Word) -> Flag:
    name, equals, value = word.text.partition("=")
    if not equals:
        return Flag(normal(name), word, ())
    return Flag(normal(name), word, (replace(word, text=value),), attached=True)


def values_for(flag: Flag, kind: str) -> tuple[Word, ...]:
    """The words of a flag that belong to a setting of this type."""
    if kind == "bool" and flag.values and not flag.attached:
        first = flag.values[0]
        return flag.values[:1] if is_bool_word(first.text) or not first.known else ()
    if kind == "list":
        return tuple(_until_assignment(flag.values))
    return flag.values[:1]


def _until_assignment(words: Iterable[Word]) -> Iterator[Word]:
    for word in words:
        if _ASSIGNMENT.match(word.text):
            return
        yield word


def flag_origin(flag: Flag, kind: str, *, negative: bool = False) -> Origin:
    """What a flag sets: a bare flag is true (false for its ``no`` form)."""
    words = values_for(flag, kind)
    if not words:
        place = flag.word.value_place if flag.word.value_place.line is not None else flag.word.place
        return Origin(
            "cli", place.path, place.line, place.span, not negative, flag.word.text, key=flag.written, anchor=place.span
        )
    return words_origin("cli", words, kind, flag.written, _anchor(flag, words))


def words_origin(
    origin_kind: OriginKind, words: tuple[Word, ...], kind: str, key: str, anchor: Span | None = None
) -> Origin:
    """An origin for one or more words; several become a list."""
    place = words[0].value_place if words[0].value_place.line is not None else words[0].place
    text = " ".join(w.text for w in words)
    unknown = [f"depends on {w.text}" for w in words if not w.known]
    unknown += [f"{w.text} is a placeholder" for w in words if is_placeholder(w.text)]
    if unknown:
        reason = unknown[0]
        return Origin(origin_kind, place.path, place.line, place.span, None, text, True, reason, key, anchor)
    values = [from_text(w.text, "any" if kind == "list" else kind) for w in words]
    value = values if kind == "list" and (len(values) > 1 or not isinstance(values[0], list)) else values[0]
    return Origin(origin_kind, place.path, place.line, place.span, value, text, key=key, anchor=anchor)


def _anchor(flag: Flag, words: tuple[Word, ...]) -> Span | None:
    """The flag with its value, when both stand in one place."""
    first, last = flag.word.place, words[-1].place
    if first.span is None or last.span is None or not _same_file(first, last):
        return None
    return Span(min(first.span.start, last.span.start), max(first.span.end, last.span.end))


def _same_file(a: Place, b: Place) -> bool:
    return a.path == b.path
