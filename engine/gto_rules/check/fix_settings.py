"""Mechanical fixes of settings where they are written; an edit of a data file is read back before it is given out."""

from __future__ import annotations

from typing import Any

from gto_rules.documents import classify, parse, source_from_bytes
from gto_rules.documents.model import DataDocument, SourceText, to_python
from gto_rules.errors import PatchError
from gto_rules.evaluate.finding import TextEdit
from gto_rules.facts.python.grammar import parse as parse_python
from gto_rules.facts.settings.groups import Group, Written
from gto_rules.location import Span
from gto_rules.patch import python_edit
from gto_rules.patch.config_edit import alike, set_key
from gto_rules.patch.python_edit import Change

Edits = tuple[TextEdit, ...]


def rename_written(group: Group, written: Written, new: str, source: SourceText) -> Edits | None:
    """Edits that write a setting under another name; None where that is not safe."""
    parent, _, old_last = written.name.rpartition(".")
    new_parent, _, new_last = new.rpartition(".")
    if parent != new_parent or new in group.written or source.path.endswith(".ipynb"):
        return None
    if group.kind == "command":
        spelt = source.slice(written.key).partition("=")[0]
        bare = spelt.lstrip("-")
        if bare.replace("-", "_") != old_last:
            return None
        renamed = new_last.replace("_", "-") if "-" in bare else new_last
        start = written.key.start + len(spelt) - len(bare)
        return (TextEdit(Span(start, start + len(bare.encode())), renamed),)
    spelt = source.slice(written.key)
    bare = spelt.strip("\"'")
    if bare != old_last:
        return None
    edits = (TextEdit(written.key, spelt.replace(bare, new_last)),)
    if group.kind == "call":
        return edits
    return edits if _reads_renamed(edits, source, written.name, new) else None


def remove_written(group: Group, written: Written, source: SourceText) -> Edits | None:
    """Edits that take a setting out of its place."""
    if group.kind == "call" and "." not in written.name and group.span is not None and source.path.endswith(".py"):
        node = parse_python(source.text).root_node.named_descendant_for_byte_range(group.span.start, group.span.end)
        while node is not None and node.type != "call":
            node = node.parent
        if node is None or (node.start_byte, node.end_byte) != (group.span.start, group.span.end):
            return None
        return _edits(python_edit.remove_keyword(python_edit.Text(source.text), node, written.name))
    if group.kind == "file":
        for span in _removals(source, written.whole):
            edits = (TextEdit(span, ""),)
            if _reads_without(edits, source, written.name):
                return edits
    return None


def set_written(group: Group, written: Written, value: Any, source: SourceText) -> Edits | None:
    """Edits that give a written setting another value."""
    if group.kind == "call" and source.path.endswith(".py"):
        return (TextEdit(written.span, python_edit.literal(value)),)
    if group.kind == "file":
        document = _document(source)
        try:
            return _edits(set_key(document, written.name.split("."), value)) if document is not None else None
        except PatchError:
            return None
    return None


def _edits(changes: list[Change]) -> Edits | None:
    return tuple(sorted(TextEdit(span, new) for span, new in changes)) or None


def _removals(source: SourceText, whole: Span) -> list[Span]:
    """Stretches to cut for one entry: its lines, or the entry with the comma behind or before it."""
    text = source.text
    start = text.rfind(b"\n", 0, whole.start) + 1
    end = text.find(b"\n", whole.end)
    end = len(text) if end < 0 else end + 1
    behind = whole.end
    while text[behind : behind + 1].isspace():
        behind += 1
    before = whole.start
    while before > 0 and text[before - 1 : before].isspace():
        before -= 1
    spans = []
    if not text[start : whole.start].strip() and text[whole.end : end].strip() in (b"", b","):
        spans.append(Span(start, end))
    if text[behind : behind + 1] == b",":
        after = behind + 1
        spans.append(Span(whole.start, after + (text[after : after + 1] == b" ")))
    if text[before - 1 : before] == b",":
        spans.append(Span(before - 1, whole.end))
    return spans


def _document(source: SourceText) -> DataDocument | None:
    document = parse(source, classify(source.path))
    return document if isinstance(document, DataDocument) and len(document.roots) == 1 else None


def _after(edits: Edits, source: SourceText) -> DataDocument | None:
    text = source.text
    for edit in sorted(edits, reverse=True):
        text = text[: edit.span.start] + edit.text.encode() + text[edit.span.end :]
    return _document(source_from_bytes(source.encode(text), source.path))


def _reads_renamed(edits: Edits, source: SourceText, old: str, new: str) -> bool:
    before, after = _document(source), _after(edits, source)
    if before is None or after is None:
        return False
    wanted = to_python(before.roots[0])
    holder = _holder(wanted, old)
    if holder is None:
        return False
    renamed = {(new.rpartition(".")[2] if key == old.rpartition(".")[2] else key): v for key, v in holder.items()}
    holder.clear()
    holder.update(renamed)
    return alike(to_python(after.roots[0]), wanted)


def _reads_without(edits: Edits, source: SourceText, name: str) -> bool:
    before, after = _document(source), _after(edits, source)
    if before is None or after is None:
        return False
    wanted = to_python(before.roots[0])
    holder = _holder(wanted, name)
    if holder is None:
        return False
    holder.pop(name.rpartition(".")[2], None)
    return alike(to_python(after.roots[0]), wanted)


def _holder(data: Any, name: str) -> dict[str, Any] | None:
    """The mapping that holds a dotted name."""
    for key in name.split(".")[:-1]:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) and name.rpartition(".")[2] in data else None
