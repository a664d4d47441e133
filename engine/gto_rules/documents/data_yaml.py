"""YAML → data nodes with exact spans, through tree-sitter so that a broken file is read as far as it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gto_rules.documents.grammar import parse_tree
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
from gto_rules.location import Span

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

# Aliases can multiply nodes without end ("billion laughs"); real configurations use a handful.
ALIAS_LIMIT = 1000

_SKIP = frozenset(("comment", "anchor", "tag", "yaml_directive", "tag_directive", "reserved_directive"))
_STYLES = {"double_quote_scalar": "double", "single_quote_scalar": "single"}


def read_yaml(source: SourceText) -> DataDocument:
    """Every document of a YAML file; anchors, aliases and ``<<`` merges are followed."""
    tree, problems = parse_tree("yaml", source)
    reader = _Reader(source)
    roots: list[Node] = []
    documents = [child for child in tree.root_node.children if child.type == "document"] or [tree.root_node]
    for document in documents:
        reader.anchors.clear()
        node = reader.first(document)
        if node is not None:
            roots.append(node)
    return DataDocument(source, "yaml", (*problems, *reader.problems), roots=tuple(roots))


class _Reader:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.anchors: dict[str, Node] = {}
        self.aliases = 0
        self.problems: list[Problem] = []

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
        kind = tree.type
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
        node = self.node(content) if content is not None else Scalar(None, Span(tree.end_byte, tree.end_byte))
        if isinstance(node, Scalar) and tag is not None and content is not None:
            if tag == "!!str":
                node = Scalar(self.text(content) if node.style == "plain" else node.value, node.span, node.style)
            elif tag in ("!!int", "!!float", "!!bool", "!!null"):
                node = Scalar(through_loader(f"{tag} {self.text(content)}"), node.span, node.style)
        if anchor is not None and node is not None:
            self.anchors[anchor] = node
        return node

    def alias(self, tree: Tree) -> Node | None:
        self.aliases += 1
        name = self.text(tree)[1:]
        if self.aliases > ALIAS_LIMIT or name not in self.anchors:
            line, _ = self.source.position(tree.start_byte)
            why = "too many aliases" if self.aliases > ALIAS_LIMIT else f"the anchor '{name}' is not defined"
            self.problems.append(Problem(self.source.path, why, line))
            return Scalar(None, _span(tree))
        return self.anchors[name]

    def mapping(self, tree: Tree, pairs: list[Tree], *, flow: bool) -> Mapping:
        entries: list[Entry] = []
        merged: list[Entry] = []
        for pair in pairs:
            if pair.type == "flow_node":  # {a, b}: keys without values
                entries.append(Entry(str(self.text(pair)), _span(pair), Scalar(None, _end(pair)), _span(pair)))
                continue
            key_tree, value_tree = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if key_tree is None:
                continue
            key = self.node(key_tree)
            name = _key_text(key)
            value = self.node(value_tree) if value_tree is not None else None
            value = value if value is not None else Scalar(None, _end(pair))
            if name == "<<":
                merged.extend(_merge(value))
                continue
            entries.append(Entry(name, _span(key_tree), value, Span(pair.start_byte, pair.end_byte)))
        own = {entry.key for entry in entries}
        inherited = {entry.key: entry for entry in reversed(merged) if entry.key not in own}
        return Mapping((*inherited.values(), *entries), _span(tree), flow)

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
        return Sequence(tuple(items), _span(tree), tree.type == "flow_sequence")

    def scalar(self, tree: Tree) -> Scalar:
        text = self.text(tree)
        if tree.type == "plain_scalar":
            if "\n" in text:
                return Scalar(through_loader(text), _span(tree))
            return Scalar(plain(text), _span(tree))
        if tree.type == "single_quote_scalar" and "\n" not in text:
            return Scalar(text[1:-1].replace("''", "'"), _span(tree), "single")
        if tree.type == "double_quote_scalar" and "\\" not in text and "\n" not in text:
            return Scalar(text[1:-1], _span(tree), "double")
        if tree.type == "block_scalar":
            style = "folded" if text.startswith(">") else "literal"
            return Scalar(self.block(tree), _span(tree), style)
        return Scalar(through_loader(text), _span(tree), _STYLES.get(tree.type, "plain"))

    def block(self, tree: Tree) -> JsonScalar:
        """A block scalar needs its own indentation, and the line ending that the tree leaves out."""
        end = self.source.text.find(b"\n", tree.end_byte)
        end = len(self.source.text) if end < 0 else end + 1
        text = self.source.text[tree.start_byte : end].decode("utf-8", "replace")
        return _loaded_block(text)

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


def _merge(value: Node) -> list[Entry]:
    if isinstance(value, Mapping):
        return list(value.entries)
    if isinstance(value, Sequence):
        return [entry for item in value.items if isinstance(item, Mapping) for entry in item.entries]
    return []


def _key_text(node: Node | None) -> str:
    if isinstance(node, Scalar):
        return "null" if node.value is None else str(node.value)
    return ""


def _span(tree: Tree) -> Span:
    return Span(tree.start_byte, tree.end_byte)


def _end(tree: Tree) -> Span:
    return Span(tree.end_byte, tree.end_byte)
