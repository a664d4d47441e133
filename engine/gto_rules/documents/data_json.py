"""JSON → data nodes with exact spans. Comments and trailing commas are read, and said."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from gto_rules.documents.grammar import NESTING_LIMIT, Said, has_long_line, parse_tree
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

_EXPONENT = re.compile(rb"(\d[eE])\+(?=\d)")
_DECODER = json.JSONDecoder(strict=False)
_WORDS: dict[str, JsonScalar] = {"true": True, "false": False, "null": None}


def read_json(source: SourceText) -> DataDocument:
    """The values of a JSON file (several in a row, as JSON lines, give several roots)."""
    # The grammar knows no plus sign in an exponent; a zero in its place keeps every offset.
    text = _EXPONENT.sub(rb"\g<1>0", source.text)
    # Notebooks hold pictures as one line.
    long_lines = has_long_line(text) and _is_json(text)
    tree, problems = parse_tree("json", source, text, long_lines=long_lines)
    reader = _Reader(source)
    roots = [reader.node(c) for c in _flat(tree.root_node) if c.type != "comment"]
    return DataDocument(
        source, "json", (*problems, *reader.said.problems), roots=tuple(node for node in roots if node is not None)
    )


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


class _Reader:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.said = Said(source)
        self.depth = 0

    def node(self, tree: Tree) -> Node | None:
        if self.depth >= NESTING_LIMIT:
            self.said.too_deep(tree.start_byte)
            return Scalar(None, Span(tree.start_byte, tree.end_byte))
        self.depth += 1
        node = self.content(tree)
        self.depth -= 1
        return node

    def content(self, tree: Tree) -> Node | None:
        span = Span(tree.start_byte, tree.end_byte)
        if tree.type == "object":
            return Mapping(self.entries(tree), span, flow=True)
        if tree.type == "array":
            items = [self.node(c) for c in _flat(tree) if c.type != "comment"]
            return Sequence(tuple(i for i in items if i is not None), span, flow=True)
        if tree.type in _WORDS:
            return Scalar(_WORDS[tree.type], span)
        if tree.type in ("string", "number") and span.start < span.end:  # empty: what error recovery assumed
            return Scalar(_loaded(self.source.slice(span)), span, "double" if tree.type == "string" else "plain")
        return None

    def entries(self, tree: Tree) -> tuple[Entry, ...]:
        entries: list[Entry] = []
        seen: set[str] = set()
        for pair in (c for c in _flat(tree) if c.type == "pair"):
            key_tree, value_tree = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if key_tree is None or value_tree is None:
                continue
            value = self.node(value_tree)
            if value is None:
                continue
            key = str(_loaded(self.source.slice(Span(key_tree.start_byte, key_tree.end_byte))))
            if key in seen:
                self.said.twice(key, key_tree.start_byte)
            seen.add(key)
            span = Span(pair.start_byte, pair.end_byte)
            entries.append(Entry(key, Span(key_tree.start_byte, key_tree.end_byte), value, span))
        return tuple(entries)


def _loaded(text: str) -> JsonScalar:
    if text[:1] == '"' and "\\" not in text:  # most strings of large files
        return text[1:-1]
    try:
        value: JsonScalar = _DECODER.decode(text)
    except ValueError:
        return text.strip('"')
    return value


def _flat(tree: Tree) -> list[Tree]:
    """Children, with those under a syntax error lifted up, so that later entries are not lost."""
    out: list[Tree] = []
    for child in tree.named_children:
        out.extend(_flat(child) if child.type == "ERROR" else [child])
    return out
