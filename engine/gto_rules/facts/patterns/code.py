"""Code patterns: Python with ``$X`` (one expression), ``$...X`` and ``...`` (any number)."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from gto_rules.facts.patterns.model import Anchors, Context, Found, both
from gto_rules.facts.patterns.shape import METAVARIABLE, Shape, compile_shape, parts_of
from gto_rules.facts.patterns.value_tests import Test
from gto_rules.facts.python.grammar import text_of

_LEAST_WORD = 1
_KEYWORDS = frozenset((*keyword.kwlist, "self"))
Captures = dict[str, Node]


@dataclass(frozen=True, eq=False)
class CodeMatcher:
    """A piece of code; dotted names in it match by canonical name or as written."""

    text: str
    where: Mapping[str, Test]

    @cached_property
    def shape(self) -> Shape:
        return compile_shape(self.text)

    @cached_property
    def anchors(self) -> Anchors:
        words = re.findall(r"[A-Za-z_][A-Za-z0-9_]*", METAVARIABLE.sub(" ", self.text))
        return tuple(frozenset({w.encode()}) for w in sorted(set(words) - _KEYWORDS) if len(w) >= _LEAST_WORD)

    def find(self, context: Context) -> list[Found]:
        found = []
        for node in context.nodes(self.shape.type):
            held: Captures = {}
            if _match(self.shape, node, held, context):
                verdict = self._judge(context, held)
                if verdict is not False:
                    found.append(Found.of(node, verdict is True, held))
        return found

    def _judge(self, context: Context, held: Captures) -> bool | None:
        verdicts = (
            test(context, context.module.located(held[name]) if name in held else None)
            for name, test in self.where.items()
        )
        return both(*verdicts)


def _match(shape: Shape, node: Node, held: Captures, context: Context) -> bool:
    if shape.one is not None:
        return _bind(shape.one, node, held)
    if shape.dotted is not None and node.type in ("identifier", "attribute"):
        return _same_name(shape.dotted, node, context)
    if shape.type != node.type:
        return False
    if not shape.parts:
        return shape.text == text_of(node)
    if shape.content is not None:
        return bool(context.module.value(node).value == shape.content)
    if shape.type == "argument_list":
        return _match_arguments(shape.parts, parts_of(node), held, context)
    return _match_sequence(shape.parts, parts_of(node), held, context)


def _same_name(dotted: str, node: Node, context: Context) -> bool:
    if text_of(node) == dotted:
        return True
    return ("." in dotted or node.type == "identifier") and context.module.canonical(node) == dotted


def _match_sequence(shapes: Sequence[Shape], nodes: Sequence[Node], held: Captures, context: Context) -> bool:
    if not shapes:
        return not nodes
    first = shapes[0]
    if first.is_many:
        return any(_match_rest(shapes, nodes, skip, held, context) for skip in range(len(nodes) + 1))
    if not nodes:
        return False
    trial = dict(held)
    if _match(first, nodes[0], trial, context) and _match_sequence(shapes[1:], nodes[1:], trial, context):
        held.update(trial)
        return True
    return False


def _match_rest(shapes: Sequence[Shape], nodes: Sequence[Node], skip: int, held: Captures, context: Context) -> bool:
    trial = dict(held)
    if shapes[0].many and skip and not _bind(shapes[0].many, nodes[0], trial):
        return False
    if _match_sequence(shapes[1:], nodes[skip:], trial, context):
        held.update(trial)
        return True
    return False


def _match_arguments(shapes: Sequence[Shape], nodes: Sequence[Node], held: Captures, context: Context) -> bool:
    """Keywords match in any order; ``...`` lets any others be there."""
    rest = list(nodes)
    for wanted in (s for s in shapes if s.type == "keyword_argument"):
        given = (n for n in rest if n.type == "keyword_argument" and _match_keyword(wanted, n, held, context))
        match = next(given, None)
        if match is None:
            return False
        rest.remove(match)
    return _match_sequence([s for s in shapes if s.type != "keyword_argument"], rest, held, context)


def _match_keyword(wanted: Shape, node: Node, held: Captures, context: Context) -> bool:
    parts = parts_of(node)
    return wanted.parts[0].text == text_of(parts[0]) and _match_sequence(wanted.parts[1:], parts[1:], held, context)


def _bind(name: str, node: Node, held: Captures) -> bool:
    if name == "_":
        return True
    before = held.get(name)
    if before is not None:
        return text_of(before) == text_of(node)
    held[name] = node
    return True
