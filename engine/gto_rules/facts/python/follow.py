"""The one expression that a name or attribute stands for, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tree_sitter import Node

from gto_rules.facts.python.blocks import conditions
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.located import Located
from gto_rules.facts.python.model import AttributeAssignment, Block


def assigned(where: Located) -> Located | str:
    """The one expression that a name stands for here, or the reason why there is none."""
    name = text_of(where.node)
    found = where.home.lookup(name, where.scope)
    if found is None:
        return f"depends on {name}, which is not defined in this file"
    home, bindings = found
    if home.kind == "module" and where.home.rewrites_names:
        return f"'{name}' may be replaced by code that the file executes"
    bindings = [b for b in bindings if b.kind != "other"]
    if len(bindings) != 1:
        return f"'{name}' is assigned in more than one place"
    binding = bindings[0]
    if binding.kind == "import":
        return where.home.constant(binding.imported or "") or f"depends on {binding.imported}"
    if binding.kind == "parameter":
        return f"depends on the parameter '{name}'"
    if binding.kind != "assign" or binding.value is None:
        return f"depends on {name}"
    if not always_before(binding.block, binding.start, where.home.block_at(where.node), where.node.start_byte):
        return f"'{name}' is not always assigned before"
    return Located(binding.value, binding.block.scope, where.home)


def always_before(block: Block, start: int, use_block: Block, use: int) -> bool:
    """True if a statement at ``start`` has run, with nothing else to choose, whenever ``use`` runs.

    From another name space only statements that no branch or loop surrounds count.
    """
    around = conditions(block)
    if block.scope is use_block.scope:
        return start < use and all(c in conditions(use_block) for c in around)
    return not around or (block.scope.kind == "module" and all(_is_main_guard(c) for c in around))


def _is_main_guard(block: Block) -> bool:
    condition = block.statement.child_by_field_name("condition") if block.kind == "if" else None
    return condition is not None and "__name__" in text_of(condition)


def attribute_target(where: Located, owner: Node, name: str) -> Located | str | None:
    """The expression that ``owner.name`` stands for, or why there is none."""
    written = [a for a in where.home.attribute_assignments if a.attribute == name]
    mine = [a for a in written if text_of(a.object) == text_of(owner)]
    if mine:
        return _assigned_attribute(where, mine)
    holder = where.home.canonical(owner, where.scope)
    constant = where.home.constant(f"{holder}.{name}") if holder else None
    if constant is not None:
        return constant
    cls = where.home.instance_of(owner, where.scope)
    if cls is None:
        return None
    if written:
        return f"'{name}' is assigned in more than one place"
    return _field_of_instance(where, owner, cls, name)


def _assigned_attribute(where: Located, mine: Sequence[AttributeAssignment]) -> Located | str:
    only = mine[0]
    use = where.home.block_at(where.node)
    if len(mine) > 1 or only.augmented:
        return f"'{text_of(where.node)}' is assigned in more than one place"
    same = only.block.scope is use.scope or (only.block.scope.parent is use.scope.parent and use.scope.kind != "module")
    if not same or (only.block.scope is use.scope and only.node.start_byte >= where.node.start_byte):
        return f"depends on {text_of(where.node)}"
    if not always_before(only.block, only.node.start_byte, use, where.node.start_byte):
        return f"'{text_of(where.node)}' is not always assigned before"
    return Located(only.value, only.block.scope, where.home)


def _field_of_instance(where: Located, owner: Node, cls: str, name: str) -> Located | str | None:
    """What the instance was made with, else the field's default."""
    found = where.home.field_default(cls, name)
    if found is None:
        return None
    default, index = found
    maker = (
        assigned(replace(where, node=owner)) if owner.type == "identifier" else Located(owner, where.scope, where.home)
    )
    if isinstance(maker, str) or maker.node.type != "call":
        return None
    arguments = maker.home.arguments(maker.node)
    for argument in arguments:
        if argument.kind in ("list_splat", "dict_splat"):
            return f"'{name}' may come from {text_of(argument.value)}"
        if argument.name == name or (argument.index is not None and argument.index == index):
            return replace(maker, node=argument.value)
    return default
