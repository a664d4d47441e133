"""Operators, calls of conversions, environment variables, items."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tree_sitter import Node

from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.values import Located, evaluate
from gto_rules.facts.settings.flow_attributes import of_argument
from gto_rules.facts.settings.operators import CONVERTERS, combine
from gto_rules.facts.settings.results import Follower, Result, Rule, agreed, from_origin, here, unknown


def _at(where: Located, node: Node) -> Located:
    return replace(where, node=node)


def _conditional(flow: Follower, where: Located, depth: int) -> Result:
    parts = [c for c in where.node.named_children if c.type != "comment"]
    if len(parts) != 3:
        return unknown(where, text_of(where.node))
    yes, test, no = (_at(where, p) for p in parts)
    held = flow.value(test, depth + 1)
    if held.plain:
        return flow.value(yes if held.value else no, depth + 1)
    sides = [flow.value(yes, depth + 1), flow.value(no, depth + 1)]
    result = agreed(where, sides, text_of(test.node))
    return result if result.known or held.known else unknown(where, text_of(test.node))


def _boolean(flow: Follower, where: Located, depth: int) -> Result:
    left, right = where.node.child_by_field_name("left"), where.node.child_by_field_name("right")
    if left is None or right is None:
        return unknown(where, text_of(where.node))
    is_and = any(c.type == "and" for c in where.node.children)
    first = flow.value(_at(where, left), depth + 1)
    if first.plain and bool(first.value) != is_and:
        return first
    second = flow.value(_at(where, right), depth + 1)
    if first.plain:
        return second
    if second.plain and bool(second.value) != is_and and isinstance(second.value, bool):
        return second  # ``open and False`` is falsy whatever the open side is
    return first


def _not(flow: Follower, where: Located, depth: int) -> Result:
    inner = where.node.child_by_field_name("argument")
    if inner is None:
        return unknown(where, text_of(where.node))
    found = flow.value(_at(where, inner), depth + 1)
    if not found.known:
        return found
    return here(where, not found.value) if found.plain else unknown(where, text_of(inner))


def _comparison(flow: Follower, where: Located, depth: int) -> Result:
    operands = [c for c in where.node.named_children if c.type != "comment"]
    sign = " ".join(c.type for c in where.node.children if not c.is_named)
    if len(operands) != 2:
        return unknown(where, text_of(where.node))
    return _combined(flow, where, operands[0], sign, operands[1], depth)


def _binary(flow: Follower, where: Located, depth: int) -> Result:
    left, right = where.node.child_by_field_name("left"), where.node.child_by_field_name("right")
    sign = where.node.child_by_field_name("operator")
    if left is None or right is None or sign is None:
        return unknown(where, text_of(where.node))
    return _combined(flow, where, left, text_of(sign), right, depth)


def _combined(flow: Follower, where: Located, left: Node, sign: str, right: Node, depth: int) -> Result:
    a, b = flow.value(_at(where, left), depth + 1), flow.value(_at(where, right), depth + 1)
    for side in (a, b):
        if not side.known:
            return side
    value, worked = combine(sign, a.value, b.value)
    return here(where, value) if worked else unknown(where, text_of(where.node))


def _inner(flow: Follower, where: Located, depth: int) -> Result:
    inner = [c for c in where.node.named_children if c.type != "comment"]
    return flow.value(_at(where, inner[0]), depth + 1) if inner else unknown(where, text_of(where.node))


def _sequence(flow: Follower, where: Located, depth: int) -> Result:
    values: list[Any] = []
    for child in where.node.named_children:
        if child.type == "comment":
            continue
        found = flow.value(_at(where, child), depth + 1)
        if not found.known:
            return found
        values.append(found.value)
    return here(where, values)


def _call(flow: Follower, where: Located, depth: int) -> Result:
    function = where.node.child_by_field_name("function")
    name = where.home.canonical(function, where.scope) if function is not None else None
    arguments = where.home.arguments(where.node)
    if not arguments or arguments[0].kind != "positional":
        return unknown(where, text_of(where.node))
    first = _at(where, arguments[0].value)
    if name in ("os.environ.get", "os.getenv"):
        return _variable(flow, where, first)
    if name == "builtins.getattr" and len(arguments) >= 2:
        field = evaluate(_at(where, arguments[1].value))
        found = of_argument(flow, where, first.node, str(field.value), depth) if field.known else None
        return found or unknown(where, text_of(where.node))
    return _converted(flow, where, name, first, len(arguments), depth)


def _converted(flow: Follower, where: Located, name: str | None, first: Located, count: int, depth: int) -> Result:
    convert = CONVERTERS.get(name or "")
    if convert is None or count != 1:
        return unknown(where, text_of(where.node))
    inner = flow.value(first, depth + 1)
    if not inner.plain:
        return inner
    try:
        return replace(inner, value=convert(inner.value))
    except (TypeError, ValueError):
        return unknown(where, text_of(where.node))


def _variable(flow: Follower, where: Located, named: Located) -> Result:
    """An environment variable: known only when the launch sets it."""
    name = evaluate(named)
    given = flow.environment(str(name.value)) if name.known else None
    if given is not None:
        return from_origin(given)
    return unknown(where, f"the environment variable {name.value}" if name.known else text_of(named.node))


def _subscript(flow: Follower, where: Located, depth: int) -> Result:
    held, index = where.node.child_by_field_name("value"), where.node.child_by_field_name("subscript")
    if held is None or index is None:
        return unknown(where, text_of(where.node))
    if where.home.canonical(held, where.scope) == "os.environ":
        return _variable(flow, where, _at(where, index))
    container, key = flow.value(_at(where, held), depth + 1), flow.value(_at(where, index), depth + 1)
    for side in (container, key):
        if not side.known:
            return side
    try:
        return here(where, container.value[key.value])
    except (TypeError, KeyError, IndexError):
        return unknown(where, text_of(where.node))


OPERATOR_RULES: dict[str, Rule] = {
    "conditional_expression": _conditional,
    "boolean_operator": _boolean,
    "not_operator": _not,
    "comparison_operator": _comparison,
    "binary_operator": _binary,
    "parenthesized_expression": _inner,
    "list": _sequence,
    "tuple": _sequence,
    "call": _call,
    "subscript": _subscript,
}
