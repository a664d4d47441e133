"""What a shell knows while it runs: variables, arguments, functions and the folder it is in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from tree_sitter import Node

from gto_rules.documents.model import SourceText
from gto_rules.project.model import Place
from gto_rules.project.shell_text import ShellText
from gto_rules.project.shell_values import Field, Piece, Value

_MAX_PIECES = 20_000


class Files(Protocol):
    """Read access to the project's files."""

    def exists(self, path: str) -> bool: ...

    def source(self, path: str) -> SourceText: ...


@dataclass(frozen=True, slots=True)
class Variable:
    """A shell variable.

    An array has several values. ``settled`` is False when branches differ. ``place`` is where the
    value is written in the assignment, quotes included.
    """

    values: tuple[Value, ...] = ()
    array: bool = False
    exported: bool = False
    settled: bool = True
    place: Place | None = None

    def field(self) -> Field:
        """The (first) value as a word that stands in the assignment."""
        value = self.values[0] if self.values else ()
        place = self.place or (value[0].place if value else Place(None, None))
        return Field(value, place)


@dataclass(slots=True)
class State:
    """The state of one shell. ``arguments`` is None where the script's arguments are not known."""

    variables: dict[str, Variable] = field(default_factory=dict)
    arguments: tuple[Value, ...] | None = None
    functions: dict[str, tuple[ShellText, Node]] = field(default_factory=dict)
    cwd: str = "."
    script: str | None = None
    root: str | None = None

    def copy(self) -> State:
        return replace(self, variables=dict(self.variables), functions=dict(self.functions))

    def child(self, script: str | None = None, arguments: tuple[Value, ...] = ()) -> State:
        """The state of a program started from here: only what was exported."""
        exported = {name: v for name, v in self.variables.items() if v.exported}
        return State(exported, arguments, {}, self.cwd, script, self.root)

    def assign(self, name: str, variable: Variable) -> None:
        if sum(len(value) for value in variable.values) > _MAX_PIECES:
            variable = Variable(settled=False)  # a value that grows without end is not worth its memory
        old = self.variables.get(name)
        exported = variable.exported or (old is not None and old.exported)
        self.variables[name] = replace(variable, exported=exported)

    def unsettle(self, name: str) -> None:
        """Mark a variable as depending on what happens at run time."""
        self.assign(name, Variable(settled=False))

    def export(self, name: str) -> None:
        if name in self.variables:
            self.variables[name] = replace(self.variables[name], exported=True)

    def set_environment(self, environment: Mapping[str, str]) -> None:
        for name, text in environment.items():
            self.variables[name] = Variable(((Piece(text, Place(None, None)),),), exported=True)


def merge(before: State, outcomes: list[State], default: str | None = None) -> State:
    """The state after a decision that cannot be taken here: what differs becomes unsettled.

    ``default`` names a variable that one branch sets because it is unset.
    """
    first = outcomes[0]
    names = {name for outcome in outcomes for name in outcome.variables}
    result = before.copy()
    result.variables = {}
    for name in names:
        found = [outcome.variables.get(name) for outcome in outcomes]
        known = [v for v in found if v is not None]
        complete = len(known) == len(found) or name == default
        same = complete and all(_same(known[0], v) for v in known)
        result.variables[name] = known[0] if same else Variable(exported=known[0].exported, settled=False)
    result.functions = {k: v for outcome in outcomes for k, v in outcome.functions.items()}
    same_folder = all(outcome.cwd == first.cwd for outcome in outcomes)
    result.cwd = first.cwd if same_folder else before.cwd
    same_arguments = all(outcome.arguments == first.arguments for outcome in outcomes)
    result.arguments = first.arguments if same_arguments else None
    return result


def _same(one: Variable, two: Variable) -> bool:
    def texts(v: Variable) -> list[str]:
        return ["".join(p.text for p in value) for value in v.values]

    return one.settled == two.settled and one.array == two.array and texts(one) == texts(two)
