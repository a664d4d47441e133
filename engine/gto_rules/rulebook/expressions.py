"""JMESPath expressions: compiled once, checked before use, evaluated over the facts document.

JMESPath is silent about a misspelt path, so paths are held against the facts schema and the names
that the packs themselves declare.
"""

from __future__ import annotations

import difflib
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from gto_rules.rulebook.discover import data_root


@dataclass(frozen=True, slots=True)
class ExpressionError:
    """What is wrong with an expression; ``offset`` counts characters from its start."""

    message: str
    offset: int = 0
    expected: str | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """Names that expressions may use, as the packs declare them."""

    settings: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    extra_roots: frozenset[str] = field(default=frozenset())


@lru_cache(maxsize=4096)
def compiled(expression: str) -> Any:
    """The parsed expression; raises ``jmespath.exceptions.JMESPathError`` if it does not parse."""
    import jmespath

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # _check_literals says what there is to say
        return jmespath.compile(expression)


def evaluate_expression(expression: str, document: Mapping[str, Any]) -> Any:
    """The value of an expression over a facts document; None where anything on its way is missing."""
    from jmespath.exceptions import JMESPathError

    from gto_rules.rulebook.functions import OPTIONS

    try:
        return compiled(expression).search(document, options=OPTIONS)
    except (JMESPathError, TypeError, ArithmeticError):
        # A function got a value of another type than it takes, e.g. arithmetic on an absent figure:
        # that is "not known", as everywhere else.
        return None


def referenced(expression: str, root: str) -> tuple[str, ...]:
    """Names directly below ``root`` that an expression reads (``settings.x`` → ``x``)."""
    return tuple(path[1] for path in _paths(compiled(expression).parsed) if len(path) > 1 and path[0] == root)


def check_expression(expression: str, names: Names) -> Iterator[ExpressionError]:
    """Everything that is wrong with an expression: syntax, functions, paths, names."""
    from jmespath.exceptions import JMESPathError, ParseError

    try:
        tree = compiled(expression).parsed
    except ParseError as error:
        token = getattr(error, "lex_position", 0) or 0
        yield ExpressionError(f"this is not a JMESPath expression: {_first_line(error)}", token)
        return
    except (JMESPathError, RecursionError) as error:
        yield ExpressionError(f"this is not a JMESPath expression: {_first_line(error)}")
        return
    yield from _check_literals(expression)
    yield from _check_negations(tree, expression)
    yield from _check_functions(tree, expression)
    for path in _paths(tree):
        yield from _check_path(path, expression, names)


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0]


def _check_literals(expression: str) -> Iterator[ExpressionError]:
    """Texts in backticks that are not JSON, which JMESPath takes for strings, with a warning."""
    from jmespath.lexer import Lexer

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for token in Lexer().tokenize(expression):
            if caught:
                hint = f"write '{token['value']}'"
                yield ExpressionError("what stands between backticks is not JSON", token["start"], hint=hint)
                return


def _check_negations(tree: dict[str, Any], expression: str) -> Iterator[ExpressionError]:
    """``!a.b``, which JMESPath reads as ``(!a).b``: it is never true, whatever the facts are."""
    for node in _walk(tree):
        left = node["children"][0] if node["type"] in _STEPS and node["children"] else None
        if left and left["type"] == "not_expression":
            offset = max(expression.find("!"), 0)
            hint = "write !(a.b) for a path a.b"
            yield ExpressionError("'!' takes only the first name of a path, so this is never true", offset, hint=hint)


# Nodes that go on from their first child.
_STEPS = ("subexpression", "index_expression", "projection", "filter_projection", "value_projection")


def _check_functions(tree: dict[str, Any], expression: str) -> Iterator[ExpressionError]:
    from gto_rules.rulebook.functions import RuleFunctions

    table = RuleFunctions.FUNCTION_TABLE
    for node in _walk(tree):
        if node["type"] != "function_expression":
            continue
        name = node["value"]
        offset = max(expression.find(f"{name}("), 0)
        if name not in table:
            near = difflib.get_close_matches(name, table, n=1)
            hint = f"did you mean '{near[0]}'?" if near else None
            yield ExpressionError(f"unknown function '{name}'", offset, f"one of: {', '.join(sorted(table))}", hint)
            continue
        signature = table[name]["signature"]
        variadic = bool(signature) and signature[-1].get("variadic")
        given, wanted = len(node["children"]), len(signature)
        if given < wanted or (given > wanted and not variadic):
            yield ExpressionError(f"'{name}' takes {wanted} argument(s), {given} given", offset)


def _check_path(path: tuple[str, ...], expression: str, names: Names) -> Iterator[ExpressionError]:
    schema: Any = _facts_schema()
    if path[0] in names.extra_roots:
        return
    for depth, name in enumerate(path):
        declared = _declared(path, depth, names)
        known = declared if declared is not None else frozenset(schema.get("properties", {}))
        open_ended = declared is None and ("properties" not in schema or name in schema["properties"])
        if not open_ended and name not in known:
            near = difflib.get_close_matches(name, sorted(known), n=1)
            what = {"settings": "setting", "patterns": "pattern"}.get(path[0], "name") if depth == 1 else "name"
            where = f" below '{'.'.join(path[:depth])}'" if depth else ""
            few = f"one of: {', '.join(sorted(known))}" if len(known) <= 24 else None
            hint = f"did you mean '{near[0]}'?" if near else None
            yield ExpressionError(f"unknown {what} '{name}'{where}", _offset(path[: depth + 1], expression), few, hint)
            return
        schema = schema.get("properties", {}).get(name) or schema.get("additionalProperties") or {}
        if not isinstance(schema, dict):
            return


def _offset(path: tuple[str, ...], expression: str) -> int:
    """Where the last name of a path stands in an expression, quoted or not."""
    steps = r"\s*\.\s*".join(f'"?{re.escape(name)}"?' for name in path)
    found = re.search(rf"(?<![\w.\"]){steps}(?![\w])", expression)
    return found.end() - len(path[-1]) - (found[0][-1] == '"') if found else 0


def _declared(path: tuple[str, ...], depth: int, names: Names) -> frozenset[str] | None:
    if depth != 1:
        return None
    return {"settings": names.settings, "patterns": names.patterns}.get(path[0])


@cache
def _facts_schema() -> Any:
    return json.loads((data_root("schemas") / "facts.schema.json").read_text("utf-8"))


def _walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("children", ()):
        yield from _walk(child)


def _paths(node: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Every dotted path that starts at the document's root."""
    path = _path(node)
    if path:
        yield path
        return
    kind = node["type"]
    children = node.get("children", [])
    if kind in ("projection", "filter_projection", "value_projection", "pipe", "subexpression", "index_expression"):
        yield from _paths(children[0])  # what follows is relative to the left side
        return
    if kind in ("literal", "field", "current", "expref"):
        return
    for child in children:
        if isinstance(child, dict):
            yield from _paths(child)


def _path(node: dict[str, Any]) -> tuple[str, ...]:
    if node["type"] == "field":
        return (node["value"],)
    if node["type"] == "subexpression":
        parts = [_path(child) for child in node["children"]]
        if all(parts):
            return tuple(name for part in parts for name in part)
    return ()
