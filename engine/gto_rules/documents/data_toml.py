"""TOML → data nodes with exact spans."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gto_rules.documents.grammar import NESTING_LIMIT, Said, parse_tree
from gto_rules.documents.model import (
    DataDocument,
    Entry,
    JsonScalar,
    Mapping,
    Node,
    Scalar,
    Sequence,
    SourceText,
)
from gto_rules.location import Span

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\", "e": "\x1b"}
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([btnfr"\\e])|\s*\n\s*)')


@dataclass
class _Table:
    """A table while it is being put together from headers and dotted keys."""

    span: Span
    items: dict[str, tuple[Span, Span, _Table | list[_Table] | Node]] = field(default_factory=dict)


def read_toml(source: SourceText) -> DataDocument:
    """The one root table of a TOML file."""
    tree, problems = parse_tree("toml", source)
    reader = _Reader(source)
    root = reader.root(tree.root_node)
    return DataDocument(source, "toml", (*problems, *reader.said.problems), roots=(_frozen(root),))


class _Reader:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.said = Said(source)
        self.depth = 0

    def root(self, tree: Tree) -> _Table:
        root = _Table(_span(tree))
        for child in _flat(tree):
            if child.type == "pair":
                self.pair(root, child)
            elif child.type in ("table", "table_array_element"):
                self.header(root, child)
        return root

    def header(self, root: _Table, tree: Tree) -> None:
        children = [c for c in _flat(tree) if c.type != "comment"]
        if not children:
            return
        keys = self.keys(children[0])
        target = self.descend(root, keys[:-1], tree)
        name, span = keys[-1]
        table = _Table(_span(tree))
        existing = target.items.get(name)
        if tree.type == "table_array_element":
            rows = existing[2] if existing is not None and isinstance(existing[2], list) else []
            target.items[name] = (span, _span(tree), [*rows, table])
        elif existing is not None and isinstance(existing[2], _Table):
            table = existing[2]
        else:
            target.items[name] = (span, _span(tree), table)
        for pair in children[1:]:
            if pair.type == "pair":
                self.pair(table, pair)

    def descend(self, table: _Table, keys: list[tuple[str, Span]], tree: Tree) -> _Table:
        if len(keys) > NESTING_LIMIT:
            self.said.too_deep(tree.start_byte)
        for name, span in keys[:NESTING_LIMIT]:
            found = table.items.get(name)
            if found is not None and isinstance(found[2], _Table):
                table = found[2]
            elif found is not None and isinstance(found[2], list) and found[2]:
                table = found[2][-1]
            else:
                inner = _Table(_span(tree))
                table.items[name] = (span, _span(tree), inner)
                table = inner
        return table

    def pair(self, table: _Table, tree: Tree) -> None:
        children = [c for c in tree.named_children if c.type not in ("comment", "ERROR")]
        if len(children) < 2:
            return
        keys = self.keys(children[0])
        target = self.descend(table, keys[:-1], tree)
        target.items[keys[-1][0]] = (keys[-1][1], _span(tree), self.value(children[1]))

    def keys(self, tree: Tree) -> list[tuple[str, Span]]:
        """The parts of a dotted key; the grammar nests them to the left."""
        parts: list[tuple[str, Span]] = []
        todo = [tree]
        while todo:
            node = todo.pop()
            if node.type == "dotted_key":
                todo.extend(node.named_children)
                continue
            text = self.text(node)
            parts.append((str(self.string(text)) if text[:1] in "\"'" else text, _span(node)))
        return parts[::-1]

    def value(self, tree: Tree) -> Node:
        if self.depth >= NESTING_LIMIT:
            self.said.too_deep(tree.start_byte)
            return Scalar(None, _span(tree))
        self.depth += 1
        node = self.content(tree)
        self.depth -= 1
        return node

    def content(self, tree: Tree) -> Node:
        span = _span(tree)
        if tree.type == "inline_table":
            table = _Table(span)
            for pair in tree.named_children:
                if pair.type == "pair":
                    self.pair(table, pair)
            return _frozen(table, flow=True)
        if tree.type == "array":
            items = tuple(self.value(c) for c in tree.named_children if c.type not in ("comment", "ERROR"))
            return Sequence(items, span, flow=True)
        return Scalar(self.scalar(tree), span, "double" if tree.type == "string" else "plain")

    def scalar(self, tree: Tree) -> JsonScalar:
        text = self.text(tree)
        if tree.type == "string":
            return self.string(text)
        if tree.type == "boolean":
            return text == "true"
        if tree.type in ("integer", "float"):
            return _number(text, tree.type)
        return text  # dates and times stay as written

    def string(self, text: str) -> str:
        if text.startswith('"""'):
            return _unescape(text[3:-3].replace("\r\n", "\n").removeprefix("\n"))
        if text.startswith("'''"):
            return text[3:-3].replace("\r\n", "\n").removeprefix("\n")
        return text[1:-1] if text.startswith("'") else _unescape(text[1:-1])

    def text(self, tree: Tree) -> str:
        return self.source.slice(_span(tree))


def _number(text: str, kind: str) -> JsonScalar:
    digits = text.replace("_", "")
    try:
        if kind == "float":
            return float(digits)
        return int(digits) if re.fullmatch(r"[-+]?\d+", digits) else int(digits, 0)
    except ValueError:  # half a number, or thousands of digits
        return text


def _unescape(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        if found[1] or found[2]:
            return chr(int(found[1] or found[2], 16))
        return _ESCAPES[found[3]] if found[3] else ""

    try:
        return _ESCAPE.sub(one, text)
    except (ValueError, OverflowError):
        return text


def _frozen(table: _Table, *, flow: bool = False) -> Mapping:
    entries = []
    for name, (key_span, span, value) in table.items.items():
        if isinstance(value, _Table):
            node: Node = _frozen(value)
        elif isinstance(value, list):
            node = Sequence(tuple(_frozen(row) for row in value), span)
        else:
            node = value
        entries.append(Entry(name, key_span, node, span))
    return Mapping(tuple(entries), table.span, flow)


def _flat(tree: Tree) -> list[Tree]:
    """Children, with those under a syntax error lifted up, so that later entries are not lost."""
    out: list[Tree] = []
    for child in tree.named_children:
        out.extend(_flat(child) if child.type == "ERROR" else [child])
    return out


def _span(tree: Tree) -> Span:
    return Span(tree.start_byte, tree.end_byte)
