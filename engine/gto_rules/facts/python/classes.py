"""Classes with their bases and fields, and functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from tree_sitter import Node

from gto_rules.facts.python.blocks import BlockTree
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Block, Field, Function, Scope
from gto_rules.location import Span


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the project.

    Attributes:
        name: Canonical dotted name.
        path: File that defines it.
        node: The ``class_definition`` node.
        scope: Its name space; ``attributes`` holds what methods assign to ``self``.
        bases: Canonical names of the bases, None for one that cannot be named.
        fields: ``name: annotation = default`` and ``name = default`` of its body, in order.
        decorators: The decorators' expressions.
        line: Line of its name.
    """

    name: str
    path: str
    node: Node
    scope: Scope | None
    bases: tuple[str | None, ...]
    fields: tuple[Field, ...]
    decorators: tuple[Node, ...]
    line: int

    def field(self, name: str) -> Field | None:
        """The last field with this name."""
        return next((f for f in reversed(self.fields) if f.name == name), None)


class Home(Protocol):
    """The module that a class stands in."""

    path: str

    @property
    def blocks(self) -> BlockTree: ...
    def canonical(self, node: Node, scope: Scope | None = None) -> str | None: ...
    def qualified(self, qualname: str) -> str: ...
    def span(self, node: Node) -> Span: ...
    def place(self, node: Node) -> tuple[str, int, Span]: ...
    def block_at(self, node: Node) -> Block: ...


def read_class(node: Node, home: Home) -> Class:
    named = node.child_by_field_name("name")
    scope = home.blocks.scope_of(node)
    outer = home.block_at(node).scope.qualname
    name = text_of(named) if named is not None else ""
    return Class(
        home.qualified(f"{outer}.{name}" if outer else name),
        home.path,
        node,
        scope,
        tuple(home.canonical(b) for b in _bases(node)),
        tuple(_fields(node, home)),
        tuple(_decorators(node)),
        home.place(named or node)[1],
    )


def read_function(node: Node, home: Home) -> Function | None:
    named, scope = node.child_by_field_name("name"), home.blocks.scope_of(node)
    if named is None or scope is None:
        return None
    parameters = sorted(
        (b for held in scope.bindings.values() for b in held if b.kind == "parameter"), key=lambda b: b.start
    )
    line = home.place(named)[1]
    return Function(text_of(named), scope.qualname, node, scope, tuple(parameters), tuple(_decorators(node)), line)


def _bases(node: Node) -> Iterator[Node]:
    held = node.child_by_field_name("superclasses")
    for child in held.named_children if held is not None else ():
        if child.type == "subscript":  # Generic[T]
            inner = child.child_by_field_name("value")
            yield inner if inner is not None else child
        elif child.type not in ("keyword_argument", "comment", "list_splat", "dictionary_splat"):
            yield child


def _decorators(node: Node) -> Iterator[Node]:
    parent = node.parent
    for child in parent.named_children if parent is not None and parent.type == "decorated_definition" else ():
        if child.type == "decorator" and child.named_children:
            yield child.named_children[0]


def _fields(node: Node, home: Home) -> Iterator[Field]:
    body = node.child_by_field_name("body")
    for statement in body.named_children if body is not None else ():
        inner = next(iter(statement.named_children), None) if statement.type == "expression_statement" else None
        if inner is None or inner.type != "assignment":
            continue
        left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
        if left is None or left.type != "identifier":
            continue
        held = inner.child_by_field_name("type")
        annotation = next(iter(held.named_children), None) if held is not None else None
        line = home.place(right if right is not None else left)[1]
        yield Field(text_of(left), annotation, right, inner, home.span(inner), line)
