"""Three-valued tests of one value in the code: ``absent``, ``{equals: 0}``, ``{in: [...]}``..."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gto_rules.facts.patterns.errors import PatternError
from gto_rules.facts.patterns.model import Context, both, either
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.located import Item, Located
from gto_rules.facts.python.match import matches_any

# What stands at a place: an expression, nothing, or something only known at run time.
Given = Located | None
Test = Callable[[Context, "Given | str"], "bool | None"]
SPLAT = "splat"  # an argument that a **splat may or may not hold


def compile_test(data: Any) -> Test:
    """A test from rule data. A list means any of them.

    Raises:
        PatternError: unknown word.
    """
    if isinstance(data, list):
        tests = [compile_test(d) for d in data]
        return lambda context, given: either(*(t(context, given) for t in tests))
    if isinstance(data, str):
        return _word(data)
    if isinstance(data, Mapping):
        parts = [_condition(key, value) for key, value in data.items()]
        return lambda context, given: both(*(p(context, given) for p in parts))
    raise PatternError(f"a condition was expected, not {data!r}", expected="absent, present, {equals: ...} or a list")


def _word(word: str) -> Test:
    if word == "absent":
        return lambda _, given: None if given == SPLAT else given is None
    if word == "present":
        return lambda _, given: None if given == SPLAT else given is not None
    if word == "computed":
        return lambda context, given: isinstance(given, Located) and not _value(context, given).known
    raise PatternError(f"unknown condition '{word}'", expected="absent, present or computed")


def _condition(key: str, wanted: Any) -> Test:
    if key in _ON_VALUE:
        compare = _ON_VALUE[key]
        return lambda context, given: _compared(context, given, lambda value: compare(value, wanted))
    if key in ("matches", "not_matches"):
        regex = re.compile(wanted)
        return lambda _, given: _written(given, lambda text: (regex.search(text) is not None) == (key == "matches"))
    if key in ("name", "not_name"):
        names = [wanted] if isinstance(wanted, str) else list(wanted)
        named: Test = lambda context, given: _named(context, given, names)  # noqa: E731
        return named if key == "name" else lambda context, given: _negated(named(context, given))
    if key == "type":
        types = [wanted] if isinstance(wanted, str) else list(wanted)
        return lambda _, given: isinstance(given, Located) and given.node.type in types
    if key == "not":
        inner = compile_test(wanted)
        return lambda context, given: _negated(inner(context, given))
    raise PatternError(f"unknown condition '{key}'", expected=", ".join(sorted((*_ON_VALUE, *_OTHERS))))


_OTHERS = ("matches", "not_matches", "name", "not_name", "type", "not")
_ON_VALUE: dict[str, Callable[[Any, Any], bool]] = {
    "equals": lambda value, wanted: bool(value == wanted),
    "not_equals": lambda value, wanted: bool(value != wanted),
    "in": lambda value, wanted: value in wanted,
    "not_in": lambda value, wanted: value not in wanted,
    "min": lambda value, wanted: isinstance(value, int | float) and value >= wanted,
    "max": lambda value, wanted: isinstance(value, int | float) and value <= wanted,
}


def needs_value(data: Any) -> bool:
    """Whether a test can hold only where something is written."""
    if isinstance(data, list):
        return all(needs_value(d) for d in data)
    if isinstance(data, Mapping):
        return any(key != "not" for key in data)
    return bool(data == "present")


def _negated(verdict: bool | None) -> bool | None:
    return None if verdict is None else not verdict


def _value(context: Context, given: Located) -> Any:
    return context.module.value(given.node, given.scope) if given.home is context.module else _elsewhere(given)


def _elsewhere(given: Located) -> Any:
    from gto_rules.facts.python.values import evaluate

    return evaluate(given)


def _compared(context: Context, given: Given | str, compare: Callable[[Any], bool]) -> bool | None:
    if given == SPLAT:
        return None
    if not isinstance(given, Located):
        return False
    value = _value(context, given)
    return compare(value.value) if value.known else None


def _written(given: Given | str, compare: Callable[[str], bool]) -> bool | None:
    if given == SPLAT:
        return None
    return isinstance(given, Located) and compare(text_of(given.node))


def _named(context: Context, given: Given | str, names: Sequence[str]) -> bool | None:
    if given == SPLAT:
        return None
    if not isinstance(given, Located):
        return False
    return matches_any(given.home.canonical(given.node, given.scope), names)


def from_items(items: Sequence[Item] | None, name: str) -> Given | str:
    """What a ``**splat`` of these items gives for a keyword; unknown items may hold anything."""
    if items is None:
        return SPLAT
    return next((i.value for i in reversed(items) if i.key == name), None)
