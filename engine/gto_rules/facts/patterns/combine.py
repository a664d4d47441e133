"""Matchers made of matchers: any, all, and conditions on what stands around a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from tree_sitter import Node

from gto_rules.facts.patterns.errors import PatternError
from gto_rules.facts.patterns.model import Anchors, Context, Found, Matcher, both
from gto_rules.facts.python.grammar import captures, compile_query, text_of
from gto_rules.facts.python.model import Block

RelationKind = Literal["inside", "has", "follows", "precedes", "with", "also"]
Within = Literal["loop", "function", "module"]


@dataclass(frozen=True, eq=False)
class AnyMatcher:
    """Whatever one of several finds; a node found twice counts once, and is certain if one is."""

    options: tuple[Matcher, ...]

    @cached_property
    def anchors(self) -> Anchors:
        if len(self.options) == 1:
            return self.options[0].anchors
        words: set[bytes] = set()
        for option in self.options:
            if not option.anchors:
                return ()
            words |= min(option.anchors, key=len)
        return (frozenset(words),)

    def find(self, context: Context) -> list[Found]:
        found: dict[tuple[int, int], Found] = {}
        for option in self.options:
            for one in context.find(option):
                before = found.get(one.key)
                if before is None or (one.certain and not before.certain):
                    found[one.key] = one
        return [found[key] for key in sorted(found)]


@dataclass(frozen=True, eq=False)
class NamedMatcher:
    """The matcher of another rule, by id."""

    rule_id: str
    target: Matcher
    anchors: Anchors

    def find(self, context: Context) -> Sequence[Found]:
        return context.find(self.target)


@dataclass(frozen=True, eq=False)
class QueryMatcher:
    """A tree-sitter query; the node is ``@match``, or the first capture."""

    query: str

    @property
    def anchors(self) -> Anchors:
        return ()

    def check(self) -> None:
        """Raises ``PatternError`` if the query is wrong."""
        try:
            compile_query(self.query)
        except Exception as error:  # the binding raises several unrelated kinds
            raise PatternError(f"the tree-sitter query is wrong: {error}") from error

    def find(self, context: Context) -> list[Found]:
        held = captures(compile_query(self.query), context.module.root)
        nodes = held.get("match") or next(iter(held.values()), [])
        return [Found.of(node) for node in nodes]


@dataclass(frozen=True, eq=False)
class Relation:
    """A condition on the surroundings of a match.

    ``inside``: the match lies in one of ``inner``'s; ``has``: one lies in it; ``follows`` and
    ``precedes``: one stands before or after it; ``with``: one stands anywhere; ``also``: the same
    node matches. Metavariables of the same name must stand for the same text. ``doubt`` turns a
    relation that holds into not knowing (code that only some runs reach).
    """

    kind: RelationKind
    negated: bool
    inner: Matcher
    within: Within = "function"
    doubt: bool = False

    def judge(self, context: Context, found: Found) -> bool | None:
        verdict: bool | None = False
        for other in context.find(self.inner):
            if self._related(context, found, other) and _agree(found, other):
                if other.certain:
                    verdict = True
                    break
                verdict = None
        if self.doubt:
            return True if verdict is False else None
        return verdict if not self.negated or verdict is None else not verdict

    def _related(self, context: Context, found: Found, other: Found) -> bool:
        start, end = found.node.start_byte, found.node.end_byte
        if self.kind == "inside":
            return other.start <= start and end <= other.end and other.node != found.node
        if self.kind == "has":
            return start <= other.node.start_byte and other.node.end_byte <= end and other.node != found.node
        if self.kind == "also":
            return other.node == found.node
        if other.node == found.node or not self._near(context, found.node, other.node):
            return False
        if self.kind == "follows":
            return other.node.end_byte <= start
        return self.kind == "with" or other.node.start_byte >= end

    def _near(self, context: Context, node: Node, other: Node) -> bool:
        if self.within == "module":
            return True
        around = _boundary(context.module.block_at(node), self.within)
        return around.start <= other.start_byte and other.end_byte <= around.end


def _boundary(block: Block, within: Within) -> Block:
    kinds = ("function", "module") if within == "function" else ("for", "while", "function", "module")
    return next(b for b in block.chain() if b.kind in kinds)


def _agree(found: Found, other: Found) -> bool:
    return all(
        text_of(node) == text_of(found.captures[name])
        for name, node in other.captures.items()
        if name in found.captures and name != "RECEIVER"
    )


@dataclass(frozen=True, eq=False)
class FilteredMatcher:
    """Matches of ``base`` for which every relation holds."""

    base: Matcher
    relations: tuple[Relation, ...]

    @cached_property
    def anchors(self) -> Anchors:
        held = list(self.base.anchors)
        for relation in self.relations:
            if not relation.negated:
                held += [a for a in relation.inner.anchors if a not in held]
        return tuple(held)

    def find(self, context: Context) -> list[Found]:
        out = []
        for found in context.find(self.base):
            verdict: bool | None = True if found.certain else None
            for relation in self.relations:
                verdict = both(verdict, relation.judge(context, found))
                if verdict is False:
                    break
            if verdict is not False:
                out.append(replace(found, certain=verdict is True))
        return out
