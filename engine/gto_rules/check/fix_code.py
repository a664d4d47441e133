"""Mechanical fixes of findings in Python."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any

from tree_sitter import Node

from gto_rules.check.build import text
from gto_rules.evaluate.finding import FindingFix, TextEdit
from gto_rules.facts.patterns.model import Found
from gto_rules.facts.python.module import PythonModule
from gto_rules.location import Span
from gto_rules.patch import python_edit
from gto_rules.patch.python_edit import Change
from gto_rules.rulebook.model import Rule

_CAPTURE = re.compile(r"\$(\w+)")


class _NoFixError(Exception):
    """The place is not one that can be edited safely."""


def code_fix(rule: Rule, module: PythonModule, match: Found, captures: Mapping[str, str]) -> FindingFix | None:
    """The fix of a rule at a match; None where the place cannot be edited safely."""
    if module.path.endswith(".ipynb"):
        return None
    data = rule.data["fix"]
    changes: list[Change] = []
    try:
        for operation in data["edits"]:
            name = next(iter(operation))
            if name not in _OPERATIONS:
                return None
            changes += _OPERATIONS[name](module, match, operation[name], captures)
    except (_NoFixError, ValueError):
        return None
    edits = tuple(sorted(TextEdit(span, new) for span, new in changes))
    if not edits or any(a.span.end > b.span.start for a, b in itertools.pairwise(edits)):
        return None
    return FindingFix(text(data.get("title", rule.data["title"])), edits, data.get("risk", "neutral"))


def _filled(template: str, captures: Mapping[str, str]) -> str:
    def capture(found: re.Match[str]) -> str:
        if found[1] not in captures:
            raise _NoFixError
        return captures[found[1]]

    return _CAPTURE.sub(capture, template)


def _call(match: Found) -> Node:
    node = match.node
    if node.type != "call":
        raise _NoFixError
    return node


def _set_keyword(module: PythonModule, match: Found, data: Any, captures: Mapping[str, str]) -> list[Change]:
    value = _filled(str(data["value"]), captures)
    return python_edit.set_keyword(python_edit.Text(module.text), _call(match), data["keyword"], value)


def _remove_keyword(module: PythonModule, match: Found, data: Any, captures: Mapping[str, str]) -> list[Change]:
    return python_edit.remove_keyword(python_edit.Text(module.text), _call(match), data["keyword"])


def _rename_keyword(module: PythonModule, match: Found, data: Any, captures: Mapping[str, str]) -> list[Change]:
    raw = python_edit.Text(module.text)
    argument = python_edit.keyword_argument(_call(match), data["keyword"], raw)
    key = argument.child_by_field_name("name") if argument is not None else None
    if key is None or python_edit.keyword_argument(_call(match), data["to"], raw) is not None:
        raise _NoFixError
    return [(Span(key.start_byte, key.end_byte), str(data["to"]))]


def _replace(module: PythonModule, match: Found, data: Any, captures: Mapping[str, str]) -> list[Change]:
    node = match.captures.get(data["capture"]) if "capture" in data else match.node
    if node is None:
        raise _NoFixError
    return [(Span(node.start_byte, node.end_byte), _filled(str(data["with"]), captures))]


def _insert_statement(module: PythonModule, match: Found, data: Any, captures: Mapping[str, str]) -> list[Change]:
    statement = python_edit.statement_of(match.node)
    lines = [_filled(str(line), captures) for line in data["lines"]]
    after = data.get("where", "after") == "after"
    return python_edit.insert_statement(python_edit.Text(module.text), statement, lines, after=after)


def _delete(module: PythonModule, match: Found, data: Any, captures: Mapping[str, str]) -> list[Change]:
    return python_edit.delete_statement(python_edit.Text(module.text), python_edit.statement_of(match.node))


def _insert_import(module: PythonModule, match: Found, data: Any, captures: Mapping[str, str]) -> list[Change]:
    return python_edit.insert_import(python_edit.Text(module.text), module.root, str(data["statement"]))


_Operation = Callable[[PythonModule, Found, Any, Mapping[str, str]], list[Change]]
_OPERATIONS: dict[str, _Operation] = {
    "set_keyword": _set_keyword,
    "remove_keyword": _remove_keyword,
    "rename_keyword": _rename_keyword,
    "replace": _replace,
    "insert_statement": _insert_statement,
    "delete": _delete,
    "insert_import": _insert_import,
}
