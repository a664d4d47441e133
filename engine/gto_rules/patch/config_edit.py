"""Edits of configuration files: a key gets a value, everything else stays as it is.

Every edit is read back before it is given out: where a format's corners would make the new key mean
something else, the next place is tried, and if none works the edit is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as Keys
from typing import Any

from gto_rules.documents import parse, source_from_bytes
from gto_rules.documents.model import DataDocument, Entry, Mapping, Node, Scalar, Sequence, to_python
from gto_rules.errors import PatchError
from gto_rules.location import Span
from gto_rules.patch.config_value import render, render_key
from gto_rules.patch.python_edit import Text

Change = tuple[Span, str]


def set_key(document: DataDocument, path: Keys[str], value: object) -> list[Change]:
    """Edits that make the key at ``path`` hold ``value``; none if it already does.

    Raises:
        PatchError: the file has no place where the key could be written safely (several documents
            that could be meant, a value that is shared, a parent that is no mapping, another format).
    """
    writer = _WRITERS.get(document.kind)
    if writer is None:
        raise PatchError(f"{document.path}: {document.kind} files cannot be edited")
    existing = document.find(*path)
    if existing is not None:
        if alike(to_python(existing.value), value):
            return []
        return _first_sound(document, path, value, [_replace(document, existing, value)])
    if len(document.roots) > 1:
        raise PatchError(f"{document.path}: holds several documents; none of them has the key {'.'.join(path)}")
    parent, rest = _parent(document, path)
    empty = parent.get(rest[0])
    if empty is not None:  # ``key:`` without a value gets one with the missing keys inside
        return _first_sound(document, path, value, [_replace(document, empty, _nested(rest[1:], value))])
    return _first_sound(document, path, value, writer(document, parent, rest, value))


def _nested(keys: Keys[str], value: object) -> object:
    for key in reversed(keys):
        value = {key: value}
    return value


def _first_sound(
    document: DataDocument, path: Keys[str], value: object, candidates: Iterator[list[Change]] | list[list[Change]]
) -> list[Change]:
    """The first candidate after which the file reads as wanted."""
    wanted = _wanted(document, path, value)
    for changes in candidates:
        if _reads(document, changes, wanted):
            return changes
    raise PatchError(f"{document.path}: {'.'.join(path)} cannot be set without changing what else the file says")


def _wanted(document: DataDocument, path: Keys[str], value: object) -> list[Any]:
    roots = [to_python(root) for root in document.roots] or [{}]
    at = next((i for i, root in enumerate(document.roots) if _has(root, path)), 0)
    if roots[at] is None:
        roots[at] = {}
    node = roots[at]
    for key in path[:-1]:
        if not isinstance(node.get(key), dict):
            node[key] = {}
        node = node[key]
    node[path[-1]] = value
    return roots


def _has(node: Node, path: Keys[str]) -> bool:
    for key in path:
        entry = node.get(key) if isinstance(node, Mapping) else None
        if entry is None:
            return False
        node = entry.value
    return True


def _reads(document: DataDocument, changes: list[Change], wanted: list[Any]) -> bool:
    text = document.source.text
    for span, new in sorted(changes, key=lambda c: c[0], reverse=True):
        text = text[: span.start] + new.encode("utf-8", "surrogatepass") + text[span.end :]
    try:
        source = source_from_bytes(document.source.encode(text), document.path)
    except UnicodeError:
        return False
    after = parse(source, document.kind)
    if not isinstance(after, DataDocument) or len(after.problems) > len(document.problems):
        return False
    return alike([to_python(root) for root in after.roots], wanted)


def alike(one: Any, other: Any) -> bool:
    """Equality of plain values that tells 1 from true and 1.0, and holds for NaN."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(v, other[k]) for k, v in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return type(one) is type(other) and (one == other or (one != one and other != other))


def _replace(document: DataDocument, entry: Entry, value: object) -> list[Change]:
    node = entry.value
    if not entry.span.start <= node.span.start <= entry.span.end:
        raise PatchError(f"{document.path}: the value of {entry.key} is shared through an alias")
    written = render(document.kind, value, node.style if isinstance(node, Scalar) else "plain")
    if node.span.start == node.span.end:  # ``key:`` without a value
        return [(node.span, f" {written}")]
    text = Text(document.source.text)
    if document.kind == "yaml" and isinstance(node, Mapping | Sequence) and not node.flow:
        # A block below its key: the value goes behind the key, a comment there stays.
        colon = text.raw.index(b":", entry.key_span.end) + 1
        below = Span(text.line_end(colon), _content_end(text, node))
        if below.start <= node.span.start:
            return [(Span(colon, colon), f" {written}"), (below, "")]
    if document.kind == "yaml" and isinstance(node, Scalar) and node.style in ("literal", "folded"):
        return [(Span(node.span.start, _content_end(text, node)), written)]
    return [(node.span, written)]


def _parent(document: DataDocument, path: Keys[str]) -> tuple[Mapping, list[str]]:
    """The deepest mapping on the way to the key, and what is missing below it."""
    node: Node = document.roots[0] if document.roots else Mapping((), Span(0, 0))
    if isinstance(node, Scalar) and node.value is None:  # an empty document
        node = Mapping((), node.span)
    for depth, key in enumerate(path):
        if not isinstance(node, Mapping):
            raise PatchError(f"{document.path}: {'.'.join(path[:depth]) or 'the file'} is not a mapping")
        entry = node.get(key)
        if entry is None or (isinstance(entry.value, Scalar) and entry.value.value is None):
            return node, list(path[depth:])
        node = entry.value
    raise PatchError(f"{document.path}: {'.'.join(path)} is already there")


