"""One Python file, read on demand: blocks, names, calls, classes, constant values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from tree_sitter import Node

from gto_rules.documents.grammar import syntax_problems
from gto_rules.documents.model import Problem, SourceText
from gto_rules.facts.python.bindings import Binder
from gto_rules.facts.python.blocks import BlockTree
from gto_rules.facts.python.calls import Call, read_arguments
from gto_rules.facts.python.classes import Class, read_class, read_function
from gto_rules.facts.python.files import PythonText
from gto_rules.facts.python.grammar import import_captures, index_captures, parse, text_of
from gto_rules.facts.python.import_lines import read_import
from gto_rules.facts.python.located import Item, Located
from gto_rules.facts.python.model import Argument, AttributeAssignment, Binding, Block, Function, Import, Scope, Value
from gto_rules.facts.python.names import Names
from gto_rules.facts.python.values import evaluate, mapping
from gto_rules.facts.python.world import World
from gto_rules.location import Evidence, Location, Span

_STAR = re.compile(rb"import\s*\(?\s*\*")
_CHANGING = frozenset(
    {"append", "extend", "insert", "remove", "pop", "clear", "update", "setdefault", "popitem", "sort", "add"}
)


class PythonModule:
    """A parsed Python file of the project (or the code cells of a notebook).

    Attributes:
        path: Relative POSIX path.
        name: Canonical dotted name.
    """

    def __init__(self, source: PythonText, name: str, world: World, relative: Callable[[str], str]) -> None:
        """``relative`` gives the canonical name of a module as an import in this file writes it."""
        self.path = source.path
        self.name = name
        self._text = source
        self._world = world
        self._relative = relative

    @property
    def source(self) -> SourceText:
        """The file's text; all spans index it."""
        return self._text.source

    @cached_property
    def root(self) -> Node:
        """The root of the tree. Node offsets index ``text``, which for a notebook is not ``source.text``."""
        return parse(self._text.text).root_node

    @property
    def text(self) -> bytes:
        return self._text.text

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Where the file does not read as Python, the first few places."""
        return syntax_problems(self.root, self._text) if self.root.has_error else ()

    @cached_property
    def _found(self) -> dict[str, list[Node]]:
        return index_captures(self.root)

    @cached_property
    def blocks(self) -> BlockTree:
        return BlockTree(self.root, self._found)

    @cached_property
    def _binder(self) -> Binder:
        return Binder(self.blocks, self._found, self._relative)

    @property
    def scope(self) -> Scope:
        """The module's own name space."""
        self._binder  # noqa: B018  (fills the scopes)
        return self.blocks.module.scope

    @property
    def scopes(self) -> list[Scope]:
        """Every name space, the module's own first."""
        self._binder  # noqa: B018
        return self.blocks.scopes

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """Every imported name, in source order. Reading these alone costs a tenth of the whole index."""
        return tuple(i for node in import_captures(self.root) for i in read_import(node, self._relative))

    @cached_property
    def stars(self) -> tuple[str, ...]:
        """Canonical names of the modules that are imported with ``*``."""
        if not _STAR.search(self.text):  # reading every import of a large file takes its time
            return ()
        return tuple(i.name for i in self.imports if i.star)

    @property
    def attribute_assignments(self) -> Sequence[AttributeAssignment]:
        return self._binder.attributes

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Every call, in source order."""
        self._binder  # noqa: B018
        return tuple(Call(n, self.block_at(n), self.canonical, self.span) for n in self._found.get("call", ()))

    @cached_property
    def classes(self) -> tuple[Class, ...]:
        self._binder  # noqa: B018
        return tuple(read_class(n, self) for n in self._found.get("class", ()))

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        self._binder  # noqa: B018
        found = (read_function(n, self) for n in self._found.get("function", ()))
        return tuple(f for f in found if f is not None)

    @cached_property
    def _names(self) -> Names:
        return Names(self.name, self.stars, self._world)

    def canonical(self, node: Node, scope: Scope | None = None) -> str | None:
        """Canonical dotted name of what an expression names, or None.

        Follows import aliases, simple assignments, ``self.x = ...``, methods of objects whose class
        is known (``loader.method`` → ``lib.data.Loader.method``) and project files.
        Builtins are named ``builtins.print``.
        """
        return self._names.canonical(node, scope or self.block_at(node).scope)

    def instance_of(self, node: Node, scope: Scope | None = None) -> str | None:
        """Canonical name of the class whose instance an expression is, or None."""
        return self._names.instance_of(node, scope or self.block_at(node).scope)

    def lookup(self, name: str, scope: Scope) -> tuple[Scope, list[Binding]] | None:
        """The scope and bindings that a plain name means in ``scope``."""
        return self._names.lookup(name, scope)

    def value(self, node: Node, scope: Scope | None = None) -> Value:
        """What an expression is worth without running anything; see ``Value``."""
        return evaluate(self.located(node, scope))

    def mapping(self, node: Node, scope: Scope | None = None) -> tuple[Item, ...] | None:
        """The items of a dict that an expression stands for; None if they are not all known."""
        return mapping(self.located(node, scope))

    def located(self, node: Node, scope: Scope | None = None) -> Located:
        return Located(node, scope or self.block_at(node).scope, self)

    def block_at(self, node: Node) -> Block:
        """The innermost block around a node."""
        self._binder  # noqa: B018
        return self.blocks.at(node.start_byte)

    def arguments(self, call: Node) -> tuple[Argument, ...]:
        return read_arguments(call, self.span)

    def qualified(self, qualname: str) -> str:
        return self._names.qualified(qualname)

    def span(self, node: Node) -> Span:
        """Byte span of a node in ``source.text``."""
        return self._text.span(node.start_byte, node.end_byte)

    def location(self, node: Node) -> Location:
        return self.source.location(self.span(node))

    def place(self, node: Node) -> tuple[str, int, Span]:
        span = self.span(node)
        return self.path, self.source.position(span.start)[0], span

    def evidence(self, node: Node) -> Evidence:
        """The node's place with its first line of text."""
        path, line, _ = self.place(node)
        return Evidence(path, line, text_of(node).partition("\n")[0].strip()[:200])

    @cached_property
    def mutated(self) -> frozenset[str]:
        """Names whose list or dict is changed in place somewhere in this file."""
        names: set[str] = set()
        for call in self.calls:
            receiver = call.receiver
            if call.last in _CHANGING and receiver is not None and receiver.type == "identifier":
                names.add(text_of(receiver))
        for node in (*self._found.get("assign", ()), *self._found.get("augment", ()), *self._found.get("delete", ())):
            left = node.child_by_field_name("left") or next(iter(node.named_children), None)
            if left is not None and left.type == "subscript":
                owner = left.child_by_field_name("value")
                names.add(text_of(owner) if owner is not None else "")
        return frozenset(names)

    @cached_property
    def rewrites_names(self) -> bool:
        """True if the file runs text as code or writes to its own name table: no constant is certain then."""
        for call in self.calls:
            if call.last == "exec" and call.name == "builtins.exec":
                return True
            receiver = call.receiver
            if (
                call.last == "update"
                and receiver is not None
                and text_of(receiver) in ("globals()", "locals()", "vars()")
            ):
                return True
        return "globals()" in self.mutated

    def constant(self, dotted: str) -> Located | None:
        """The expression that a canonical name of the project is assigned to, once and for all."""
        return self._world.constant(dotted)

    def field_default(self, cls: str, name: str) -> tuple[Located | None, int] | None:
        """Default and position of a field of a project class; None if it has no such field, or changes it itself."""
        return self._world.field_default(cls, name)
