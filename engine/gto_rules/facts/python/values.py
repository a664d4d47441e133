"""Constant evaluation: what an expression is worth without running anything, and where that is written."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gto_rules.facts.python.arithmetic import UNARY, arithmetic
from gto_rules.facts.python.follow import assigned, attribute_target
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.located import Home, Item, Located, computed, literal
from gto_rules.facts.python.model import Value

__all__ = ["Home", "Item", "Located", "evaluate", "mapping"]

_DEPTH = 24
_CASTS: dict[str, Callable[[Any], Any]] = {
    "builtins.int": int,
    "builtins.float": float,
    "builtins.str": str,
    "builtins.bool": bool,
}
_CONSTANTS = {"true": True, "false": False, "none": None, "ellipsis": ...}
_MUTABLE = (list, dict, set)


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
        target = assigned(where)
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
    return literal(where, UNARY[text_of(sign)](value.value))


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
    return literal(where, arithmetic(text_of(sign), a.value, b.value))


def _inner(where: Located, depth: int) -> Value:
    inner = [c for c in where.node.named_children if c.type != "comment"]
    if len(inner) != 1:
        return computed(where, text_of(where.node))
    return evaluate(replace(where, node=inner[0]), depth + 1)


def _identifier(where: Located, depth: int) -> Value:
    name = text_of(where.node)
    target = assigned(where)
    if isinstance(target, str):
        return computed(where, name, target)
    value = evaluate(target, depth + 1)
    if value.known and isinstance(value.value, _MUTABLE) and name in target.home.mutated:
        return computed(where, name, f"'{name}' is changed after it was made")
    return value


def _attribute(where: Located, depth: int) -> Value:
    node = where.node
    owner, named = node.child_by_field_name("object"), node.child_by_field_name("attribute")
    if owner is None or named is None:
        return computed(where, text_of(node))
    target = attribute_target(where, owner, text_of(named))
    if isinstance(target, str):
        return computed(where, text_of(node), target)
    return evaluate(target, depth + 1) if target is not None else computed(where, text_of(node))


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