def _insert_yaml(document: DataDocument, parent: Mapping, rest: list[str], value: object) -> Iterator[list[Change]]:
    text = Text(document.source.text)
    if parent.flow:
        yield from _insert_flow(document, parent, rest, value)
        return
    if not parent.entries:
        end = len(text.raw)
        glue = "" if not end or text.raw.endswith(b"\n") else text.newline
        lines = _yaml_lines(rest, value, "", text.newline)
        yield [(Span(end, end), glue + lines + text.newline)]
        return
    first, last = parent.entries[0], parent.entries[-1]
    indentation = " " * (document.source.position(first.key_span.start)[1] - 1)
    lines = _yaml_lines(rest, value, indentation, text.newline)
    if not _keeps_blank_lines(text, last.value):
        at = text.line_end(_content_end(text, last.value))
        yield [(Span(at, at), text.newline + lines)]
    start = first.key_span.start
    yield [(Span(start, start), lines.lstrip(" ") + text.newline + indentation)]


def _last_leaf(node: Node) -> Node:
    """The value that a block ends with."""
    while not isinstance(node, Scalar) and not node.flow:
        if isinstance(node, Mapping) and node.entries:
            node = node.entries[-1].value
        elif isinstance(node, Sequence) and node.items:
            node = node.items[-1]
        else:
            break
    return node


def _keeps_blank_lines(text: Text, node: Node) -> bool:
    """Whether a value ends with text (``|+``) that takes in every blank line up to the next key."""
    leaf = _last_leaf(node)
    if not isinstance(leaf, Scalar) or leaf.style not in ("literal", "folded"):
        return False
    return b"+" in text.raw[leaf.span.start : text.line_end(leaf.span.start)]


def _content_end(text: Text, node: Node) -> int:
    """Where a value's text ends, without the line endings and comments that a block may take in."""
    leaf = _last_leaf(node)
    return leaf.span.start + len(text.raw[leaf.span.start : leaf.span.end].rstrip())


def _yaml_lines(keys: list[str], value: object, indentation: str, newline: str) -> str:
    lines = [f"{indentation}{'  ' * depth}{render_key('yaml', key)}:" for depth, key in enumerate(keys)]
    lines[-1] += f" {render('yaml', value)}"
    return newline.join(lines)


def _insert_flow(document: DataDocument, parent: Mapping, rest: list[str], value: object) -> Iterator[list[Change]]:
    """Into ``{...}`` of JSON or of YAML's flow style, on a line of its own where the entries have one."""
    text = Text(document.source.text)
    inner = _nested(rest[1:], value)
    rendered = render(document.kind, inner, "flow" if document.kind == "yaml" else "plain")
    written = f"{render_key(document.kind, rest[0])}: {rendered}"
    if not parent.entries:
        at = parent.span.start + 1
        yield [(Span(at, at), written)]
        return
    end = parent.entries[-1].span.end
    if text.begins_line(parent.entries[-1].key_span.start):
        indentation = text.indentation(parent.entries[-1].key_span.start)
        yield [(Span(end, end), f",{text.newline}{indentation}{written}")]
    yield [(Span(end, end), f", {written}")]


def _insert_toml(document: DataDocument, parent: Mapping, rest: list[str], value: object) -> Iterator[list[Change]]:
    text = Text(document.source.text)
    written = f"{'.'.join(render_key('toml', key) for key in rest)} = {render('toml', value)}"
    if parent.flow:
        if not parent.entries:
            at = parent.span.start + 1
            yield [(Span(at, at), f" {written} ")]
            return
        end = parent.entries[-1].span.end
        yield [(Span(end, end), f", {written}")]
        return
    plain = [e for e in parent.entries if not _is_table(text, e)]
    if plain:
        at = text.line_end(plain[-1].span.end)
        yield [(Span(at, at), text.newline + written)]
    if parent is document.roots[0]:
        yield [(Span(0, 0), written + text.newline)]
    at = text.line_end(parent.span.start)
    yield [(Span(at, at), text.newline + written)]
    yield from _own_table(document, text, parent, rest, value)


def _own_table(
    document: DataDocument, text: Text, parent: Mapping, rest: list[str], value: object
) -> Iterator[list[Change]]:
    """A header of its own at the end, for a table that so far only exists through its sub-tables."""
    above = _path_to(document.roots[0], parent)
    if above is None:
        return
    header = ".".join(render_key("toml", key) for key in (*above, *rest[:-1]))
    end = len(text.raw)
    glue = "" if not end or text.raw.endswith(b"\n") else text.newline
    entry = f"{render_key('toml', rest[-1])} = {render('toml', value)}"
    yield [(Span(end, end), f"{glue}{text.newline}[{header}]{text.newline}{entry}{text.newline}")]


def _path_to(root: Node, wanted: Node) -> tuple[str, ...] | None:
    if root is wanted:
        return ()
    for entry in root.entries if isinstance(root, Mapping) else ():
        below = _path_to(entry.value, wanted)
        if below is not None:
            return (entry.key, *below)
    return None


def _is_table(text: Text, entry: Entry) -> bool:
    return text.raw[entry.span.start : entry.span.start + 1] == b"["


_Writer = Callable[[DataDocument, Mapping, list[str], object], Iterator[list[Change]]]
_WRITERS: dict[str, _Writer] = {
    "yaml": _insert_yaml,
    "json": _insert_flow,
    "toml": _insert_toml,
}
