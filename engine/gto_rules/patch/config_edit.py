"""Edits of configuration files: a key gets a value, everything else stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from gto_rules.documents.model import DataDocument, Entry, Mapping, Node, Scalar
from gto_rules.errors import PatchError
from gto_rules.location import Span
from gto_rules.patch.python_edit import Text

Change = tuple[Span, str]
# Words that YAML 1.1 would read as something else than text.
_YAML_WORDS = re.compile(r"(?i)(true|false|yes|no|on|off|null|~|[-+]?[\d.].*|)$")
_YAML_PLAIN = re.compile(r"[A-Za-z0-9_./+][\w./+@ -]*$")


def set_key(document: DataDocument, path: Sequence[str], value: object) -> list[Change]:
    """Edits that make the key at ``path`` hold ``value``.

    Raises:
        PatchError: the file has no place where the key could be written safely (several documents
            that could be meant, an alias, a parent that is no mapping, or another format).
    """
    writer = _WRITERS.get(document.kind)
    if writer is None:
        raise PatchError(f"{document.path}: {document.kind} files cannot be edited")
    existing = document.find(*path)
    if existing is not None:
        return _replace(document, existing, value)
    if len(document.roots) > 1:
        raise PatchError(f"{document.path}: holds several documents; none of them has the key {'.'.join(path)}")
    parent, rest = _parent(document, path)
    return writer(document, parent, rest, value)


def _replace(document: DataDocument, entry: Entry, value: object) -> list[Change]:
    node = entry.value
    if not entry.span.start <= node.span.start <= entry.span.end:
        raise PatchError(f"{document.path}: the value of {entry.key} is shared through an alias")
    written = render(document.kind, value, node.style if isinstance(node, Scalar) else "plain")
    if document.source.slice(node.span) == written:
        return []
    if node.span.start == node.span.end:  # ``key:`` without a value
        return [(node.span, f" {written}")]
    return [(node.span, written)]


def _parent(document: DataDocument, path: Sequence[str]) -> tuple[Mapping, list[str]]:
    """The deepest mapping on the way to the key, and what is missing below it."""
    node: Node = document.roots[0] if document.roots else Mapping((), Span(0, 0))
    for depth, key in enumerate(path):
        if not isinstance(node, Mapping):
            raise PatchError(f"{document.path}: {'.'.join(path[:depth])} is not a mapping")
        entry = node.get(key)
        if entry is None or (isinstance(entry.value, Scalar) and entry.value.value is None):
            return node, list(path[depth:])
        node = entry.value
    raise PatchError(f"{document.path}: {'.'.join(path)} is already there")


def render(kind: str, value: object, style: str = "plain") -> str:
    """A value as the format writes it, in the quotes that stood there before."""
    if kind == "yaml":
        return _yaml(value, style)
    if kind == "toml":
        return _toml(value)
    return json.dumps(value, ensure_ascii=False)


def _yaml(value: object, style: str) -> str:
    if isinstance(value, str):
        if style == "single":
            return "'" + value.replace("'", "''") + "'"
        if style == "double" or _YAML_WORDS.match(value) or not _YAML_PLAIN.match(value):
            return json.dumps(value, ensure_ascii=False)
        return value
    if isinstance(value, float):
        text = repr(value)
        # Without a dot YAML 1.1 reads 1e-05 as text.
        return text if "." in text or "e" not in text else text.replace("e", ".0e", 1)
    return json.dumps(value, ensure_ascii=False)


def _toml(value: object) -> str:
    if value is None:
        raise PatchError("TOML cannot write an empty value")
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _insert_yaml(document: DataDocument, parent: Mapping, rest: list[str], value: object) -> list[Change]:
    text = Text(document.source.text)
    if parent.flow:
        return _insert_flow(document, parent, rest, value)
    if not parent.entries:
        end = len(text.raw)
        glue = "" if not end or text.raw.endswith(b"\n") else text.newline
        return [(Span(end, end), glue + _yaml_lines(rest, value, "", text.newline) + text.newline)]
    last = parent.entries[-1]
    indentation = " " * (document.source.position(last.key_span.start)[1] - 1)
    at = text.line_end(_content_end(text, last))
    return [(Span(at, at), text.newline + _yaml_lines(rest, value, indentation, text.newline))]


def _content_end(text: Text, entry: Entry) -> int:
    """Where an entry's text ends, without the line ending that a block scalar may take in."""
    raw = text.raw[entry.span.start : entry.span.end].rstrip()
    return entry.span.start + len(raw)


def _yaml_lines(keys: list[str], value: object, indentation: str, newline: str) -> str:
    lines = [f"{indentation}{'  ' * depth}{key}:" for depth, key in enumerate(keys)]
    lines[-1] += f" {_yaml(value, 'plain')}"
    return newline.join(lines)


def _insert_flow(document: DataDocument, parent: Mapping, rest: list[str], value: object) -> list[Change]:
    """Into ``{...}`` of JSON or of YAML's flow style, on a line of its own where the entries have one."""
    text = Text(document.source.text)
    quote = '"' if document.kind == "json" else ""
    for key in reversed(rest[1:]):
        value = {key: value}
    written = f"{quote}{rest[0]}{quote}: {render(document.kind, value)}"
    if not parent.entries:
        at = parent.span.start + 1
        return [(Span(at, at), written)]
    last = parent.entries[-1]
    if text.begins_line(last.key_span.start):
        line = f",{text.newline}{text.indentation(last.key_span.start)}{written}"
        return [(Span(last.span.end, last.span.end), line)]
    return [(Span(last.span.end, last.span.end), f", {written}")]


def _insert_toml(document: DataDocument, parent: Mapping, rest: list[str], value: object) -> list[Change]:
    text = Text(document.source.text)
    written = f"{'.'.join(rest)} = {_toml(value)}"
    if parent.flow:
        if not parent.entries:
            at = parent.span.start + 1
            return [(Span(at, at), f" {written} ")]
        end = parent.entries[-1].span.end
        return [(Span(end, end), f", {written}")]
    plain = [e for e in parent.entries if not _is_table(text, e)]
    if plain:
        at = text.line_end(plain[-1].span.end)
        return [(Span(at, at), text.newline + written)]
    if parent is document.roots[0]:
        return [(Span(0, 0), written + text.newline)]
    at = text.line_end(parent.span.start)
    return [(Span(at, at), text.newline + written)]


def _is_table(text: Text, entry: Entry) -> bool:
    return text.raw[entry.span.start : entry.span.start + 1] == b"["


_WRITERS: dict[str, Callable[[DataDocument, Mapping, list[str], object], list[Change]]] = {
    "yaml": _insert_yaml,
    "json": _insert_flow,
    "toml": _insert_toml,
}
