"""What the Python index gives: scopes, bindings, calls, classes and constant values with their places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from tree_sitter import Node

from gto_rules.location import Evidence, Span

BlockKind = Literal[
    "module",
    "function",
    "class",
    "lambda",
    "comprehension",
    "if",
    "elif",
    "else",
    "for",
    "while",
    "try",
    "except",
    "finally",
    "with",
    "case",
]
BindingKind = Literal["import", "assign", "augment", "target", "parameter", "function", "class", "delete", "other"]


@dataclass(frozen=True, slots=True)
class Value:
    """A value known without running anything, or the reason why it is not.

    Attributes:
        kind: ``literal`` or ``computed``.
        value: The plain Python value; None when computed.
        reason: Why it is computed (``"depends on os.environ['WORLD_SIZE']"``).
        path: File where the literal stands (names are followed to their assignment).
        line: Line of it, from 1.
        span: Byte span of it in that file's text.
        text: How it is written there.
    """

    kind: Literal["literal", "computed"]
    value: Any
    path: str
    line: int
    span: Span
    text: str
    reason: str | None = None

    @property
    def known(self) -> bool:
        return self.kind == "literal"


@dataclass(eq=False, slots=True)
class Block:
    """A stretch of statements that runs under one condition, loop or name space.

    ``statement`` is the statement or expression that the block belongs to (the ``for``, the
    ``with``...); ``scope`` the innermost name space.
    """

    kind: BlockKind
    start: int
    end: int
    statement: Node
    parent: Block | None
    scope: Scope = field(init=False)

    def chain(self) -> Iterator[Block]:
        """This block and those around it, innermost first."""
        block: Block | None = self
        while block is not None:
            yield block
            block = block.parent


@dataclass(eq=False, slots=True)
class Binding:
    """One place where a name gets a value.

    Attributes:
        name: The name.
        kind: What binds it. ``target`` is a loop variable, a ``with ... as`` name or part of an
            unpacking that cannot be taken apart.
        node: The node that names it.
        value: The expression bound, where there is one (assignment, parameter default).
        annotation: The type annotation's expression, if any.
        imported: Dotted name that an import binds.
        block: Innermost block of the place.
        start: Byte offset of the place.
    """

    name: str
    kind: BindingKind
    node: Node
    value: Node | None
    annotation: Node | None
    imported: str | None
    block: Block
    start: int


@dataclass(eq=False, slots=True)
class Scope:
    """A name space: module, function, class, lambda or comprehension.

    ``qualname`` is dotted inside the module (``Trainer.step``), empty for the module itself.
    """

    kind: BlockKind
    name: str
    qualname: str
    node: Node
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outer_names: set[str] = field(default_factory=set)  # declared global or nonlocal here
    attributes: dict[str, list[Binding]] = field(default_factory=dict)  # class: self.x = ...


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name.

    Attributes:
        name: Canonical name of what is imported (relative imports resolved).
        alias: The local name; ``*`` for a star import.
        star: True for ``from name import *``.
        node: The part of the statement that names it.
        name_node: The node of the local name.
        bound: Canonical name that the local name stands for (``a`` after ``import a.b``).
        line: Line in the parsed text.
    """

    name: str
    alias: str
    star: bool
    node: Node
    name_node: Node
    bound: str
    line: int


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call.

    Attributes:
        kind: ``positional``, ``keyword``, ``list_splat`` (``*x``) or ``dict_splat`` (``**x``).
        name: The keyword, else None.
        index: Place among the positional arguments, else None.
        value: The value's node (what follows the star for a splat).
        span: Byte span of the whole argument (``name=value``).
    """

    kind: Literal["positional", "keyword", "list_splat", "dict_splat"]
    name: str | None
    index: int | None
    value: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Field:
    """One class-level field ``name: annotation = default``. ``line`` is where the default stands."""

    name: str
    annotation: Node | None
    default: Node | None
    node: Node
    span: Span
    line: int


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method. ``parameters`` are bindings in order, ``self`` included."""

    name: str
    qualname: str
    node: Node
    scope: Scope
    parameters: tuple[Binding, ...]
    decorators: tuple[Node, ...]
    line: int


@dataclass(frozen=True, slots=True)
class AttributeAssignment:
    """``object.attribute = value`` (or an augmented assignment, then ``augmented``)."""

    object: Node
    attribute: str
    value: Node
    node: Node
    block: Block
    line: int
    augmented: bool = False

    @property
    def scope(self) -> Scope:
        return self.block.scope


def evidence_of(value: Value) -> Evidence:
    return Evidence(value.path, value.line, value.text)
