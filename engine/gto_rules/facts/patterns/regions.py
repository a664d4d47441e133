"""Matchers of stretches of code: branches, loops, ``with`` blocks, functions, classes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from gto_rules.facts.patterns.model import Anchors, Context, Found, Matcher, anchor_words
from gto_rules.facts.patterns.value_tests import Test
from gto_rules.facts.python.grammar import captures, compile_query, text_of
from gto_rules.facts.python.match import matches_any
from gto_rules.facts.python.model import Block, Function, Scope

_LOOPS = ("for", "while")
_DEPTH = 4


@dataclass(frozen=True, eq=False)
class BlockMatcher:
    """Bodies of statements of some kinds, by the text of their head, its value or what it holds.

    The head of an ``else`` is that of the ``if`` it belongs to.
    """

    kinds: tuple[str, ...]
    head: re.Pattern[str] | None
    not_head: re.Pattern[str] | None
    holding: Matcher | None
    value: Test | None = None

    @property
    def anchors(self) -> Anchors:
        return self.holding.anchors if self.holding is not None else ()

    def find(self, context: Context) -> list[Found]:
        context.module.scope  # noqa: B018  (builds the blocks)
        found = [f for b in context.module.blocks.of_kind(*self.kinds) if (f := self._judge(context, b)) is not None]
        if "if" in self.kinds:
            found += self._conditional_expressions(context)
        return found

    def _judge(self, context: Context, block: Block) -> Found | None:
        start, end, condition = _head(block)
        if not self._fits(context.module.text[start:end].decode("utf-8", "replace")):
            return None
        given = context.module.located(condition) if condition is not None else None
        inner = self._held(context, start, end)
        value = self.value(context, given) if self.value is not None else True
        if inner is False or value is False:
            return None
        return Found(block.statement, block.start, block.end, inner is True and value is True)

    def _fits(self, head: str) -> bool:
        if self.head is not None and not self.head.search(head):
            return False
        return self.not_head is None or not self.not_head.search(head)

    def _held(self, context: Context, start: int, end: int) -> bool | None:
        if self.holding is None:
            return True
        inner = [f for f in context.find(self.holding) if start <= f.node.start_byte and f.node.end_byte <= end]
        return True if any(f.certain for f in inner) else None if inner else False

    def _conditional_expressions(self, context: Context) -> Iterator[Found]:
        query = compile_query("(conditional_expression) @match")
        for node in captures(query, context.module.root).get("match", ()):
            children = node.named_children
            plain = self.holding is None and self.value is None
            if len(children) == 3 and plain and self._fits(text_of(children[1])):
                yield Found(node, children[0].start_byte, children[0].end_byte)


def _head(block: Block) -> tuple[int, int, Node | None]:
    """Start and end of the head of a block's statement, and its condition."""
    statement, end = block.statement, block.start
    parent = statement.parent
    if block.kind == "else" and parent is not None and parent.type == "if_statement":
        statement = parent
        body = parent.child_by_field_name("consequence")
        end = body.start_byte if body is not None else end
    return statement.start_byte, end, statement.child_by_field_name("condition")


@dataclass(frozen=True, eq=False)
class FunctionMatcher:
    """Bodies of functions by name or decorator."""

    named: re.Pattern[str] | None
    decorated: Matcher | None

    @property
    def anchors(self) -> Anchors:
        return self.decorated.anchors if self.decorated is not None else ()

    def find(self, context: Context) -> list[Found]:
        found = []
        for function in context.module.functions:
            if self.named is not None and not self.named.search(function.name):
                continue
            if self.decorated is None or self._decorated(context, function):
                found.append(_body(function))
        return found

    def _decorated(self, context: Context, function: Function) -> bool:
        inner = context.find(self.decorated) if self.decorated is not None else ()
        return any(
            d.start_byte <= f.node.start_byte and f.node.end_byte <= d.end_byte
            for d in function.decorators
            for f in inner
            if f.certain
        )


@dataclass(frozen=True, eq=False)
class ClassMatcher:
    """Bodies of classes that derive from one of these."""

    of: tuple[str, ...]

    @property
    def anchors(self) -> Anchors:
        return (anchor_words(self.of),)

    def find(self, context: Context) -> list[Found]:
        found = []
        for cls in context.module.classes:
            if any(matches_any(base, self.of) for base in context.lineage(cls.name)[1:]):
                body = cls.node.child_by_field_name("body") or cls.node
                found.append(Found(cls.node, body.start_byte, body.end_byte))
        return found


@dataclass(frozen=True, eq=False)
class LoopMatcher:
    """Loops that run something again and again: the innermost loop around each mark.

    A mark in a function without a loop counts for the loops that call the function, and for the
    function itself. Functions of the file that the loop calls belong to it, one level deep.

    Attributes:
        reaching: The marks.
        unless: Stretches in which neither a mark nor a call counts (evaluation, rare branches).
    """

    reaching: Matcher
    unless: Matcher | None

    @property
    def anchors(self) -> Anchors:
        return self.reaching.anchors

    def find(self, context: Context) -> list[Found]:
        loops: dict[int, Found] = {}
        for mark in context.find(self.reaching):
            if mark.certain and not self._excluded(context, mark.node):
                for found in self._around(context, mark.node, 0):
                    loops.setdefault(found.start, found)
        for found in list(loops.values()):
            for called in self._called(context, found):
                loops.setdefault(called.start, called)
        return sorted(loops.values(), key=lambda f: f.start)

    def _excluded(self, context: Context, node: Node) -> bool:
        regions = context.find(self.unless) if self.unless is not None else ()
        return any(r.start <= node.start_byte and node.end_byte <= r.end for r in regions)

    def _around(self, context: Context, node: Node, depth: int) -> Iterator[Found]:
        block = context.module.block_at(node)
        for outer in block.chain():
            if outer.kind in _LOOPS:
                yield Found(outer.statement, outer.start, outer.end)
                return
            if outer.kind in ("function", "lambda", "class"):
                break
        function = _enclosing(context, block.scope)
        if function is None or depth >= _DEPTH:
            return
        yield _body(function)
        for call in context.callers.get(context.module.qualified(function.qualname), ()):
            if not self._excluded(context, call.node):
                yield from self._around(context, call.node, depth + 1)

    def _called(self, context: Context, found: Found) -> Iterator[Found]:
        for call in context.module.calls:
            function = context.functions.get(call.name or "")
            inside = found.start <= call.node.start_byte < found.end
            if function is not None and inside and not self._excluded(context, call.node):
                yield _body(function)


def _enclosing(context: Context, scope: Scope) -> Function | None:
    at: Scope | None = scope
    while at is not None:
        if at.kind == "function":
            return context.functions.get(context.module.qualified(at.qualname))
        at = at.parent
    return None


def _body(function: Function) -> Found:
    body = function.node.child_by_field_name("body") or function.node
    return Found(function.node, body.start_byte, body.end_byte)
