"""Splitting a program's own options from what it runs, by the launcher rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gto_rules.project.launchers import FlagSyntax, LauncherSpec
from gto_rules.project.model import Place
from gto_rules.project.shell_values import Field, Piece


@dataclass(frozen=True, slots=True)
class Flag:
    """An option as given. ``first``/``last`` are the words it covers, ``[first, last)``."""

    name: str
    value: Field | None
    first: int
    last: int
    glued: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """Options in order, and the index of the first word that is none."""

    flags: tuple[Flag, ...] = ()
    rest: int = 0
    unread: tuple[Field, ...] = ()

    def get(self, names: Sequence[str], syntax: FlagSyntax) -> Flag | None:
        """The last option with one of these names."""
        wanted = {syntax.canonical(n) for n in names}
        return next((f for f in reversed(self.flags) if f.name in wanted), None)


@dataclass(frozen=True)
class Level:
    """One program of a command with its own options: ``words[:first]`` name it.

    ``module`` is what a command of the project's own package runs.
    """

    spec: LauncherSpec
    name: str
    words: tuple[Field, ...]
    first: int
    options: Options
    module: str | None = None

    def flag(self, names: Sequence[str]) -> Flag | None:
        return self.options.get(names, self.spec.flags) if names else None


def read_options(words: Sequence[Field], start: int, syntax: FlagSyntax, skip: bool = True) -> Options:
    """Read options from ``words[start:]`` up to the first operand.

    Args:
        skip: A word that is not known may be skipped as holding options.
    """
    flags: list[Flag] = []
    unread: list[Field] = []
    at = start
    while at < len(words):
        text = words[at].text
        if text == "--":
            return Options(tuple(flags), at + 1, tuple(unread))
        if not text.startswith("-") or text == "-":
            if not skip or not _skippable(words, at):
                break
            unread.append(words[at])
            at += 1
            continue
        found = _flag(words, at, syntax)
        flags.extend(found)
        at = found[-1].last
    return Options(tuple(flags), at, tuple(unread))


def read_all_options(words: Sequence[Field], start: int, syntax: FlagSyntax) -> Options:
    """Every option in ``words[start:]``, wherever it stands between the operands."""
    flags: list[Flag] = []
    at = start
    while at < len(words):
        if re.match(r"--?[A-Za-z]", words[at].text):
            found = _flag(words, at, syntax)
            flags.extend(found)
            at = found[-1].last
        else:
            at += 1
    return Options(tuple(flags), start)


def _skippable(words: Sequence[Field], at: int) -> bool:
    """Whether this word, unknown as a whole, may hold options: the program then follows later."""
    word = words[at]
    substituted = word.text.startswith(("$(", "`")) and word.text.endswith((")", "`"))
    if word.known or not word.text.startswith(("$", "`")) or ("/" in word.text and not substituted):
        return False
    following = words[at + 1 :]
    if following and following[0].text.startswith("-") and not any(_like_program(w.text) for w in following):
        return False
    return bool(following)


def _like_program(text: str) -> bool:
    return text.endswith((".py", ".sh")) and not text.startswith("-")


def _flag(words: Sequence[Field], at: int, syntax: FlagSyntax) -> list[Flag]:
    text = words[at].text
    name, equals, _ = text.partition("=")
    canonical = _resolve(name, syntax)
    if equals and (text.startswith("--") or canonical in _set(syntax.all(), syntax)):
        return [Flag(canonical, after(words[at], len(name) + 1), at, at + 1, True)]
    if canonical in _set(syntax.two, syntax):
        return [Flag(canonical, _next(words, at), at, min(at + 3, len(words)))]
    if canonical in _set(syntax.bare, syntax):
        return [Flag(canonical, None, at, at + 1)]
    if canonical in _set(syntax.value, syntax):
        return [Flag(canonical, _next(words, at), at, min(at + 2, len(words)))]
    if canonical in _set(syntax.optional, syntax):
        return [_optional(words, at, canonical)]
    if not text.startswith("--"):
        short = _short(words, at, syntax)
        if short:
            return short
    if syntax.unknown == "value":
        return [_optional(words, at, canonical)]
    return [Flag(canonical, None, at, at + 1)]


def _short(words: Sequence[Field], at: int, syntax: FlagSyntax) -> list[Flag]:
    """``-n4`` and, where options may be put together, ``-xeuc``."""
    text = words[at].text
    if len(text) > 2 and text[:2] in syntax.value + syntax.optional:
        return [Flag(text[:2], after(words[at], 2), at, at + 1, True)]
    if not syntax.clustered or len(text) < 3:
        return []
    flags = [Flag("-" + letter, None, at, at + 1) for letter in text[1:]]
    if "-" + text[-1] in syntax.value:
        flags[-1] = Flag("-" + text[-1], _next(words, at), at, min(at + 2, len(words)))
    return flags


def _optional(words: Sequence[Field], at: int, name: str) -> Flag:
    value = _next(words, at)
    if value is None or value.text.startswith("-"):
        return Flag(name, None, at, at + 1)
    return Flag(name, value, at, at + 2)


def _next(words: Sequence[Field], at: int) -> Field | None:
    return words[at + 1] if at + 1 < len(words) else None


def _resolve(name: str, syntax: FlagSyntax) -> str:
    canonical = syntax.canonical(name)
    names = _set(syntax.all(), syntax)
    if canonical in names or not syntax.abbreviated or not canonical.startswith("--") or len(canonical) < 4:
        return canonical
    longer = {n for n in names if n.startswith(canonical)}
    return longer.pop() if len(longer) == 1 else canonical


def _set(names: Sequence[str], syntax: FlagSyntax) -> set[str]:
    return {syntax.canonical(n) for n in names}


def after(field: Field, count: int) -> Field:
    """The word without its first ``count`` characters."""
    pieces: list[Piece] = []
    for piece in field.pieces:
        if count >= len(piece.text) and count:
            count -= len(piece.text)
            continue
        pieces.append(piece.cut(count, len(piece.text)) if count else piece)
        count = 0
    place = pieces[0].place if len(pieces) == 1 else field.place
    return Field(tuple(pieces), place if pieces else Place(field.place.path, field.place.line))
