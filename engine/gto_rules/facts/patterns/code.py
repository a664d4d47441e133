"""Code patterns: Python with ``$X`` (one expression), ``$...X`` and ``...`` (any number)."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from gto_rules.facts.patterns.errors import PatternError
from gto_rules.facts.patterns.model import Anchors, Context, Found, both
from gto_rules.facts.patterns.value_tests import Test
from gto_rules.facts.python.grammar import captures, compile_query, parse, text_of

_ONE, _MANY = "gto_one_", "gto_many_"
_METAVARIABLE = re.compile(r"\$(\.\.\.)?([A-Z_][A-Z0-9_]*)")
_LEAST_WORD = 3
_KEYWORDS = frozenset((*keyword.kwlist, "self"))
Captures = dict[str, Node]


@dataclass(frozen=True, eq=False)
class CodeMatcher:
    """A piece of code; dotted names in it match by canonical name or as written."""

    text: str
    where: Mapping[str, Test]

    @cached_property
    def pattern(self) -> Node:
        """The tree of the pattern.

        Raises:
            PatternError: not Python, or more than one statement.
        """
        source = _METAVARIABLE.sub(lambda m: (_MANY if m[1] else _ONE) + m[2], self.text)
        root = parse(source.encode()).root_node
        if root.has_error or root.named_child_count != 1:
            raise PatternError(f"'{self.text}' is not one Python statement or expression")
        node = root.named_children[0]
        if node.type == "expression_statement" and node.named_child_count == 1:
            node = node.named_children[0]
        return node

    @cached_property
    def anchors(self) -> Anchors:
        words = re.findall(r"[A-Za-z_][A-Za-z0-9_]*", _METAVARIABLE.sub(" ", self.text))
        return tuple(frozenset({w.encode()}) for w in sorted(set(words) - _KEYWORDS) if len(w) >= _LEAST_WORD)

    def find(self, context: Context) -> list[Found]:
        query = compile_query(f"({self.pattern.type}) @match")
        found = []
        for node in captures(query, context.module.root).get("match", ()):
            held: Captures = {}
            if _match(self.pattern, node, held, context):
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


def _match(pattern: Node, node: Node, held: Captures, context: Context) -> bool:
    name = _variable(pattern, _ONE)
    if name is not None:
        return _bind(name, node, held)
    dotted = _dotted(pattern)
    if dotted is not None and node.type in ("identifier", "attribute"):
        return text_of(node) == dotted or (
            (node.type == pattern.type or "." in dotted) and context.module.canonical(node) == dotted
        )
    if pattern.type != node.type:
        return False
    if pattern.child_count == 0:
        return text_of(pattern) == text_of(node)
    if pattern.type == "string":
        return text_of(pattern)[-1:] in "'\"" and context.module.value(node).value == _text(pattern)
    if pattern.type == "argument_list":
        return _match_arguments(_parts(pattern), _parts(node), held, context)
    return _match_sequence(_parts(pattern), _parts(node), held, context)


def _parts(node: Node) -> list[Node]:
    """Children that mean something: no comments, brackets or commas."""
    return [c for c in node.children if (c.is_named and c.type != "comment") or _is_operator(c)]


def _is_operator(node: Node) -> bool:
    return not node.is_named and node.type not in ("(", ")", "[", "]", "{", "}", ",", ":", ";", '"', "'")


def _match_sequence(patterns: Sequence[Node], nodes: Sequence[Node], held: Captures, context: Context) -> bool:
    if not patterns:
        return not nodes
    first = patterns[0]
    if _is_many(first):
        return any(_match_rest(patterns, nodes, skip, held, context) for skip in range(len(nodes) + 1))
    if not nodes:
        return False
    trial = dict(held)
    if _match(first, nodes[0], trial, context) and _match_sequence(patterns[1:], nodes[1:], trial, context):
        held.update(trial)
        return True
    return False


def _match_rest(patterns: Sequence[Node], nodes: Sequence[Node], skip: int, held: Captures, context: Context) -> bool:
    trial = dict(held)
    name = _variable(patterns[0], _MANY)
    if name is not None and skip and not _bind(name, nodes[0], trial):
        return False
    if _match_sequence(patterns[1:], nodes[skip:], trial, context):
        held.update(trial)
        return True
    return False


def _match_arguments(patterns: Sequence[Node], nodes: Sequence[Node], held: Captures, context: Context) -> bool:
    """Keywords match in any order; ``...`` lets any others be there."""
    rest = list(nodes)
    for wanted in (p for p in patterns if p.type == "keyword_argument"):
        match = next(
            (n for n in rest if n.type == "keyword_argument" and _match_keyword(wanted, n, held, context)), None
        )
        if match is None:
            return False
        rest.remove(match)
    plain = [p for p in patterns if p.type != "keyword_argument"]
    return _match_sequence(plain, rest, held, context)


def _match_keyword(wanted: Node, node: Node, held: Captures, context: Context) -> bool:
    ours, theirs = wanted.child_by_field_name("name"), node.child_by_field_name("name")
    if ours is None or theirs is None or text_of(ours) != text_of(theirs):
        return False
    return _match_sequence(_parts(wanted)[1:], _parts(node)[1:], held, context)


def _bind(name: str, node: Node, held: Captures) -> bool:
    if name == "_":
        return True
    before = held.get(name)
    if before is not None:
        return text_of(before) == text_of(node)
    held[name] = node
    return True


def _variable(node: Node, prefix: str) -> str | None:
    if node.type == "expression_statement" and node.named_child_count == 1:
        return _variable(node.named_children[0], prefix) if prefix == _MANY else None
    text = text_of(node) if node.type == "identifier" else ""
    return text[len(prefix) :] if text.startswith(prefix) else None


def _is_many(node: Node) -> bool:
    if node.type == "expression_statement" and node.named_child_count == 1:
        return _is_many(node.named_children[0])
    return node.type == "ellipsis" or _variable(node, _MANY) is not None


def _dotted(node: Node) -> str | None:
    """``a.b.c`` if the pattern is that and nothing else."""
    if node.type not in ("identifier", "attribute"):
        return None
    text = text_of(node)
    plain = re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", text) and _ONE not in text
    return text if plain else None


def _text(pattern: Node) -> str:
    return "".join(text_of(c) for c in pattern.named_children if c.type == "string_content")
