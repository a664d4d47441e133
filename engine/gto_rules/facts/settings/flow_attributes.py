"""Attributes: of ``self``, of what an argument parser returned, of modules and classes."""

from __future__ import annotations

from tree_sitter import Node

from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Binding, Scope
from gto_rules.facts.python.values import Located
from gto_rules.facts.settings.code import unguarded
from gto_rules.facts.settings.results import Follower, Result, Rule, Symbol, agreed, from_origin, here, unknown


def follow_attribute(flow: Follower, where: Located, depth: int) -> Result:
    """``owner.name``."""
    owner, named = where.node.child_by_field_name("object"), where.node.child_by_field_name("attribute")
    if owner is None or named is None:
        return unknown(where, text_of(where.node))
    name = text_of(named)
    found = _of_self(flow, where, owner, name, depth) or of_argument(flow, where, owner, name, depth)
    if found is not None:
        return found
    dotted = where.home.canonical(where.node, where.scope)
    constant = where.home.constant(dotted) if dotted else None
    if constant is not None:
        return flow.value(constant, depth + 1)
    if dotted is not None and _is_library_name(flow, where, owner, dotted):
        return here(where, Symbol(dotted))
    return _written_once(flow, where, name, depth)


def _is_library_name(flow: Follower, where: Located, owner: Node, dotted: str) -> bool:
    """Whether ``owner.name`` is a name inside an imported library, rather than a field of some object."""
    while owner.type == "attribute":
        inner = owner.child_by_field_name("object")
        if inner is None:
            return False
        owner = inner
    found = where.home.lookup(text_of(owner), where.scope) if owner.type == "identifier" else None
    imported = found is not None and all(b.kind == "import" for b in found[1])
    return imported and flow.code.index.layout.locate(dotted) is None


def _of_self(flow: Follower, where: Located, owner: Node, name: str, depth: int) -> Result | None:
    """``self.name``: what the methods of the class assign to it."""
    scope: Scope | None = where.scope
    while scope is not None and scope.kind != "class":
        scope = scope.parent
    if scope is None or text_of(owner) not in ("self", "cls"):
        return None
    held = [(b.value, b.block.scope) for b in scope.attributes.get(name, ()) if b.value is not None]
    results = [flow.value(Located(value, inner, where.home), depth + 1) for value, inner in held]
    return agreed(where, results, f"self.{name}, which is set in several places") if results else None


def of_argument(flow: Follower, where: Located, owner: Node, name: str, depth: int) -> Result | None:
    """An attribute of what a parser returned: a declared argument of that name."""
    cls = where.home.instance_of(owner, where.scope) or parsed_class(flow, where, owner)
    matching = flow.arguments.named(name)
    if cls is not None:
        lineage = set(flow.code.lineage(cls))
        mine = [d for d in matching if d.owner in lineage]
        if not mine and (not matching or cls in flow.arguments.classes):
            return _from_setting(flow, where, cls, name)
        matching = mine or matching
    nearest = [d for d in matching if d.depth == matching[0].depth]
    results = [flow.argument(d, depth) for d in flow.arguments.deciding(nearest)]
    return agreed(where, results, f"the argument {name}") if results else None


def _from_setting(flow: Follower, where: Located, cls: str, name: str) -> Result | None:
    """A field that the library's own class holds, when the tables know it."""
    held = flow.setting(name) if cls in flow.arguments.classes else None
    if held is None:
        return None
    if held.kind == "computed":
        return unknown(where, name)
    if held.origin is not None and held.origin.kind != "default":
        return from_origin(held.origin)
    return here(where, held.value)


def parsed_class(flow: Follower, where: Located, owner: Node) -> str | None:
    """The class of ``b`` in ``a, b = parser.parse(...)`` when the parser was made for ``(A, B)``."""
    found = where.home.lookup(text_of(owner), where.scope) if owner.type == "identifier" else None
    for binding in found[1] if found else ():
        position, call = _unpacked(binding)
        if position is None or call is None:
            continue
        fed = _fed_by(flow, where, call, binding.block.scope)
        if position < len(fed):
            return fed[position] or None
    return None


def _unpacked(binding: Binding) -> tuple[int | None, Node | None]:
    """For a name in ``a, b = call(...)`` or ``a = call(...)[0]``: its position and the call."""
    if binding.value is not None and binding.value.type == "subscript":
        call, index = binding.value.child_by_field_name("value"), binding.value.child_by_field_name("subscript")
        plain = call is not None and call.type == "call" and index is not None and text_of(index).isdigit()
        return (int(text_of(index)), call) if plain and index is not None else (None, None)
    pattern = binding.node.parent
    if pattern is None or pattern.type not in ("pattern_list", "tuple_pattern"):
        return None, None
    holder = pattern.parent
    right = holder.child_by_field_name("right") if holder is not None and holder.type == "assignment" else None
    if right is None or right.type != "call":
        return None, None
    return pattern.named_children.index(binding.node), right


def _fed_by(flow: Follower, where: Located, call: Node, scope: Scope) -> list[str]:
    """The classes of the parser whose method ``call`` is."""
    function = call.child_by_field_name("function")
    receiver = function.child_by_field_name("object") if function is not None else None
    if receiver is None or receiver.type != "identifier":
        return []
    found = where.home.lookup(text_of(receiver), scope)
    for binding in found[1] if found else ():
        if binding.value is not None and binding.value.type == "call":
            arguments = where.home.arguments(binding.value)
            if arguments and arguments[0].kind == "positional":
                return flow.arguments.classes_in(where.home, arguments[0].value, binding.block.scope)
    return []


def _written_once(flow: Follower, where: Located, name: str, depth: int) -> Result:
    """An attribute of an object that nobody knows: the one place that assigns a field of this name."""
    sites = [s for s in flow.code.assigned(name) if not s.assignment.augmented]
    if len(sites) != 1 or unguarded(sites[0].assignment.block):
        return unknown(where, text_of(where.node))
    only = sites[0]
    return flow.value(Located(only.assignment.value, only.assignment.scope, only.module), depth + 1)


ATTRIBUTE_RULES: dict[str, Rule] = {"attribute": follow_attribute}
