"""Every condition and reference of a rule, for checking before any project is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gto_rules.rulebook.places import KeyPath

# Keys whose value is a condition, in any kind of rule.
CONDITION_KEYS = frozenset(
    ("enabled", "applies_when", "recommended_when", "unknown_when", "when", "requires", "condition")
)


def conditions(data: Any, at: KeyPath = ()) -> Iterator[tuple[Any, KeyPath]]:
    """Every condition in a rule's data with its key path, nested ones included."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key in CONDITION_KEYS:
                yield from _nested(value, (*at, key))
            elif key == "excludes" and isinstance(value, list):
                for number, item in enumerate(value):
                    yield from _nested(item, (*at, key, number))
            else:
                yield from conditions(value, (*at, key))
    elif isinstance(data, list):
        for number, item in enumerate(data):
            yield from conditions(item, (*at, number))


def _nested(value: Any, at: KeyPath) -> Iterator[tuple[Any, KeyPath]]:
    yield value, at
    if isinstance(value, dict):
        for key in ("all", "any"):
            for number, item in enumerate(value.get(key) or ()):
                yield from _nested(item, (*at, key, number))
        if "not" in value:
            yield from _nested(value["not"], (*at, "not"))


def expressions(data: Any, at: KeyPath = ()) -> Iterator[tuple[str, KeyPath]]:
    """Every JMESPath text in a rule's data: string conditions, ``expr`` and ``cost``."""
    for condition, path in conditions(data, at):
        if isinstance(condition, str):
            yield condition, path
    yield from _expr_keys(data, at)


def _expr_keys(data: Any, at: KeyPath) -> Iterator[tuple[str, KeyPath]]:
    if isinstance(data, dict):
        for key, value in data.items():
            if key in ("expr", "cost") and isinstance(value, str):
                yield value, (*at, key)
            else:
                yield from _expr_keys(value, (*at, key))
    elif isinstance(data, list):
        for number, item in enumerate(data):
            yield from _expr_keys(item, (*at, number))
