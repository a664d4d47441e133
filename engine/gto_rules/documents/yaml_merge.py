"""What both ways of reading YAML share: keys as text, and ``<<`` merges as PyYAML makes them."""

from __future__ import annotations

from collections.abc import Sequence as Rows

from gto_rules.documents.model import Entry, Mapping, Node, Scalar, Sequence
from gto_rules.location import Span

# Values of one file with aliases written out; real configurations stay far below.
EXPANDED_LIMIT = 1_000_000


def key_text(node: Node | None) -> str:
    """A key as text; what is no scalar has none."""
    if isinstance(node, Scalar):
        return "null" if node.value is None else str(node.value)
    return ""


def entries_of(rows: Rows[tuple[Node | None, Entry]]) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """Entries of a mapping with merged ones first, and those whose key came before.

    Args:
        rows: Each key as a node, and its entry, as written.
    """
    own: list[Entry] = []
    twice: list[Entry] = []
    merged: dict[str, Entry] = {}
    seen: set[str] = set()
    for key, entry in rows:
        if entry.key == "<<" and isinstance(key, Scalar) and key.style == "plain":
            merged.update((one.key, one) for one in _merged(entry.value))
            continue
        if entry.key in seen:
            twice.append(entry)
        seen.add(entry.key)
        own.append(entry)
    return (*(entry for name, entry in merged.items() if name not in seen), *own), tuple(twice)


def _merged(value: Node) -> list[Entry]:
    """Entries in the order in which they override: in a list of mappings the first wins."""
    if isinstance(value, Mapping):
        return list(value.entries)
    if isinstance(value, Sequence):
        return [e for item in reversed(value.items) if isinstance(item, Mapping) for e in item.entries]
    return []


def until(span: Span, inner: Rows[Node | Entry]) -> Span:
    """A block's span up to its last value: what follows that is comments and line endings.

    Args:
        span: As the parser gives it.
        inner: Values and entries in the block; aliases stand elsewhere and do not count.
    """
    ends = [one.span.end for one in inner if span.start <= one.span.start <= span.end]
    return Span(span.start, max(ends, default=span.end))
