"""Reading the words of a command: quotes, parameters, substitutions, with exact offsets.

The syntax tree says where commands are; the words inside are read here, because the tree drops the
blanks between the parts of a string and takes a line continuation inside a word for its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_SPECIAL = b"@*#?$!-0123456789"
_OPERATOR = re.compile(rb":[-=?+]|[-=?+]|##|#|%%|%|//|/|\^\^|\^|,,|,|:|@")
# ``<your_port>`` in documentation is a value to fill in, not two redirections.
PLACEHOLDER = re.compile(rb"(?<![<\d>])<[A-Za-z_][\w ./:-]*>")
_BLANK = b" \t\r\n"
_STOP = _BLANK + b";|&()<>"
_NOT_PLAIN = _STOP + b"'\"\\`$"


@dataclass(frozen=True, slots=True)
class Literal:
    text: str
    start: int
    end: int
    quoted: bool = False
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Parameter:
    """``$name``, ``${name}`` or ``${name<operator>argument}``; ``index`` is what stands in ``[]``."""

    name: str
    start: int
    end: int
    quoted: bool = False
    operator: str = ""
    argument: tuple[Part, ...] = ()
    index: str | None = None


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``$((...))``; the expression is at ``[first, last)``."""

    first: int
    last: int
    start: int
    end: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Substitution:
    """A command or process substitution: what it gives is known only at run time."""

    start: int
    end: int
    quoted: bool = False


Part: TypeAlias = Literal | Parameter | Arithmetic | Substitution


@dataclass(frozen=True, slots=True)
class RawWord:
    """A word as written. ``array`` holds the elements of ``NAME=(...)``."""

    parts: tuple[Part, ...]
    start: int
    end: int
    array: tuple[RawWord, ...] | None = field(default=None)


