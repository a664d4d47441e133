"""YAML → data nodes with exact spans, through tree-sitter so that a broken file is read as far as it goes.

The grammar rejects some valid files and cannot hold deep nesting; those are read by PyYAML instead
(``yaml_compose``), which is slower to load and gives nothing for a file with an error in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gto_rules.documents.grammar import NESTING_LIMIT, Said, parse_tree
from gto_rules.documents.model import (
    DataDocument,
    Entry,
    JsonScalar,
    Mapping,
    Node,
    Problem,
    Scalar,
    Sequence,
    SourceText,
)
from gto_rules.documents.scalars import plain, through_loader
from gto_rules.documents.yaml_merge import EXPANDED_LIMIT, entries_of, key_text, until
from gto_rules.location import Span

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

# The grammar's scanner keeps its stack in a fixed buffer and ends the process beyond 254 levels
# (tree-sitter-yaml 0.7). A level needs a column, or half a one for a list below its key.
_WIDE = re.compile(rb"^(?=.{100})(?:[ \t]|[-?:][ \t]|[&!]\S*[ \t]){50,}", re.M)

# What ends a line in YAML 1.1.
_BREAK = re.compile("[\n\r\x85\u2028\u2029]")
_SKIP = frozenset(("comment", "anchor", "tag", "yaml_directive", "tag_directive", "reserved_directive"))
_STYLES = {"double_quote_scalar": "double", "single_quote_scalar": "single"}


def read_yaml(source: SourceText) -> DataDocument:
    """Every document of a YAML file; anchors, aliases and ``<<`` merges are followed."""
    if _WIDE.search(source.text):
        return _composed(source) or DataDocument(
            source, "yaml", (*source.problems, Problem(source.path, "syntax error, or nested too deep; not read"))
        )
    tree, problems = parse_tree("yaml", source)
    if tree.root_node.has_error:
        composed = _composed(source)
        if composed is not None:
            return composed
    reader = _Reader(source)
    documents = [child for child in tree.root_node.children if child.type == "document"] or [tree.root_node]
    roots = [reader.document(document) for document in documents]
    return DataDocument(
        source, "yaml", (*problems, *reader.said.problems), roots=tuple(node for node in roots if node is not None)
    )


def _composed(source: SourceText) -> DataDocument | None:
    from gto_rules.documents.yaml_compose import compose_yaml

    return compose_yaml(source)


class _Reader:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.said = Said(source)
        self.depth = 0
        # Nodes so far, those behind aliases counted each time: aliases can multiply without end.
        self.nodes = 0

    def document(self, tree: Tree) -> Node | None:
        self.anchors.clear()
        return self.first(tree)

    def first(self, parent: Tree) -> Node | None:
        """The content of a node; loose pairs under a syntax error still make a mapping."""
        pairs = [c for c in parent.children if c.type in ("block_mapping_pair", "flow_pair")]
        if parent.type == "ERROR" and pairs:
            return self.mapping(parent, pairs, flow=False)
        for child in parent.named_children:
            if child.type not in _SKIP:
                node = self.node(child)
                if node is not None:
                    return node
        return None

    def node(self, tree: Tree) -> Node | None:
        if self.depth >= 2 * NESTING_LIMIT:  # a value and the node around it
            self.said.too_deep(tree.start_byte)
            return Scalar(None, _span(tree))
        self.depth += 1
        node = self.content(tree)
        self.depth -= 1
        return node

    def content(self, tree: Tree) -> Node | None:
        kind = tree.type
        self.nodes += 1
        if kind in ("block_node", "flow_node"):
            return self.anchored(tree)
        if kind in ("block_mapping", "flow_mapping"):
            wanted = ("block_mapping_pair", "flow_pair")
            pairs = [c for c in _flat(tree) if c.type in wanted or (kind == "flow_mapping" and c.type == "flow_node")]
            return self.mapping(tree, pairs, flow=kind == "flow_mapping")
        if kind in ("block_sequence", "flow_sequence"):
            return self.sequence(tree)
        if kind == "ERROR":
            return self.first(tree)
        if kind == "alias":
            return self.alias(tree)
        return self.scalar(tree)

    def anchored(self, tree: Tree) -> Node | None:
        tag = next((self.text(c) for c in tree.named_children if c.type == "tag"), None)
        anchor = next((self.text(c)[1:] for c in tree.named_children if c.type == "anchor"), None)
        content = next((c for c in tree.named_children if c.type not in _SKIP), None)
        before = self.nodes
        node = self.node(content) if content is not None else Scalar(None, _end(tree))
        if isinstance(node, Scalar) and tag is not None and content is not None:
            if tag == "!!str":
                node = Scalar(self.text(content) if node.style == "plain" else node.value, node.span, node.style)
            elif tag in ("!!int", "!!float", "!!bool", "!!null"):
                node = Scalar(through_loader(f"{tag} {self.text(content)}"), node.span, node.style)
        if anchor is not None and node is not None:
            self.anchors[anchor] = node, self.nodes - before
        return node

    def alias(self, tree: Tree) -> Node | None:
        name = self.text(tree)[1:]
        node, size = self.anchors.get(name, (None, 0))
        if node is None:
            self.said.say(tree.start_byte, f"the anchor '{name}' is not defined")
        elif self.nodes + size > EXPANDED_LIMIT:
            self.said.say(
                tree.start_byte, f"aliases give more than {EXPANDED_LIMIT:,} values; this one was not followed"
            )
        else:
            self.nodes += size
            return node
        return Scalar(None, _span(tree))

    def mapping(self, tree: Tree, pairs: list[Tree], *, flow: bool) -> Mapping:
        rows = [self.pair(pair) for pair in pairs]
        entries, twice = entries_of([row for row in rows if row is not None])
        for entry in twice:
            self.said.twice(entry.key, entry.span.start)
        span = _span(tree) if flow else until(_span(tree), [row[1] for row in rows if row is not None])
        return Mapping(entries, span, flow)

    def pair(self, pair: Tree) -> tuple[Node | None, Entry] | None:
        """The key as a node, and the entry."""
        if pair.type == "flow_node":  # {a, b}: keys without values
            key = self.node(pair)
            return key, Entry(key_text(key), _span(pair), Scalar(None, _end(pair)), _span(pair))
        key_tree, value_tree = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key_tree is None:
            return None
        key = self.node(key_tree)
        value = self.node(value_tree) if value_tree is not None else None
        value = value if value is not None else Scalar(None, _end(pair))
        return key, Entry(key_text(key), _span(key_tree), value, until(self.trimmed(pair), [value]))

    def sequence(self, tree: Tree) -> Sequence:
        items: list[Node] = []
        for child in _flat(tree):
            if child.type == "block_sequence_item":
                node = self.first(child)
                items.append(node if node is not None else Scalar(None, _end(child)))
            elif child.type == "flow_node":
                node = self.node(child)
                items.append(node if node is not None else Scalar(None, _end(child)))
            elif child.type == "flow_pair":
                items.append(self.mapping(child, [child], flow=True))
        flow = tree.type == "flow_sequence"
        return Sequence(tuple(items), _span(tree) if flow else until(self.trimmed(tree), items), flow)

    def scalar(self, tree: Tree) -> Scalar:
        text = self.text(tree)
        if tree.type == "plain_scalar":
            if _BREAK.search(text):
                return Scalar(through_loader(text), _span(tree))
            return Scalar(plain(text), _span(tree))
        if tree.type == "single_quote_scalar" and not _BREAK.search(text):
            return Scalar(text[1:-1].replace("''", "'"), _span(tree), "single")
        if tree.type == "double_quote_scalar" and "\\" not in text and not _BREAK.search(text):
            return Scalar(text[1:-1], _span(tree), "double")
        if tree.type == "block_scalar":
            style = "folded" if text.startswith(">") else "literal"
            return Scalar(self.block(tree), self.trimmed(tree), style)
        return Scalar(through_loader(text), _span(tree), _STYLES.get(tree.type, "plain"))

    def block(self, tree: Tree) -> JsonScalar:
        """A block scalar needs its own indentation, and the line ending that the tree leaves out."""
        end = self.source.text.find(b"\n", tree.end_byte)
        end = len(self.source.text) if end < 0 else end + 1
        text = self.source.text[tree.start_byte : end].decode("utf-8", "replace")
        return _loaded_block(text)

    def trimmed(self, tree: Tree) -> Span:
        """The span without the line ending that the last block of a file takes in."""
        end = tree.end_byte
        while end > tree.start_byte and self.source.text[end - 1] in b" \t\r\n":
            end -= 1
        return Span(tree.start_byte, end)

    def text(self, tree: Tree) -> str:
        return self.source.text[tree.start_byte : tree.end_byte].decode("utf-8", "replace")


def _loaded_block(text: str) -> JsonScalar:
    import yaml

    try:
        return str(yaml.safe_load("k: " + text)["k"])
    except (yaml.YAMLError, TypeError, KeyError, ValueError):
        return text


def _flat(tree: Tree) -> list[Tree]:
    """Children, with those under a syntax error lifted up, so that later entries are not lost."""
    out: list[Tree] = []
    for child in tree.named_children:
        out.extend(_flat(child) if child.type == "ERROR" else [child])
    return out


def _span(tree: Tree) -> Span:
    return Span(tree.start_byte, tree.end_byte)


def _end(tree: Tree) -> Span:
    return Span(tree.end_byte, tree.end_byte)
