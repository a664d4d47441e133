"""Whether an edited file still reads: syntax errors, and names given twice where one was given before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tree_sitter import Node

from gto_rules.documents import classify, parse, source_from_bytes
from gto_rules.documents.model import DataDocument, PythonDocument, walk


def faults(path: str, text: bytes) -> Counter[str]:
    """What is wrong with a file's text, each fault as often as it occurs.

    An edit is sound if it brings none: ``not faults(path, after) - faults(path, before)``.

    Args:
        path: Decides how the text is read.
        text: UTF-8.
    """
    document = parse(source_from_bytes(text, path), classify(path, text[:128]))
    if isinstance(document, PythonDocument):
        return Counter(_python_faults(document.tree.root_node))
    found = Counter({"problem": len(document.problems)})
    if isinstance(document, DataDocument):
        for root in document.roots:
            keys = Counter((keys, entry.span.start) for keys, entry in walk(root))
            paths = Counter(keys for keys, _ in keys)
            found.update({f"key {'.'.join(one)}": count - 1 for one, count in paths.items() if count > 1})
    return found


def _python_faults(root: Node) -> Iterator[str]:
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type == "ERROR" or node.is_missing:
            yield "syntax"
        if node.type == "argument_list":
            names = [child.child_by_field_name("name") for child in node.named_children]
            given = Counter(n.text for n in names if n is not None)
            yield from (f"keyword {name!r}" for name, count in given.items() for _ in range(count - 1))
        pending += node.children
