"""Expressions with their place, and the values they turn out to have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tree_sitter import Node

from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Argument, AttributeAssignment, Binding, Block, Scope, Value
from gto_rules.location import Span


class Home(Protocol):
    """The module that an expression stands in, as evaluation sees it."""

    @property
    def mutated(self) -> frozenset[str]: ...
    @property
    def rewrites_names(self) -> bool: ...
    @property
    def attribute_assignments(self) -> Sequence[AttributeAssignment]: ...
    def place(self, node: Node) -> tuple[str, int, Span]: ...
    def block_at(self, node: Node) -> Block: ...
    def lookup(self, name: str, scope: Scope) -> tuple[Scope, list[Binding]] | None: ...
    def canonical(self, node: Node, scope: Scope | None = None) -> str | None: ...
    def instance_of(self, node: Node, scope: Scope | None = None) -> str | None: ...
    def arguments(self, call: Node) -> tuple[Argument, ...]: ...
    def constant(self, dotted: str) -> Located | None: ...
    def field_default(self, cls: str, name: str) -> tuple[Located | None, int] | None: ...


@dataclass(frozen=True, slots=True)
class Located:
    """An expression with the module and the scope it stands in."""

    node: Node
    scope: Scope
    home: Home


@dataclass(frozen=True, slots=True)
class Item:
    """One key of a known mapping. ``span`` is the whole item (``"a": 1`` or ``a=1``)."""

    key: str
    value: Located
    span: Span


def literal(where: Located, value: Any) -> Value:
    path, line, span = where.home.place(where.node)
    return Value("literal", value, path, line, span, text_of(where.node))


def computed(where: Located, what: str, reason: str | None = None) -> Value:
    path, line, span = where.home.place(where.node)
    text = " ".join(what.split())
    shown = text if len(text) <= 60 else text[:57] + "..."
    return Value("computed", None, path, line, span, text_of(where.node), reason or f"depends on {shown}")
