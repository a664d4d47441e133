"""The structural edits that a remedy may ask for: one function per operation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tree_sitter import Node

from gto_rules.errors import PatchError
from gto_rules.facts.model import Hit
from gto_rules.location import Span
from gto_rules.patch import python_edit
from gto_rules.patch.model import Edit
from gto_rules.patch.subject import Subject

_CAPTURE = re.compile(r"\$(\w+)")


def structural_edits(subject: Subject, operation: Mapping[str, Any]) -> list[Edit]:
    """The edits of one operation of a remedy.

    Raises:
        PatchError: a place cannot be edited safely.
    """
    name = next(iter(operation))
    if name not in OPERATIONS:
        raise PatchError(f"unknown operation {name}")
    return OPERATIONS[name](subject, operation[name])


def _hits(subject: Subject, name: str) -> Iterator[Hit]:
    for hit in subject.facts.patterns.get(name, ()):
        if hit.path.endswith(".ipynb"):
            raise PatchError(f"{hit.path}:{hit.line} lies in a notebook, which is not edited")
        yield hit


def _node(subject: Subject, hit: Hit, kind: str | None = None) -> Node:
    """The tree node of a hit: the outermost one that covers exactly its span, of a type if given."""
    root = subject.python(hit.path).tree.root_node
    node = root.named_descendant_for_byte_range(hit.span.start, hit.span.end)
    while node is not None and kind is not None and node.type != kind and node.parent is not None:
        node = node.parent
    if node is None or (kind is not None and node.type != kind):
        raise PatchError(f"{hit.path}:{hit.line} has changed since it was read")
    return node


def _edits(path: str, changes: list[tuple[Span, str]]) -> list[Edit]:
    return [Edit(path, span, text) for span, text in changes]


def _text_of(value: Any) -> str:
    """A value as source: text in a rule is Python already, anything else becomes a literal."""
    return value if isinstance(value, str) else python_edit.literal(value)


def _set_keyword(subject: Subject, data: Mapping[str, Any]) -> list[Edit]:
    value = _text_of(subject.value(data["value"]))
    found = []
    for hit in _hits(subject, data["pattern"]):
        call = _node(subject, hit, "call")
        found += _edits(hit.path, python_edit.set_keyword(subject.text(hit.path), call, data["keyword"], value))
    return found


def _remove_keyword(subject: Subject, data: Mapping[str, Any]) -> list[Edit]:
    found = []
    for hit in _hits(subject, data["pattern"]):
        call = _node(subject, hit, "call")
        found += _edits(hit.path, python_edit.remove_keyword(subject.text(hit.path), call, data["keyword"]))
    return found


def _filled(template: str, hit: Hit) -> str:
    def capture(found: re.Match[str]) -> str:
        if found[1] not in hit.captures:
            raise PatchError(f"the pattern gives no ${found[1]}")
        return hit.captures[found[1]]

    return _CAPTURE.sub(capture, template)


def _replace(subject: Subject, data: Mapping[str, Any]) -> list[Edit]:
    found = []
    for hit in _hits(subject, data["pattern"]):
        subject.python(hit.path)
        new = _filled(str(data["with"]), hit)
        if new != subject.project.source(hit.path).slice(hit.span):
            found.append(Edit(hit.path, hit.span, new))
    return found


def _insert_statement(subject: Subject, data: Mapping[str, Any]) -> list[Edit]:
    """Statements before or after the first (or every) hit's statement."""
    hits = list(_hits(subject, data["pattern"]))
    found = []
    for hit in hits if data.get("every") else hits[:1]:
        statement = python_edit.statement_of(_node(subject, hit))
        lines = [_filled(str(line), hit) for line in data["lines"]]
        after = data.get("where", "after") == "after"
        found += _edits(hit.path, python_edit.insert_statement(subject.text(hit.path), statement, lines, after=after))
    return found


def _delete(subject: Subject, data: Mapping[str, Any]) -> list[Edit]:
    found = []
    for hit in _hits(subject, data["pattern"]):
        statement = python_edit.statement_of(_node(subject, hit))
        found += _edits(hit.path, python_edit.delete_statement(subject.text(hit.path), statement))
    return found


def _wrap(subject: Subject, data: Mapping[str, Any]) -> list[Edit]:
    found = []
    for hit in _hits(subject, data["pattern"]):
        statement = python_edit.statement_of(_node(subject, hit))
        try:
            changes = python_edit.wrap_statements(
                subject.text(hit.path), statement, statement, _filled(str(data["header"]), hit)
            )
        except ValueError as error:
            raise PatchError(f"{hit.path}:{hit.line}: {error}") from error
        found += _edits(hit.path, changes)
    return found


def _insert_import(subject: Subject, data: Mapping[str, Any]) -> list[Edit]:
    """An import in every file in which a pattern has a hit."""
    found = []
    for path in dict.fromkeys(hit.path for hit in _hits(subject, data["pattern"])):
        root = subject.python(path).tree.root_node
        found += _edits(path, python_edit.insert_import(subject.text(path), root, str(data["statement"])))
    return found


def _create_file(subject: Subject, data: Mapping[str, Any]) -> list[Edit]:
    """A new file from a template; one that is there already with the same text is left alone."""
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import SandboxedEnvironment

    path = str(data["path"])
    if path.startswith("/") or ".." in path.split("/"):
        raise PatchError(f"{path} would lie outside the project")
    try:
        template = SandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
        text = template.from_string(str(data["template"])).render(subject.context.document)
    except TemplateError as error:
        raise PatchError(f"the template of {path} cannot be filled: {error}") from error
    if subject.project.exists(path):
        if subject.project.raw(path) == text.encode():
            return []
        raise PatchError(f"{path} is already there with another content")
    return [Edit(path, Span(0, 0), text, create=True)]


OPERATIONS: dict[str, Callable[[Subject, Mapping[str, Any]], list[Edit]]] = {
    "set_keyword": _set_keyword,
    "remove_keyword": _remove_keyword,
    "replace": _replace,
    "insert_statement": _insert_statement,
    "delete": _delete,
    "wrap": _wrap,
    "insert_import": _insert_import,
    "create_file": _create_file,
}
