"""Expansion of words: parameters, arrays, arithmetic and the substitutions that need no running."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from gto_rules.project.model import Place
from gto_rules.project.shell_arithmetic import evaluate, fill
from gto_rules.project.shell_state import State, Variable
from gto_rules.project.shell_text import ShellText
from gto_rules.project.shell_values import Field, Piece, Value, is_known, join, split_fields, text_of
from gto_rules.project.shell_words import Arithmetic, Literal, Parameter, Part, RawWord, Substitution, WordReader

_DEPTH = 8


class Expander:
    """Expands the words of one text in one state."""

    def __init__(self, text: ShellText, state: State, depth: int = 0) -> None:
        self.text = text
        self.state = state
        self.depth = depth

    def fields(self, word: RawWord) -> list[Field]:
        """The words that ``word`` becomes: none, one or several."""
        place, _ = self.text.place(word.start, word.end)
        runs: list[list[Piece]] = [[]]
        for part in word.parts:
            for number, value in enumerate(self._values(part)):
                if number:
                    runs.append([])
                runs[-1].extend(value)
        return [f for run in runs for f in split_fields(run, place)]

    def value(self, parts: tuple[Part, ...]) -> Value:
        """The text of ``parts`` as one value, as in an assignment."""
        pieces: list[Piece] = []
        for part in parts:
            pieces.extend(join(list(self._values(part))))
        return tuple(replace(p, quoted=False, expanded=False) for p in pieces)

    def string(self, start: int, end: int) -> Value:
        """The text ``[start, end)`` read as the inside of a double-quoted string."""
        return self.value(WordReader(self.text.text, start, end).string())

    def _values(self, part: Part) -> Iterator[Value]:
        if isinstance(part, Literal):
            place, exact = self.text.place(part.start, part.end)
            yield (Piece(part.text, place, quoted=part.quoted, exact=exact and part.exact),)
        elif isinstance(part, Parameter):
            yield from self._parameter(part)
        elif isinstance(part, Arithmetic):
            yield (self._arithmetic(part),)
        else:
            yield self._substitution(part)

    def as_written(self, start: int, end: int, quoted: bool) -> Piece:
        place, exact = self.text.place(start, end)
        return Piece(self.text.slice(start, end), place, known=False, quoted=quoted, exact=exact)

    def lookup(self, name: str) -> Variable | None:
        """The variable or special parameter ``name``; None when it is not set."""
        state = self.state
        if name == "0" or name == "BASH_SOURCE":
            return None if state.script is None else Variable((self._made(state.script),))
        if name == "PWD":
            return None if state.root is None else Variable((self._made(posixpath.join(state.root, state.cwd)),))
        if name in "@*" or name == "#" or name.isdigit():
            return self._argument(name)
        return state.variables.get(name)

    def _made(self, text: str) -> Value:
        return (Piece(text, Place(None, None)),)

    def _argument(self, name: str) -> Variable | None:
        arguments = self.state.arguments
        if arguments is None:
            return None
        if name == "#":
            return Variable((self._made(str(len(arguments))),))
        if name in "@*":
            return Variable(arguments, array=True)
        at = int(name) - 1
        return Variable((arguments[at],)) if at < len(arguments) else Variable(((),))

    def _parameter(self, part: Parameter) -> Iterator[Value]:
        found = self.lookup(part.name)
        if found is not None and not found.settled:
            yield (self.as_written(part.start, part.end, part.quoted),)
            return
        if part.operator.startswith("#") and part.start + 2 < part.end and not part.argument:
            yield self._length(part, found)
            return
        if part.operator.startswith("!"):
            yield self._indirect(part, found)
            return
        values = None if found is None else self._chosen(part, found)
        for value in self._operate(part, values):
            if part.quoted and not value and not _is_list(part):
                value = (Piece("", self.text.place(part.start, part.end)[0]),)
            # Text that is not known may hold blanks of its own; it is never split.
            yield tuple(replace(p, quoted=part.quoted, expanded=p.known and not part.quoted) for p in value)

    def _chosen(self, part: Parameter, found: Variable) -> list[Value] | None:
        if part.name == "*" or (part.index == "*" and part.quoted):
            return [join(found.values)]
        if part.name == "@" or part.index in ("@", "*"):
            return list(found.values)
        if part.index is not None:
            at = evaluate(part.index, self.known_text)
            inside = at is not None and -len(found.values) <= at < len(found.values)
            return [found.values[at]] if at is not None and inside else None
        return [found.values[0]] if found.values else [()]

    def known_text(self, name: str) -> str | None:
        found = self.lookup(name)
        if found is None or not found.settled or not found.values or not is_known(found.values[0]):
            return None
        return text_of(found.values[0])

    def _operate(self, part: Parameter, values: list[Value] | None) -> list[Value]:
        kind = part.operator
        empty = values is None or all(not text_of(v) for v in values)
        if kind in (":-", "-", ":=", "="):
            absent = empty if kind.startswith(":") else values is None
            if not absent:
                return values or []
            default = self.value(part.argument)
            if kind.endswith("="):
                self.state.assign(part.name, Variable((default,)))
            return [default]
        if kind in (":+", "+"):
            absent = empty if kind.startswith(":") else values is None
            return [()] if absent else [self.value(part.argument)]
        if values is None:
            return [(self.as_written(part.start, part.end, part.quoted),)]
        if kind in ("", ":?", "?"):
            return values
        return [self._edited(part, value) for value in values]

    def _edited(self, part: Parameter, value: Value) -> Value:
        """``${name%pattern}`` and its like, where all of it is known."""
        argument = self.value(part.argument)
        text = edit(part.operator, text_of(value), text_of(argument)) if is_known(value + argument) else None
        if text is None:
            return (self.as_written(part.start, part.end, part.quoted),)
        place = value[0].place if value else self.text.place(part.start, part.end)[0]
        return (Piece(text, place),)

    def _length(self, part: Parameter, found: Variable | None) -> Value:
        values = None if found is None else self._chosen(part, found)
        if values is None or not all(is_known(v) for v in values):
            return (self.as_written(part.start, part.end, part.quoted),)
        many = part.index in ("@", "*") or part.name in "@*"
        return self._made(str(len(values) if many else len(text_of(values[0]))))

    def _indirect(self, part: Parameter, found: Variable | None) -> Value:
        target = None if found is None or not found.values else self.lookup(text_of(found.values[0]) or "?")
        if target is None or not target.settled or not target.values or part.operator != "!":
            return (self.as_written(part.start, part.end, part.quoted),)
        return target.values[0]

    def _arithmetic(self, part: Arithmetic) -> Piece:
        expression = text_of(self.string(part.first, part.last))
        number = evaluate(expression, self.known_text)
        place, exact = self.text.place(part.start, part.end)
        if number is not None:
            return Piece(str(number), place, quoted=part.quoted)
        shown = "$((" + fill(expression, self.known_text) + "))"
        exact = exact and shown == self.text.slice(part.start, part.end)
        return Piece(shown, place, known=False, quoted=part.quoted, exact=exact)

    def _substitution(self, part: Substitution) -> Value:
        found = self._pure(part) if self.depth < _DEPTH else None
        if found is None:
            return (self.as_written(part.start, part.end, part.quoted),)
        place, _ = self.text.place(part.start, part.end)
        return (Piece(found, place, quoted=part.quoted),)

    def _pure(self, part: Substitution) -> str | None:
        """What ``$(dirname FILE)``, ``$(cd DIR && pwd)`` and their like give without running them."""
        text = self.text.text
        if text.startswith(b"$(", part.start):
            first, last = part.start + 2, part.end - 1
        elif text.startswith(b"`", part.start):
            first, last = part.start + 1, part.end - 1
        else:
            return None
        inner = Expander(self.text, self.state.copy(), self.depth + 1)
        result: str | None = None
        for start, end in _steps(text, first, last):
            words = [f for w in WordReader(text, start, end).words(False) for f in inner.fields(w)]
            if not words or not all(w.known for w in words):
                return None
            result = _step([w.text for w in words], inner.state)
            if result is None:
                return None
        return result


def _steps(text: bytes, start: int, end: int) -> list[tuple[int, int]]:
    """The commands between ``&&`` and ``;``; nothing when there is more than plain commands."""
    raw = text[start:end]
    plain = re.sub(rb"(>\s*/dev/null|2>&1|&>\s*/dev/null)", lambda m: b" " * len(m.group()), raw)
    if re.search(rb"[|<>]", plain):
        return []
    spans, at = [], start
    for separator in re.finditer(rb"&&|;|\n", plain):
        spans.append((at, start + separator.start()))
        at = start + separator.end()
    spans.append((at, end))
    return [s for s in spans if text[s[0] : s[1]].strip()]


def _step(words: list[str], state: State) -> str | None:
    """Output of one pure command; ``cd`` changes the state and prints nothing."""
    name, arguments = words[0], [w for w in words[1:] if not w.startswith("-") or len(w) == 1]
    if name == "cd" and len(arguments) == 1:
        state.cwd = posixpath.normpath(posixpath.join(state.cwd, arguments[0]))
        return ""
    if name == "pwd":
        return None if state.root is None else posixpath.normpath(posixpath.join(state.root, state.cwd))
    if name == "dirname" and len(arguments) == 1:
        return posixpath.dirname(arguments[0].rstrip("/")) or "."
    if name == "basename" and arguments:
        base = posixpath.basename(arguments[0].rstrip("/"))
        return base.removesuffix(arguments[1]) if len(arguments) > 1 else base
    if name in ("realpath", "readlink") and len(arguments) == 1 and state.root is not None:
        return posixpath.normpath(posixpath.join(state.root, state.cwd, arguments[0]))
    if name == "echo" and len(words) == len(arguments) + 1:
        return " ".join(arguments)
    return None


def edit(operator: str, text: str, argument: str) -> str | None:
    """The text after one of the editing operators of ``${name...}``; None for the others."""
    if operator in ("#", "##", "%", "%%"):
        return _trim(operator, text, argument)
    if operator in ("/", "//"):
        old, _, new = argument.partition("/")
        pattern = re.compile(fnmatch.translate(old)[:-2]) if old else None
        return text if pattern is None else pattern.sub(lambda _: new, text, count=0 if operator == "//" else 1)
    if operator in ("^^", ",,"):
        return text.upper() if operator == "^^" else text.lower()
    if operator in ("^", ","):
        return (text[:1].upper() if operator == "^" else text[:1].lower()) + text[1:]
    if operator == ":":
        bounds = re.fullmatch(r"\s*(-?\d+)\s*(?::\s*(\d+)\s*)?", argument)
        if bounds is None:
            return None
        first = int(bounds.group(1))
        return text[first:] if bounds.group(2) is None else text[first:][: int(bounds.group(2))]
    return None


def _trim(operator: str, text: str, pattern: str) -> str:
    matcher = re.compile(fnmatch.translate(pattern))
    if operator.startswith("#"):
        cuts = range(len(text) + 1) if operator == "#" else range(len(text), -1, -1)
        return next((text[c:] for c in cuts if matcher.match(text[:c])), text)
    cuts = range(len(text), -1, -1) if operator == "%" else range(len(text) + 1)
    return next((text[:c] for c in cuts if matcher.match(text[c:])), text)


def _is_list(part: Parameter) -> bool:
    return part.name == "@" or part.index == "@"
