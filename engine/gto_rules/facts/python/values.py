"""Constant evaluation: what an expression is worth without running anything, and where that is written."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tree_sitter import Node

from gto_rules.facts.python.blocks import conditions
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Argument, AttributeAssignment, Binding, Block, Scope, Value
from gto_rules.location import Span

_DEPTH = 24
_LONGEST = 10_000  # characters of a computed string; longer ones are no setting
_UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
_CASTS: dict[str, Callable[[Any], Any]] = {
    "builtins.int": int,
    "builtins.float": float,
    "builtins.str": str,
    "builtins.bool": bool,
}
_CONSTANTS = {"true": True, "false": False, "none": None, "ellipsis": ...}
_MUTABLE = (list, dict, set)


class Home(Protocol):
    """The module that an expression stands in, as evaluation sees it."""

    @property
    def mutated(self) -> frozenset[str]: ...
    @property
    def rewrites_names(self) -> bool: ...
    @property
    def attribute_assignments(self) -> Sequence[AttributeAssignment]: ...
    def place(self, node: Node) -> tuple[str, int, Span]: ...
    def block_at(self, node: Node) -> Block: ...
    def lookup(self, name: str, scope: Scope) -> tuple[Scope, list[Binding]] | None: ...
    def canonical(self, node: Node, scope: Scope | None = None) -> str | None: ...
    def instance_of(self, node: Node, scope: Scope | None = None) -> str | None: ...
    def arguments(self, call: Node) -> tuple[Argument, ...]: ...
    def constant(self, dotted: str) -> Located | None: ...
    def field_default(self, cls: str, name: str) -> tuple[Located | None, int] | None: ...


@dataclass(frozen=True, slots=True)
class Located:
    """An expression with the module and the scope it stands in."""

    node: Node
    scope: Scope
    home: Home


@dataclass(frozen=True, slots=True)
class Item:
    """One key of a known mapping. ``span`` is the whole item (``"a": 1`` or ``a=1``)."""

    key: str
    value: Located
    span: Span


def evaluate(where: Located, depth: int = 0) -> Value:
    """The value of an expression; see ``Value``."""
    node = where.node
    if depth > _DEPTH:
        return computed(where, "a chain of names that is too long")
    if node.type in _CONSTANTS:
        return literal(where, _CONSTANTS[node.type])
    rule = _RULES.get(node.type)
    try:
        return rule(where, depth) if rule is not None else computed(where, text_of(node))
    except (ArithmeticError, TypeError, ValueError, SyntaxError, MemoryError, RecursionError):
        return computed(where, text_of(node))


def literal(where: Located, value: Any) -> Value:
    path, line, span = where.home.place(where.node)
    return Value("literal", value, path, line, span, text_of(where.node))


def computed(where: Located, what: str, reason: str | None = None) -> Value:
    path, line, span = where.home.place(where.node)
    text = " ".join(what.split())
    shown = text if len(text) <= 60 else text[:57] + "..."
    return Value("computed", None, path, line, span, text_of(where.node), reason or f"depends on {shown}")


def mapping(where: Located, depth: int = 0) -> tuple[Item, ...] | None:
    """The items of a ``{...}`` or ``dict(...)`` that a name or expression stands for; None if not fully known."""
    node = where.node
    if depth > _DEPTH:
        return None
    if node.type == "dictionary":
        return _dictionary_items(where, depth)
    if node.type == "call":
        return _dict_call_items(where, depth)
    if node.type == "parenthesized_expression" and node.named_child_count == 1:
        return mapping(replace(where, node=node.named_children[0]), depth + 1)
    if node.type == "identifier":
        target = _assigned(where)
        if isinstance(target, Located) and text_of(node) not in target.home.mutated:
            return mapping(target, depth + 1)
    return None


def _dictionary_items(where: Located, depth: int) -> tuple[Item, ...] | None:
    items: list[Item] = []
    for child in where.node.named_children:
        if child.type == "pair":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            known = evaluate(replace(where, node=key), depth + 1) if key is not None else None
            if known is None or not known.known or not isinstance(known.value, str) or value is None:
                return None
            items.append(Item(known.value, replace(where, node=value), where.home.place(child)[2]))
        elif child.type == "dictionary_splat":
            inner = mapping(replace(where, node=child.named_children[0]), depth + 1) if child.named_children else None
            if inner is None:
                return None
            items += inner
        elif child.type != "comment":
            return None
    return tuple(items)


def _dict_call_items(where: Located, depth: int) -> tuple[Item, ...] | None:
    function = where.node.child_by_field_name("function")
    if function is None or where.home.canonical(function, where.scope) != "builtins.dict":
        return None
    items: list[Item] = []
    for argument in where.home.arguments(where.node):
        located = replace(where, node=argument.value)
        if argument.kind == "keyword" and argument.name is not None:
            items.append(Item(argument.name, located, argument.span))
            continue
        inner = mapping(located, depth + 1) if argument.kind in ("dict_splat", "positional") else None
        if inner is None:
            return None
        items += inner
    return tuple(items)


def _number(where: Located, depth: int) -> Value:
    return literal(where, ast.literal_eval(text_of(where.node)))


def _string(where: Located, depth: int) -> Value:
    node = where.node
    if not any(c.type == "interpolation" for c in node.named_children):
        text = text_of(node)
        prefix = text[: len(text) - len(text.lstrip("rRbBuUfFtT"))].lower()
        if "f" in prefix or "t" in prefix:
            raw = "r" if "r" in prefix else ""
            return literal(where, ast.literal_eval(raw + text[len(prefix) :]).replace("{{", "{").replace("}}", "}"))
        return literal(where, ast.literal_eval(text))
    parts: list[str] = []
    for child in node.named_children:
        if child.type == "string_content":
            parts.append(_content(text_of(child), text_of(node)))
        elif child.type == "interpolation":
            value = _interpolated(replace(where, node=child), depth)
            if not value.known:
                return computed(where, "", value.reason)
            parts.append(value.value)
    return literal(where, "".join(parts))


def _content(content: str, whole: str) -> str:
    content = content.replace("{{", "{").replace("}}", "}")
    raw = "r" in whole[: whole.find(whole[-1])].lower()
    if raw or "\\" not in content:
        return content
    return str(ast.literal_eval('"""' + content.replace('"', '\\"') + '"""'))


def _interpolated(where: Located, depth: int) -> Value:
    inner = where.node.child_by_field_name("expression")
    others = [c for c in where.node.named_children if c != inner]
    if inner is None or any(c.type == "type_conversion" for c in others):
        return computed(where, text_of(where.node))
    value = evaluate(replace(where, node=inner), depth + 1)
    spec = next((text_of(c)[1:] for c in others if c.type == "format_specifier"), "")
    if not value.known or "{" in spec:
        return value if not value.known else computed(where, text_of(where.node))
    return literal(where, format(value.value, spec))


def _joined(where: Located, depth: int) -> Value:
    parts = [evaluate(replace(where, node=c), depth + 1) for c in where.node.named_children if c.type != "comment"]
    unknown = next((p for p in parts if not p.known), None)
    if unknown is not None:
        return computed(where, "", unknown.reason)
    total = parts[0].value
    for part in parts[1:]:
        total = total + part.value
    return literal(where, total)


def _sequence(where: Located, depth: int) -> Value:
    parts: list[Any] = []
    for child in where.node.named_children:
        if child.type == "comment":
            continue
        part = evaluate(replace(where, node=child), depth + 1)
        if not part.known:
            return computed(where, "", part.reason)
        parts.append(part.value)
    makers: dict[str, Callable[[list[Any]], Any]] = {"tuple": tuple, "expression_list": tuple, "set": set}
    return literal(where, makers.get(where.node.type, list)(parts))


def _dictionary(where: Located, depth: int) -> Value:
    items = _dictionary_items(where, depth)
    if items is None:
        return computed(where, text_of(where.node))
    return _evaluated(where, items, depth)


def _evaluated(where: Located, items: Sequence[Item], depth: int) -> Value:
    out: dict[str, Any] = {}
    for item in items:
        value = evaluate(item.value, depth + 1)
        if not value.known:
            return computed(where, "", value.reason)
        out[item.key] = value.value
    return literal(where, out)


def _call(where: Located, depth: int) -> Value:
    function = where.node.child_by_field_name("function")
    name = where.home.canonical(function, where.scope) if function is not None else None
    if name == "builtins.dict":
        items = _dict_call_items(where, depth)
        return _evaluated(where, items, depth) if items is not None else computed(where, text_of(where.node))
    arguments = where.home.arguments(where.node)
    if name in _CASTS and len(arguments) == 1 and arguments[0].kind == "positional":
        value = evaluate(replace(where, node=arguments[0].value), depth + 1)
        if value.known and isinstance(value.value, str | int | float | bool):
            return literal(where, _CASTS[name](value.value))
        return value if not value.known else computed(where, text_of(where.node))
    return computed(where, text_of(where.node))


def _unary(where: Located, depth: int) -> Value:
    sign, inner = where.node.child_by_field_name("operator"), where.node.child_by_field_name("argument")
    value = evaluate(replace(where, node=inner), depth + 1) if inner is not None else computed(where, "")
    if not value.known or sign is None:
        return value
    if where.node.type == "not_operator":
        return literal(where, not value.value)
    return literal(where, _UNARY[text_of(sign)](value.value))


def _not(where: Located, depth: int) -> Value:
    inner = where.node.child_by_field_name("argument")
    value = evaluate(replace(where, node=inner), depth + 1) if inner is not None else computed(where, "")
    return literal(where, not value.value) if value.known else value


def _binary(where: Located, depth: int) -> Value:
    node = where.node
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    sign = node.child_by_field_name("operator")
    if left is None or right is None or sign is None:
        return computed(where, text_of(node))
    a = evaluate(replace(where, node=left), depth + 1)
    b = evaluate(replace(where, node=right), depth + 1)
    if not a.known or not b.known:
        return computed(where, "", (b if a.known else a).reason)
    return literal(where, _arithmetic(text_of(sign), a.value, b.value))


def _arithmetic(sign: str, a: Any, b: Any) -> Any:
    """Bounded arithmetic: an expression in a scanned file must not cost memory or time."""
    if sign == "**":
        if not (isinstance(a, int | float) and isinstance(b, int | float) and abs(a) <= 1024 and abs(b) <= 64):
            raise ValueError("too large")
        return a**b
    if sign == "*" and not (isinstance(a, int | float) and isinstance(b, int | float)):
        raise TypeError("repetition is not followed")
    if sign == "%" and not isinstance(a, int | float):
        raise TypeError("formatting is not followed")
    if sign not in _BINARY:
        raise TypeError("not arithmetic")
    result = _BINARY[sign](a, b)
    if (isinstance(result, str) and len(result) > _LONGEST) or (isinstance(result, int) and result.bit_length() > 128):
        raise ValueError("too large")
    return result


def _inner(where: Located, depth: int) -> Value:
    inner = [c for c in where.node.named_children if c.type != "comment"]
    if len(inner) != 1:
        return computed(where, text_of(where.node))
    return evaluate(replace(where, node=inner[0]), depth + 1)


def _identifier(where: Located, depth: int) -> Value:
    name = text_of(where.node)
    target = _assigned(where)
    if isinstance(target, str):
        return computed(where, name, target)
    value = evaluate(target, depth + 1)
    if value.known and isinstance(value.value, _MUTABLE) and name in target.home.mutated:
        return computed(where, name, f"'{name}' is changed after it was made")
    return value


def _assigned(where: Located) -> Located | str:
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


def _attribute(where: Located, depth: int) -> Value:
    node = where.node
    owner, named = node.child_by_field_name("object"), node.child_by_field_name("attribute")
    if owner is None or named is None:
        return computed(where, text_of(node))
    target = _attribute_target(where, owner, text_of(named))
    if isinstance(target, str):
        return computed(where, text_of(node), target)
    return evaluate(target, depth + 1) if target is not None else computed(where, text_of(node))


def _attribute_target(where: Located, owner: Node, name: str) -> Located | str | None:
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
        _assigned(replace(where, node=owner)) if owner.type == "identifier" else Located(owner, where.scope, where.home)
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


_RULES: dict[str, Callable[[Located, int], Value]] = {
    "integer": _number,
    "float": _number,
    "string": _string,
    "concatenated_string": _joined,
    "list": _sequence,
    "tuple": _sequence,
    "expression_list": _sequence,
    "set": _sequence,
    "dictionary": _dictionary,
    "call": _call,
    "unary_operator": _unary,
    "not_operator": _not,
    "binary_operator": _binary,
    "parenthesized_expression": _inner,
    "identifier": _identifier,
    "attribute": _attribute,
}
