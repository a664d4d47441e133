"""Where a canonical name is mentioned outside of imports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from gto_rules.facts.python.match import name_matches
from gto_rules.facts.python.module import PythonModule


def mentions(module: PythonModule, names: Iterable[str]) -> Iterator[tuple[str, Node]]:
    """Every name or attribute that means one of ``names``, with that name, in source order."""
    wanted = tuple(names)
    for whole in _candidates(module, wanted):
        canonical = module.canonical(whole)
        found = next((n for n in wanted if canonical is not None and name_matches(canonical, n)), None)
        if found is not None:
            yield found, whole


def _candidates(module: PythonModule, wanted: Iterable[str]) -> Iterator[Node]:
    """Names and attributes that end in the last word of one of ``wanted``, or in a local name of it."""
    words = {n.rpartition(".")[2] for n in wanted}
    words |= {i.alias for i in module.imports if any(name_matches(i.name, n) for n in wanted)}
    regex = re.compile(rb"(?<!\w)(?:" + b"|".join(re.escape(w.encode()) for w in sorted(words)) + rb")(?!\w)")
    for match in regex.finditer(module.text) if words else ():
        node = module.root.descendant_for_byte_range(match.start(), match.end())
        whole = _whole(node) if node is not None and node.type == "identifier" else None
        if whole is not None:
            yield whole


def _whole(node: Node) -> Node | None:
    """The expression that a word names: ``a.b.word`` for the last word of it; None in an import or as a keyword."""
    parent = node.parent
    if parent is None or parent.type in ("dotted_name", "aliased_import"):
        return None
    if parent.type == "attribute":
        return parent if parent.child_by_field_name("attribute") == node else None
    if parent.type == "keyword_argument" and parent.child_by_field_name("name") == node:
        return None
    return node
