"""Walking the commands of one shell text: words, assignments and plain commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

from tree_sitter import Node

from gto_rules.project.shell_expand import Expander
from gto_rules.project.shell_state import State, Variable
from gto_rules.project.shell_tests import decide_words
from gto_rules.project.shell_text import ShellText
from gto_rules.project.shell_values import Field, Piece, Value
from gto_rules.project.shell_words import RawWord, WordReader

ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[([^\]]*)\])?(\+?)=")
MAX_DEPTH = 16
_MAX_COMMANDS = 5000
_TRANSPARENT = frozenset({"time", "command", "builtin", "exec"})
SILENT = frozenset({"comment", "heredoc_body", "heredoc_redirect", "file_redirect", "herestring_redirect"})


class Leave(Exception):  # noqa: N818 - control flow, not an error
    """``return``, ``exit``, ``break`` or ``continue`` that is reached for certain."""

    def __init__(self, word: str) -> None:
        self.word = word


@dataclass(frozen=True)
class Context:
    """Around a command: the open decisions, loops and whether it runs in the background.

    ``written`` is the outermost command as it stands in its text.
    """

    branches: tuple[tuple[int, int], ...] = ()
    looped: bool = False
    background: bool = False
    depth: int = 0
    scripts: tuple[str, ...] = ()
    followed: tuple[str, ...] = ()
    written: str = ""


@dataclass(frozen=True)
class Command:
    """One command that would run. ``state`` is the shell's state at that moment."""

    fields: tuple[Field, ...]
    assigned: dict[str, Field]
    state: State
    context: Context
    text: ShellText
    stdin: Value | None = None


class Host(Protocol):
    """What a walk needs from the run that it is a part of."""

    def note(self, problem: str) -> None: ...

    def decision(self) -> int: ...

    def count(self) -> int: ...

    def hand_out(self, command: Command) -> None: ...

    def script(self, path: str, state: State, context: Context) -> ShellText | None: ...


Outcome: TypeAlias = "bool | None"
Statement: TypeAlias = "Callable[[Walk, Node], Outcome]"
Builtin: TypeAlias = "Callable[[Walk, tuple[Field, ...], list[RawWord]], Outcome]"


@dataclass(frozen=True)
class Tables:
    """Who walks which kind of statement, and the commands that change the shell itself."""

    statements: Mapping[str, Statement]
    builtins: Mapping[str, Builtin]


class Walk:
    """The walk over one text."""

    def __init__(self, runner: Host, tables: Tables, text: ShellText, state: State, context: Context) -> None:
        self.runner = runner
        self.tables = tables
        self.text = text
        self.state = state
        self.context = context
        self.stdin: Value | None = None
        self._current = ""

    @property
    def expander(self) -> Expander:
        return Expander(self.text, self.state)

    def node(self, node: Node) -> bool | None:
        """Walk one statement; its outcome where that is known."""
        handler = self.tables.statements.get(node.type)
        if handler is not None:
            return handler(self, node)
        self.sequence(node.children)
        return None

    def sequence(self, nodes: list[Node]) -> None:
        for at, node in enumerate(nodes):
            if not node.is_named or node.type in SILENT:
                continue
            background = at + 1 < len(nodes) and nodes[at + 1].type == "&"
            before = self.context
            if background:
                self.context = replace(before, background=True)
            self.node(node)
            self.context = before

    def words(self, node: Node, assignments: bool = True) -> list[RawWord]:
        """The words of a node as written."""
        return list(WordReader(self.text.text, node.start_byte, node.end_byte).words(assignments))

    # -- plain commands

    def command(self, node: Node, stdin: Value | None = None) -> bool | None:
        if self.runner.count() > _MAX_COMMANDS:
            self.runner.note("the script is too long to follow to its end")
            raise Leave("exit")
        raw = self.words(node)
        self.stdin = stdin
        self._current = self.text.slice(node.start_byte, node.end_byte)
        assigned: dict[str, Field] = {}
        before = self.state
        if raw and self.assigned_name(raw[0]) is not None:
            self.state = before.copy()
        while raw and (name := self.assigned_name(raw[0])) is not None:
            word = raw.pop(0)
            assigned[name] = self._assigned(word)
            self.assign(word)  # later assignments before the same command see it
        during, self.state = self.state, before
        fields = tuple(f for word in raw for f in self.expander.fields(word))
        if not fields:
            self.state.variables = during.variables
            return True
        return self.simple(fields, raw, assigned, stdin)

    def simple(
        self, fields: tuple[Field, ...], raw: list[RawWord], assigned: dict[str, Field], stdin: Value | None
    ) -> bool | None:
        name = fields[0].text
        while name in _TRANSPARENT and len(fields) > 1 and not fields[1].text.startswith("-"):
            fields, raw = fields[1:], raw[1:]
            name = fields[0].text
        if name in ("[", "test", "[["):
            return decide_words(self.expander, [w for w in raw[1:] if self.written(w) != "]"], False)
        builtin = self.tables.builtins.get(name)
        if builtin is not None:
            return builtin(self, fields, raw)
        if name in self.state.functions:
            self.call(name, fields[1:], assigned)
            return True
        context = self.context if self.context.written else replace(self.context, written=self._current)
        self.runner.hand_out(Command(fields, assigned, self.state.copy(), context, self.text, stdin))
        return True

    def written(self, word: RawWord) -> str:
        return self.text.slice(word.start, word.end)

    def assigned_name(self, word: RawWord) -> str | None:
        match = ASSIGNMENT.match(self.written(word))
        return match.group(1) if match else None

    def _assigned(self, word: RawWord) -> Field:
        """The value that an assignment word gives."""
        match = ASSIGNMENT.match(self.written(word))
        assert match is not None
        start = word.start + match.end()
        if start == word.end:
            place, _ = self.text.place(start, start)
            return Field((Piece("", place),), place)
        raw = WordReader(self.text.text, start, word.end).one()
        return Field(self.expander.value(raw.parts), self.text.place(raw.start, raw.end)[0])

    def assign(self, word: RawWord, exported: bool = False) -> None:
        """Carry out an assignment: ``NAME=x``, ``NAME+=x``, ``NAME=(...)`` or ``NAME[i]=x``."""
        match = ASSIGNMENT.match(self.written(word))
        assert match is not None
        name, index, plus = match.groups()
        old = self.state.variables.get(name, Variable())
        if word.array is not None:
            elements = tuple(f.pieces for w in word.array for f in self.expander.fields(w))
            values = old.values + elements if plus else elements
            self.state.assign(name, Variable(values, True, exported, old.settled or not plus))
        elif index is not None:
            self.state.unsettle(name)
        else:
            field = self._assigned(word)
            before = old.values[0] if plus and old.values else ()
            settled = old.settled or not plus
            self.state.assign(name, Variable((before + field.pieces,), False, exported, settled, field.place))

    def call(self, name: str, arguments: tuple[Field, ...], assigned: dict[str, Field]) -> None:
        if self.context.depth >= MAX_DEPTH:
            return
        text, body = self.state.functions[name]
        outer = self.state.arguments
        for variable, value in assigned.items():
            self.state.assign(variable, Variable((value.pieces,), exported=True, place=value.place))
        self.state.arguments = tuple(f.pieces for f in arguments)
        inner = self.inner(text, depth=self.context.depth + 1)
        try:
            inner.node(body)
        except Leave as leave:
            if leave.word == "exit":
                raise
        finally:
            self.state.arguments = outer

    def inner(self, text: ShellText, **context: Any) -> Walk:
        """A walk over another text in the same shell."""
        return Walk(self.runner, self.tables, text, self.state, replace(self.context, **context))
