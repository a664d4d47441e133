"""tree-sitter for Python: one query that collects all the index needs in one pass."""

from __future__ import annotations

from functools import cache
from typing import Any

from tree_sitter import Language, Node, Query, QueryCursor, Tree

from gto_rules.documents.grammar import parser

_QUERY = """
[(import_statement) (import_from_statement)] @import
(function_definition) @function
(class_definition) @class
(lambda) @lambda
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @comprehension
(if_statement consequence: (block) @if)
(elif_clause consequence: (block) @elif)
(else_clause body: (block) @else)
(for_statement body: (block) @for)
(while_statement body: (block) @while)
(try_statement body: (block) @try)
(except_clause (block) @except)
(finally_clause (block) @finally)
(with_statement body: (block) @with)
(case_clause consequence: (block) @case)
(assignment) @assign
(augmented_assignment) @augment
(named_expression) @walrus
(for_statement left: (_) @target)
(for_in_clause left: (_) @target)
(as_pattern alias: (as_pattern_target (_) @target))
(case_pattern (_) @target)
(global_statement) @outer
(nonlocal_statement) @outer
(delete_statement) @delete
(call) @call
"""


@cache
def language() -> Language:
    found = parser("python").language
    assert found is not None
    return found


def parse(text: bytes) -> Tree:
    """The tree of Python source, however broken it is."""
    return parser("python").parse(text)


@cache
def compile_query(source: str) -> Query:
    """A tree-sitter query for Python; raises ``tree_sitter.QueryError`` if it is wrong."""
    query: Query = Query(language(), source)
    return query


def captures(query: Query, root: Node) -> dict[str, list[Node]]:
    """Captured nodes by capture name, each list in source order."""
    found = QueryCursor(query).captures(root)
    return {name: sorted(nodes, key=_order) for name, nodes in found.items()}


def matches(query: Query, root: Node) -> list[tuple[int, dict[str, list[Node]]]]:
    """Matches as (pattern number, captured nodes by name), in source order."""
    return QueryCursor(query).matches(root)


def index_captures(root: Node) -> dict[str, list[Node]]:
    """All nodes that the index is built from."""
    return captures(compile_query(_QUERY), root)


def import_captures(root: Node) -> list[Node]:
    """All import statements."""
    return captures(compile_query("[(import_statement) (import_from_statement)] @import"), root).get("import", [])


def _order(node: Node) -> tuple[int, int]:
    return node.start_byte, -node.end_byte


def text_of(node: Node) -> str:
    """The source text of a node."""
    raw: Any = node.text
    return raw.decode("utf-8", "replace") if raw is not None else ""
