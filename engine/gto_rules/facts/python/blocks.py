"""The nesting of a module: which branch, loop and name space a byte offset lies in."""

from __future__ import annotations

from bisect import bisect_right
from typing import get_args

from tree_sitter import Node

from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Block, BlockKind, Scope

SCOPES = frozenset({"module", "function", "class", "lambda", "comprehension"})
_CONDITIONAL = frozenset({"if", "elif", "else", "for", "while", "try", "except", "case", "comprehension"})
_RANK = {"comprehension": 2, "lambda": 1}


class BlockTree:
    """All blocks of one module, looked up by offset."""

    def __init__(self, root: Node, found: dict[str, list[Node]]) -> None:
        self.module = Block("module", 0, max(root.end_byte, 1) + 1, root, None)
        self.module.scope = Scope("module", "", "", root, None)
        self._blocks = [self.module]
        for start, end, _, kind, statement in sorted(_spans(found), key=lambda s: (s[0], -s[1], s[2])):
            self._add(kind, start, end, statement)
        self._starts = [b.start for b in self._blocks]

    def _add(self, kind: BlockKind, start: int, end: int, statement: Node) -> None:
        parent = self._blocks[-1]
        while parent.end < end or parent.end <= start:
            if parent.parent is None:
                break
            parent = parent.parent
        block = Block(kind, start, end, statement, parent)
        block.scope = _scope(block, parent.scope) if kind in SCOPES else parent.scope
        self._blocks.append(block)

    def at(self, offset: int) -> Block:
        """The innermost block around a byte offset."""
        block = self._blocks[bisect_right(self._starts, offset) - 1]
        while block.end <= offset and block.parent is not None:
            block = block.parent
        return block

    def of_kind(self, *kinds: str) -> list[Block]:
        return [b for b in self._blocks if b.kind in kinds]

    @property
    def scopes(self) -> list[Scope]:
        """Every name space, the module's own first."""
        return [b.scope for b in self._blocks if b.kind in SCOPES]

    def scope_of(self, definition: Node) -> Scope | None:
        """The name space that a function, class or lambda node opens."""
        body = definition.child_by_field_name("body")
        if body is None:
            return None
        scope = self.at(body.start_byte).scope
        return scope if scope.node == definition else None


def is_conditional(block: Block) -> bool:
    """True when the statements of the block may run never, or more than once."""
    return block.kind in _CONDITIONAL


def conditions(block: Block) -> list[Block]:
    """The conditional blocks around, inside the same name space, outermost first."""
    found: list[Block] = []
    for outer in block.chain():
        if is_conditional(outer):
            found.append(outer)
        if outer.kind in SCOPES:
            break
    return found[::-1]


def _spans(found: dict[str, list[Node]]) -> list[tuple[int, int, int, BlockKind, Node]]:
    spans: list[tuple[int, int, int, BlockKind, Node]] = []
    for kind in get_args(BlockKind):
        for node in found.get(kind, ()):
            body: Node | None = node
            statement = node
            if kind in ("function", "class", "lambda"):
                body = node.child_by_field_name("body")
            elif kind != "comprehension":
                statement = node.parent or node
            if body is not None and body.end_byte > body.start_byte:
                spans.append((body.start_byte, body.end_byte, _RANK.get(kind, 0), kind, statement))
    return spans


def _scope(block: Block, parent: Scope) -> Scope:
    named = block.statement.child_by_field_name("name") if block.kind in ("function", "class") else None
    name = text_of(named) if named is not None else f"<{block.kind}>"
    qualname = f"{parent.qualname}.{name}" if parent.qualname else name
    return Scope(block.kind, name, qualname, block.statement, parent)
