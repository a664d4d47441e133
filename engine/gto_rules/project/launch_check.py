"""Holding a launch against what a case says about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gto_rules.project.model import Launch

_PLAIN = ("launcher", "nnodes", "nproc_per_node", "entry", "entry_module", "framework", "outer", "multi_node", "cwd")
_LISTS = ("configs", "single_node", "inference", "scripts", "program")
_WORDS = ("arguments", "launcher_arguments", "argv")
_MAPPINGS = ("overrides", "env")
# ``null`` in a case means "the command does not say": nothing to compare.
_MAY_BE_NULL = frozenset({"nnodes", "nproc_per_node", "framework"})


def differences(launch: Launch, expect: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Fields that differ, as (name, expected, found).

    ``expect`` has the fields of a launch, of which absent ones are not checked, and besides:
    ``ambiguous`` (whether there are alternatives), ``candidates`` (how many),
    ``single_node_overrides`` (values that options of the single-node form must have),
    ``count_lines`` (``nnodes``, ``nproc_per_node`` → line on which they stand),
    ``value_lines`` (text of an argument → line on which its value stands), ``problem`` (part of
    one). Any other name with true or false says whether the command names that inference engine.
    """
    for name, expected in expect.items():
        if name in _PLAIN:
            if expected is not None or name not in _MAY_BE_NULL:
                yield from _differ(name, expected, getattr(launch, name))
        elif name in _LISTS:
            yield from _differ(name, [str(v) for v in expected], list(getattr(launch, name)))
        elif name in _WORDS:
            yield from _differ(name, [str(v) for v in expected], [w.text for w in getattr(launch, name)])
        elif name in _MAPPINGS:
            yield from _entries(name, expected, getattr(launch, name))
        else:
            yield from _special(launch, name, expected)


def _entries(name: str, expected: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    if not expected:
        yield from _differ(name, {}, dict(found))
    for key, value in expected.items():
        word = found.get(key)
        text = "null" if value is None else str(value)
        yield from _differ(f"{name}.{key}", text, None if word is None else word.text)


def _special(launch: Launch, name: str, expected: Any) -> Iterator[tuple[str, Any, Any]]:
    if name == "ambiguous":
        yield from _differ(name, expected, bool(launch.ambiguous))
    elif name == "candidates":
        yield from _differ(name, expected, len(launch.ambiguous))
    elif name == "single_node_overrides":
        for key, value in expected.items():
            yield from _differ(f"single_node.{key}", str(value), stated(launch.single_node, key))
    elif name == "value_lines":
        for text, line in expected.items():
            word = next((w for w in (*launch.arguments, *launch.launcher_arguments) if w.text == str(text)), None)
            yield from _differ(f"line of {text}", line, None if word is None else word.value_place.line)
    elif name == "count_lines":
        for key, line in expected.items():
            place = launch.count_places.get(key)
            yield from _differ(f"line of {key}", line, None if place is None else place.line)
    elif name == "problem":
        if not any(expected in problem for problem in launch.problems):
            yield name, expected, list(launch.problems)
    elif isinstance(expected, bool):
        yield from _differ(name, expected, name in launch.inference)
    else:
        yield name, expected, "no such field of a launch"


def _differ(name: str, expected: Any, found: Any) -> Iterator[tuple[str, Any, Any]]:
    if expected != found:
        yield name, expected, found


def stated(words: tuple[str, ...], name: str) -> str | None:
    """The value that command words give to an option."""
    for at, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag.lstrip("-").replace("-", "_") == name:
            return value if equals else (words[at + 1] if at + 1 < len(words) else None)
    return None
