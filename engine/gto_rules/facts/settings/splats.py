"""Keywords that reach a call through ``**mapping``."""

from __future__ import annotations

from tree_sitter import Node

from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Argument, Scope
from gto_rules.facts.python.module import PythonModule
from gto_rules.facts.python.values import Located
from gto_rules.facts.settings.code import CallSite
from gto_rules.facts.settings.reading import Reading

ABSENT = object()


def splat_item(reading: Reading, site: CallSite, splat: Argument, name: str) -> Located | object | None:
    """The expression for ``name`` in a ``**mapping``; ``ABSENT`` when it surely holds no such key; None if open."""
    items = site.module.mapping(splat.value, site.call.scope)
    if items is not None:
        return next((i.value for i in reversed(items) if i.key == name), ABSENT)
    if splat.value.type != "identifier":
        return None
    return _built_up(site.module, text_of(splat.value), site.call.scope, name)


def _built_up(module: PythonModule, variable: str, scope: Scope, name: str) -> Located | object | None:
    """A dict that starts from a literal and gets keys by ``d[key] = v`` and ``d.update(...)`` in one function."""
    found = module.lookup(variable, scope)
    if found is None or len(found[1]) != 1 or found[1][0].kind != "assign" or found[1][0].value is None:
        return None
    binding = found[1][0]
    start = module.mapping(binding.value, binding.block.scope) if binding.value is not None else None
    if start is None:
        return None
    keys: dict[str, Located | None] = {i.key: i.value for i in start}
    for change in _changes(module, variable, scope):
        if change is None:
            return None
        keys.update(change)
    if name not in keys:
        return ABSENT
    return keys[name]


def _changes(module: PythonModule, variable: str, scope: Scope) -> list[dict[str, Located | None] | None]:
    """What later statements add: keys with their values, None for a value that only may hold; None for an open end."""
    out: list[dict[str, Located | None] | None] = []
    for call in module.calls:
        receiver = call.receiver
        if receiver is None or text_of(receiver) != variable or call.scope is not scope:
            continue
        if call.last == "update" and len(call.arguments) == 1:
            argument = call.arguments[0]
            items = module.mapping(argument.value, scope) if argument.kind == "positional" else None
            out.append({i.key: None for i in items} if items is not None else None)
        elif call.last in ("update", "setdefault"):
            out.append(None)
    out += [{key: None} if key is not None else None for key in _subscripts(module.root, variable, scope, module)]
    return out


def _subscripts(root: Node, variable: str, scope: Scope, module: PythonModule) -> list[str | None]:
    """Keys of ``variable[...] = ...`` in a scope; None for a key that is not a plain text."""
    found: list[str | None] = []
    todo = [scope.node]
    while todo:
        node = todo.pop()
        todo += node.named_children
        left = node.child_by_field_name("left") if node.type == "assignment" else None
        if left is None or left.type != "subscript" or module.block_at(left).scope is not scope:
            continue
        owner, key = left.child_by_field_name("value"), left.child_by_field_name("subscript")
        if owner is not None and key is not None and text_of(owner) == variable:
            value = module.value(key, scope)
            found.append(value.value if value.known and isinstance(value.value, str) else None)
    return found