class WordReader:
    """Reads words in ``text[start:end]``. Never raises: what is not closed ends with the text."""

    def __init__(self, text: bytes, start: int = 0, end: int | None = None) -> None:
        self.text = text
        self.at = start
        self.end = len(text) if end is None else end

    def words(self, assignments: bool = True) -> Iterator[RawWord]:
        """Every word; redirections are left out. Arrays are read in leading ``NAME=(...)`` words."""
        while True:
            self._skip_blanks()
            if self.at >= self.end:
                return
            byte = self.text[self.at : self.at + 1]
            if byte in b"<>" and self._redirects():
                self._skip_redirection()
            elif byte in b";|&()":
                self._skip_operator()
            else:
                word = self._word(assignments)
                if self._is_descriptor(word):
                    continue
                yield word

    def _redirects(self) -> bool:
        substitution = self.text[self.at + 1 : self.at + 2] == b"("
        return not substitution and PLACEHOLDER.match(self.text, self.at) is None

    def one(self) -> RawWord:
        """The word that begins right here."""
        return self._word(False)

    def _skip_operator(self) -> None:
        if self.text.startswith(b"&>", self.at):
            self.at += 1
            self._skip_redirection()
        else:
            self.at += 1

    def _is_descriptor(self, word: RawWord) -> bool:
        """Whether the word is the number in ``2>file``."""
        following = self.text[self.at : self.at + 1]
        return following in (b"<", b">") and self.text[word.start : word.end].isdigit()

    def _skip_blanks(self) -> None:
        while self.at < self.end:
            if self.text[self.at] in _BLANK:
                self.at += 1
            elif self._continuation():
                self.at += self._continuation()
            elif self.text[self.at : self.at + 1] == b"#":
                newline = self.text.find(b"\n", self.at, self.end)
                self.at = self.end if newline < 0 else newline
            else:
                return

    def _continuation(self) -> int:
        """Length of a backslash and line ending here, or 0."""
        if self.text.startswith(b"\\\n", self.at):
            return 2
        if self.text.startswith(b"\\\r\n", self.at):
            return 3
        return 0

    def _skip_redirection(self) -> None:
        while self.at < self.end and self.text[self.at] in b"<>&|-":
            if self.text.startswith((b"<(", b">("), self.at):
                break
            self.at += 1
        self._skip_blanks()
        if self.at < self.end and self.text[self.at] not in b";|&)":
            before = self.at
            self._word(False)
            self.at = max(self.at, before)

    def _word(self, assignments: bool) -> RawWord:
        start, parts = self.at, []  # type: int, list[Part]
        while self.at < self.end:
            byte = self.text[self.at : self.at + 1]
            if byte == b"<" and (filled := PLACEHOLDER.match(self.text, self.at, self.end)):
                parts.append(Substitution(self.at, filled.end()))
                self.at = filled.end()
            elif byte in (b"<", b">") and self.text[self.at + 1 : self.at + 2] == b"(":
                if parts:
                    break
                parts.append(self._substitution(self.at + 1, False))
            elif assignments and byte == b"(" and self._after_assignment(start):
                return self._array(start, parts)
            elif self.text[self.at] in _STOP:
                break
            else:
                parts.extend(self._part())
        if self.at == start:  # always go forward
            self.at += 1
        return RawWord(tuple(parts), start, self.at)

    def _after_assignment(self, start: int) -> bool:
        written = self.text[start : self.at]
        return written.endswith(b"=") and _NAME.match(written) is not None

    def _array(self, start: int, parts: list[Part]) -> RawWord:
        close = closing(self.text, self.at, self.end)
        inner = WordReader(self.text, self.at + 1, close)
        elements = tuple(inner.words(assignments=False))
        self.at = min(close + 1, self.end)
        return RawWord(tuple(parts), start, self.at, elements)

    def _part(self) -> list[Part]:
        byte = self.text[self.at : self.at + 1]
        if byte == b"'":
            return [self._single()]
        if byte == b'"':
            return self._double()
        if byte == b"\\":
            return self._escape()
        if byte == b"`" or byte == b"$":
            return self._dollar(False)
        return [self._plain()]

    def _plain(self) -> Literal:
        start = self.at
        while self.at < self.end and self.text[self.at] not in _NOT_PLAIN:
            self.at += 1
        return self._literal(start, self.at)

    def _literal(self, start: int, end: int, quoted: bool = False) -> Literal:
        return Literal(self.text[start:end].decode("utf-8", "replace"), start, end, quoted)

    def _single(self) -> Literal:
        start = self.at + 1
        close = self.text.find(b"'", start, self.end)
        close = self.end if close < 0 else close
        self.at = min(close + 1, self.end)
        return self._literal(start, close, True)

    def _escape(self) -> list[Part]:
        skipped = self._continuation()
        if skipped:
            self.at += skipped
            return []
        start = self.at
        width = _width(self.text, start + 1)
        self.at = min(start + 1 + width, self.end)
        text = self.text[start + 1 : self.at].decode("utf-8", "replace") or "\\"
        return [Literal(text, start, self.at, True, False)]

    def string(self) -> tuple[Part, ...]:
        """What is left of the text, as the inside of a double-quoted string."""
        return tuple(self._quoted(b""))

    def _double(self) -> list[Part]:
        self.at += 1
        parts = self._quoted(b'"')
        self.at = min(self.at + 1, self.end)
        return parts

    def _quoted(self, close: bytes) -> list[Part]:
        parts: list[Part] = []
        opened = run = self.at
        while self.at < self.end and self.text[self.at : self.at + 1] != close:
            byte = self.text[self.at : self.at + 1]
            escaped = byte == b"\\" and self.text[self.at + 1 : self.at + 2] in (b"$", b"`", b'"', b"\\", b"\n")
            if not escaped and byte not in b"$`" and not (byte == b"\\" and self._continuation()):
                self.at += 1
                continue
            if run < self.at:
                parts.append(self._literal(run, self.at, True))
            parts.extend(self._escape() if escaped or byte == b"\\" else self._dollar(True))
            run = self.at
        if run < self.at or opened == self.at:
            parts.append(self._literal(run, self.at, True))
        return parts

    def _dollar(self, quoted: bool) -> list[Part]:
        start, text = self.at, self.text
        if text[start : start + 1] == b"`":
            return [self._backquote(quoted)]
        if text.startswith(b"$((", start):
            return [self._arithmetic(quoted)]
        if text.startswith(b"$(", start):
            return [self._substitution(start + 1, quoted)]
        if text.startswith(b"${", start):
            return [self._braces(quoted)]
        if not quoted and text.startswith(b"$'", start):
            return [self._ansi()]
        if not quoted and text.startswith(b'$"', start):
            self.at += 1
            return self._double()
        name = _NAME.match(text, start + 1, self.end)
        if name:
            self.at = name.end()
            return [Parameter(name.group().decode(), start, self.at, quoted)]
        if start + 1 < self.end and text[start + 1] in _SPECIAL:
            self.at = start + 2
            return [Parameter(chr(text[start + 1]), start, self.at, quoted)]
        self.at += 1
        return [Literal("$", start, self.at, quoted)]

    def _ansi(self) -> Literal:
        start = self.at
        at = start + 2
        while at < self.end and self.text[at : at + 1] != b"'":
            at += 2 if self.text[at : at + 1] == b"\\" else 1
        raw = self.text[start + 2 : min(at, self.end)]
        self.at = min(at + 1, self.end)
        text = re.sub(rb"\\(.)", lambda m: _ANSI.get(m.group(1), m.group(1)), raw, flags=re.S)
        return Literal(text.decode("utf-8", "replace"), start, self.at, True, False)

    def _backquote(self, quoted: bool) -> Substitution:
        start = self.at
        at = start + 1
        while at < self.end and self.text[at : at + 1] != b"`":
            at += 2 if self.text[at : at + 1] == b"\\" else 1
        self.at = min(at + 1, self.end)
        return Substitution(start, self.at, quoted)

    def _substitution(self, bracket: int, quoted: bool) -> Substitution:
        start = self.at
        self.at = min(closing(self.text, bracket, self.end) + 1, self.end)
        return Substitution(start, self.at, quoted)

    def _arithmetic(self, quoted: bool) -> Arithmetic:
        start = self.at
        close = closing(self.text, start + 1, self.end)
        self.at = min(close + 1, self.end)
        return Arithmetic(start + 3, max(start + 3, close - 1), start, self.at, quoted)

    def _braces(self, quoted: bool) -> Part:
        start = self.at
        close = closing_brace(self.text, start + 1, self.end)
        self.at = min(close + 1, self.end)
        at = start + 2
        prefix = ""
        if self.text[at : at + 1] in (b"!", b"#") and at + 1 < close:
            prefix = self.text[at : at + 1].decode()
            at += 1
        name = _NAME.match(self.text, at, close)
        after = name.end() if name else at + 1
        if name is None and (at >= close or self.text[at] not in _SPECIAL):
            return Substitution(start, self.at, quoted)
        index = None
        if self.text[after : after + 1] == b"[":
            bracket = self.text.find(b"]", after, close)
            if bracket < 0:
                return Substitution(start, self.at, quoted)
            index, after = self.text[after + 1 : bracket].decode("utf-8", "replace"), bracket + 1
        operator = _OPERATOR.match(self.text, after, close)
        shown = prefix + (operator.group().decode() if operator else "")
        argument = self._argument(operator.end(), close, quoted) if operator else ()
        label = self.text[at : name.end() if name else at + 1].decode()
        return Parameter(label, start, self.at, quoted, shown, argument, index)

    def _argument(self, start: int, end: int, quoted: bool) -> tuple[Part, ...]:
        inner = WordReader(self.text, start, end)
        parts: list[Part] = []
        while inner.at < end:
            if inner.text[inner.at] in _STOP:
                parts.append(inner._literal(inner.at, inner.at + 1, quoted))
                inner.at += 1
            else:
                parts.extend(inner._part())
        return tuple(parts)


_ANSI = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"e": b"\x1b", b"0": b"\0"}


def _width(text: bytes, at: int) -> int:
    """Bytes of the UTF-8 character at ``at``."""
    lead = text[at] if at < len(text) else 0
    return 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def closing(text: bytes, opening: int, end: int) -> int:
    """Offset of the ``)`` that closes the bracket at ``opening``, or ``end``."""
    return _closing(text, opening, end, b"(", b")")


def closing_brace(text: bytes, opening: int, end: int) -> int:
    """Offset of the ``}`` that closes the brace at ``opening``, or ``end``."""
    return _closing(text, opening, end, b"{", b"}")


def _closing(text: bytes, opening: int, end: int, left: bytes, right: bytes) -> int:
    depth, at = 0, opening
    quote = b""
    while at < end:
        byte = text[at : at + 1]
        if byte == b"\\" and quote != b"'":
            at += 1
        elif quote:
            quote = b"" if byte == quote else quote
        elif byte in (b"'", b'"'):
            quote = byte
        elif byte == left:
            depth += 1
        elif byte == right:
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return end
