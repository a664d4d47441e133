"""Import statements as canonical names."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Import


def read_import(node: Node, absolute: Callable[[str], str]) -> Iterator[Import]:
    """The names that an import statement binds.

    Args:
        node: An ``import_statement`` or ``import_from_statement``.
        absolute: Turns a module as written (``..pkg.mod``) into its canonical name.
    """
    base = node.child_by_field_name("module_name")
    prefix = text_of(base).replace(" ", "") if base is not None else None
    line = node.start_point[0] + 1
    for child in node.children_by_field_name("name"):
        named, alias = _aliased(child)
        dotted = text_of(named).replace(" ", "")
        full = _full(prefix, dotted, absolute)
        if alias is not None:
            local, bound = text_of(alias), full
        elif prefix is None:
            local = dotted.partition(".")[0]
            bound = absolute(local)
        else:
            local, bound = dotted, full
        yield Import(full, local, False, child, alias or named, bound, child.start_point[0] + 1)
    if prefix is not None and any(c.type == "wildcard_import" for c in node.named_children):
        yield Import(absolute(prefix), "*", True, node, node, "", line)


def _full(prefix: str | None, dotted: str, absolute: Callable[[str], str]) -> str:
    if prefix is None:
        return absolute(dotted)
    if prefix.startswith("."):
        base = absolute(prefix)
        return f"{base}.{dotted}" if base else dotted
    return absolute(f"{prefix}.{dotted}")


def _aliased(node: Node) -> tuple[Node, Node | None]:
    if node.type == "aliased_import":
        named, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        if named is not None:
            return named, alias
    return node, None
