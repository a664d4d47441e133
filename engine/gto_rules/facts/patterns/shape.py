"""Code with holes as a tree that can be compared quickly with many nodes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node

from gto_rules.facts.patterns.errors import PatternError
from gto_rules.facts.python.grammar import parse, text_of

_ONE, _MANY = "gto_one_", "gto_many_"
METAVARIABLE = re.compile(r"\$(\.\.\.)?([A-Z_][A-Z0-9_]*)")
_PUNCTUATION = frozenset("()[]{},:;\"'")


@dataclass(frozen=True, slots=True)
class Shape:
    """One node of a pattern.

    Attributes:
        type: Type of the tree-sitter node.
        text: Its source.
        one: Name of the metavariable that it is, if it stands for one node.
        many: Name of the metavariable (empty for ``...``) if it stands for any number; else None.
        dotted: ``a.b.c`` if it is that name and nothing else.
        content: The text between the quotes of a plain string.
        parts: Children that mean something.
    """

    type: str
    text: str
    one: str | None
    many: str | None
    dotted: str | None
    content: str | None
    parts: tuple[Shape, ...]

    @property
    def is_many(self) -> bool:
        return self.many is not None


def compile_shape(text: str) -> Shape:
    """The shape of a code pattern.

    Raises:
        PatternError: not Python, or more than one statement.
    """
    source = METAVARIABLE.sub(lambda m: (_MANY if m[1] else _ONE) + m[2], text)
    root = parse(source.encode()).root_node
    if root.has_error or root.named_child_count != 1:
        raise PatternError(f"'{text}' is not one Python statement or expression")
    node = root.named_children[0]
    if node.type == "expression_statement" and node.named_child_count == 1:
        node = node.named_children[0]
    return _shape(node)


def parts_of(node: Node) -> list[Node]:
    """Children that mean something: no comments, brackets or commas."""
    return [c for c in node.children if (c.type != "comment" if c.is_named else c.type not in _PUNCTUATION)]


def _shape(node: Node) -> Shape:
    text = text_of(node)
    plain = node.type == "identifier"
    one = text[len(_ONE) :] if plain and text.startswith(_ONE) else None
    return Shape(
        node.type,
        text,
        one,
        _many(node),
        _dotted(node) if one is None else None,
        "".join(text_of(c) for c in node.named_children if c.type == "string_content")
        if node.type == "string" and text[:1] in "'\""
        else None,
        tuple(_shape(c) for c in parts_of(node)),
    )


def _many(node: Node) -> str | None:
    if node.type == "expression_statement" and node.named_child_count == 1:
        return _many(node.named_children[0])
    if node.type == "ellipsis":
        return ""
    text = text_of(node) if node.type == "identifier" else ""
    return text[len(_MANY) :] if text.startswith(_MANY) else None


def _dotted(node: Node) -> str | None:
    text = text_of(node) if node.type in ("identifier", "attribute") else ""
    plain = re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", text) and _ONE not in text and _MANY not in text
    return text if plain else None
