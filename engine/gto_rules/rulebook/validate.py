"""One rule file against the schema of its kind, with errors that a person can act on."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from gto_rules.errors import Diagnostic
from gto_rules.rulebook.discover import data_root
from gto_rules.rulebook.places import KeyPath, Placed, type_hint


@cache
def _validator(kind: str) -> Any:
    """The compiled validator of a kind; references between schema files resolve locally."""
    from jsonschema import Draft202012Validator, FormatChecker
    from referencing import Registry, Resource

    resources = []
    for path in sorted(data_root("schemas").glob("*.schema.json")):
        schema = json.loads(path.read_text("utf-8"))
        resources.append((path.name, Resource.from_contents(schema)))
    registry: Any = Registry().with_resources(resources)
    schema = registry[f"{kind}.schema.json"].contents
    return Draft202012Validator(schema, registry=registry, format_checker=FormatChecker(("regex",)))


def kinds() -> frozenset[str]:
    """Every kind that has a schema."""
    return frozenset(p.name.removesuffix(".schema.json") for p in data_root("schemas").glob("*.schema.json"))


def check_schema(placed: Placed, kind: str, rule: str | None) -> Iterator[Diagnostic]:
    """Every violation of the kind's schema in one file."""
    errors = sorted(_validator(kind).iter_errors(placed.data), key=lambda e: list(map(str, e.absolute_path)))
    # Two keys that are missing are two errors, each of which explains both.
    yield from dict.fromkeys(found for error in errors for found in _explain(placed, _deepest(error), rule))


def _deepest(error: Any) -> Any:
    """Of the alternatives that all failed, the failure that got furthest: the one that was meant."""
    while error.context:
        best = max(error.context, key=lambda e: (len(e.absolute_path), e.validator != "type"))
        if len(best.absolute_path) <= len(error.absolute_path) and error.validator != "allOf":
            return error
        error = best
    return error


def _explain(placed: Placed, error: Any, rule: str | None) -> Iterator[Diagnostic]:
    at: KeyPath = tuple(error.absolute_path)
    explain = _EXPLAINERS.get(error.validator, _other)
    for message, path, key, expected, hint in explain(error, at):
        hint = type_hint(error.instance, _wanted(error), placed.written(at)) or hint
        yield placed.diagnostic(message, path, key=key, expected=expected, hint=hint, rule=rule)


def _wanted(error: Any) -> str:
    """The type that a value of the wrong type should have had; "" for other mistakes."""
    if error.validator == "enum":
        return "string"
    wanted = error.validator_value if error.validator == "type" else ""
    return wanted if isinstance(wanted, str) else str(wanted[0])


_Explained = Iterator[tuple[str, KeyPath, bool, str | None, str | None]]


def _unknown_key(error: Any, at: KeyPath) -> _Explained:
    known = list(error.schema.get("properties", {}))
    for key in error.instance:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else None
            yield f"unknown key '{key}'", (*at, key), True, f"one of: {', '.join(sorted(known))}", hint


def _missing(error: Any, at: KeyPath) -> _Explained:
    for key in error.validator_value:
        if key not in error.instance:
            described = error.schema.get("properties", {}).get(key, {})
            yield f"the key '{key}' is missing", at, False, described.get("description"), _example(described, key)


def _wrong_type(error: Any, at: KeyPath) -> _Explained:
    wanted = error.validator_value if isinstance(error.validator_value, str) else " or ".join(error.validator_value)
    name = at[-1] if at else "the file"
    hint = _example(error.schema, str(name))
    yield f"'{name}' is {_typed(error.instance)}, not {wanted}", at, False, error.schema.get("description"), hint


def _choice(error: Any, at: KeyPath) -> _Explained:
    choices = [str(c) for c in error.validator_value]
    near = difflib.get_close_matches(str(error.instance), choices, n=1)
    hint = f"did you mean '{near[0]}'?" if near else None
    yield f"'{error.instance}' is not allowed here", at, False, f"one of: {', '.join(choices)}", hint


def _format(error: Any, at: KeyPath) -> _Explained:
    yield f"this is not a regular expression: {error.cause}", at, False, error.schema.get("description"), None


def _other(error: Any, at: KeyPath) -> _Explained:
    yield _short(error.message), at, False, error.schema.get("description"), _example(error.schema, "")


_EXPLAINERS = {
    "additionalProperties": _unknown_key,
    "unevaluatedProperties": _unknown_key,
    "required": _missing,
    "type": _wrong_type,
    "enum": _choice,
    "format": _format,
}


def _example(schema: Any, key: str) -> str | None:
    examples = schema.get("examples") if isinstance(schema, dict) else None
    if not examples:
        return None
    shown = json.dumps(examples[0], ensure_ascii=False)
    return f"for example {key + ': ' if key else ''}{shown}"


_TYPES = {
    dict: "a mapping",
    list: "a list",
    str: "text",
    bool: "true/false",
    int: "a whole number",
    float: "a number",
}


def _typed(value: Any) -> str:
    shown = "" if isinstance(value, dict | list) or value is None else f" ({value!r})"
    return _TYPES.get(type(value), "empty") + shown


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "..."
