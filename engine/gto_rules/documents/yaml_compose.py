"""YAML by PyYAML's own parser → the same data nodes, for what the grammar cannot read."""

from __future__ import annotations

from typing import Any

from gto_rules.documents.grammar import NESTING_LIMIT, Said
from gto_rules.documents.model import DataDocument, Entry, Mapping, Node, Scalar, Sequence, SourceText
from gto_rules.documents.scalars import plain, through_loader
from gto_rules.documents.yaml_merge import EXPANDED_LIMIT, entries_of, key_text, until
from gto_rules.location import Span

_STYLES = {"'": "single", '"': "double", "|": "literal", ">": "folded"}
_CORE = "tag:yaml.org,2002:"


class _TooMuchError(Exception):
    pass


def compose_yaml(source: SourceText) -> DataDocument | None:
    """The documents of a file, or None if PyYAML finds it wrong too, or nested too deep."""
    import yaml

    text = source.text.decode("utf-8")
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    converter = _Converter(source, text)
    try:
        roots = tuple(converter.node(node, 0) for node in yaml.compose_all(text, Loader=loader))
    except (yaml.YAMLError, ValueError, RecursionError, _TooMuchError):
        return None
    return DataDocument(source, "yaml", (*source.problems, *converter.said.problems), roots=roots)


class _Converter:
    def __init__(self, source: SourceText, text: str) -> None:
        self.source = source
        # Marks count characters; spans count bytes.
        self.ascii = len(text) == len(source.text)
        self.text = text
        self.nodes = 0
        self.said = Said(source)
        self.at = (0, 0)

    def byte(self, index: int) -> int:
        if self.ascii:
            return index
        if index < self.at[0]:
            self.at = (0, 0)
        characters, position = self.at
        self.at = index, position + len(self.text[characters:index].encode("utf-8"))
        return self.at[1]

    def span(self, node: Any) -> Span:
        return Span(self.byte(node.start_mark.index), self.byte(node.end_mark.index))

    def node(self, node: Any, depth: int) -> Node:
        self.nodes += 1
        if depth > NESTING_LIMIT or self.nodes > EXPANDED_LIMIT:
            raise _TooMuchError
        if node.id == "scalar":
            return self.scalar(node)
        span, flow = self.span(node), bool(node.flow_style)
        if node.id == "sequence":
            items = tuple(self.node(item, depth + 1) for item in node.value)
            return Sequence(items, span if flow else until(span, items), flow)
        rows = [self.row(key, value, depth) for key, value in node.value]
        entries, twice = entries_of(rows)
        for entry in twice:
            self.said.twice(entry.key, entry.span.start)
        return Mapping(entries, span if flow else until(span, [entry for _, entry in rows]), flow)

    def row(self, key_node: Any, value_node: Any, depth: int) -> tuple[Node, Entry]:
        key, value = self.node(key_node, depth + 1), self.node(value_node, depth + 1)
        # An alias stands elsewhere than its value.
        end = value.span.end if value.span.start >= key.span.end else key.span.end
        return key, Entry(key_text(key), key.span, value, Span(key.span.start, end))

    def scalar(self, node: Any) -> Scalar:
        span, style = self.span(node), _STYLES.get(node.style, "plain")
        if style in ("literal", "folded"):
            written = self.source.text[span.start : span.end].rstrip()
            return Scalar(node.value, Span(span.start, span.start + len(written)), style)
        tag = node.tag.removeprefix(_CORE)
        if tag == "str" or (style != "plain" and tag not in ("int", "float", "bool", "null")):
            return Scalar(node.value, span, style)
        value = plain(node.value)
        if style != "plain" or (isinstance(value, str) and tag in ("int", "float", "bool", "null")):
            value = through_loader(f"!!{tag} {node.value}")
        return Scalar(value, span, style)
