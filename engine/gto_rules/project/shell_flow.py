"""Walking the compound statements of a shell: conditions, loops, groups and here-documents."""

from __future__ import annotations

import contextlib
import fnmatch
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from gto_rules.project.shell_state import State, Variable, merge
from gto_rules.project.shell_tests import decide, defaulted
from gto_rules.project.shell_values import Field, Piece, Value
from gto_rules.project.shell_walk import ASSIGNMENT, SILENT, Leave, Statement, Walk
from gto_rules.project.shell_words import WordReader

_MAX_ROUNDS = 60


def assignment(walk: Walk, node: Node) -> bool | None:
    for word in walk.words(node):
        if walk.assigned_name(word) is not None:
            walk.assign(word)
    return True


def declaration(walk: Walk, node: Node) -> bool | None:
    words = walk.words(node)
    exported = walk.written(words[0]) == "export" or any(walk.written(w) == "-x" for w in words)
    for word in words[1:]:
        if walk.assigned_name(word) is not None:
            walk.assign(word, exported)
        elif exported:
            walk.state.export(walk.written(word))
    return True


def unset(walk: Walk, node: Node) -> bool | None:
    for word in walk.words(node):
        walk.state.variables.pop(walk.written(word), None)
    return True


def redirected(walk: Walk, node: Node) -> bool | None:
    body = node.child_by_field_name("body")
    if body is None:
        return True
    stdin = _stdin(walk, node)
    if body.type == "command":
        return walk.command(body, stdin)
    return walk.node(body)


def _stdin(walk: Walk, node: Node) -> Value | None:
    """The text of a here-document; it is expanded unless its end word is quoted."""
    for redirect in node.children:
        if redirect.type != "heredoc_redirect":
            continue
        body = next((c for c in redirect.children if c.type == "heredoc_body"), None)
        start = next((c for c in redirect.children if c.type == "heredoc_start"), None)
        if body is None or start is None:
            continue
        if b"'" in (start.text or b"") or b'"' in (start.text or b""):
            place, exact = walk.text.place(body.start_byte, body.end_byte)
            return (Piece(walk.text.slice(body.start_byte, body.end_byte), place, exact=exact),)
        return walk.expander.string(body.start_byte, body.end_byte)
    return None


def and_or(walk: Walk, node: Node) -> bool | None:
    left, operator, right = _sides(node)
    outcome = walk.node(left) if left is not None else True
    if right is None:
        return outcome
    wanted = operator == "&&"
    if outcome is None:
        _perhaps(walk, [lambda: walk.node(right), lambda: None], _defaulted(walk, [left]))
        return None
    if outcome == wanted:
        return walk.node(right)
    return outcome


def pipeline(walk: Walk, node: Node) -> bool | None:
    for child in node.children:
        if child.is_named:
            before = walk.state
            walk.state = before.copy()
            with contextlib.suppress(Leave):
                walk.node(child)
            walk.state = before
    return None


def subshell(walk: Walk, node: Node) -> bool | None:
    before = walk.state
    walk.state = before.copy()
    try:
        walk.sequence(node.children)
    except Leave:
        pass
    finally:
        walk.state = before
    return True


def negated(walk: Walk, node: Node) -> bool | None:
    outcome = [walk.node(c) for c in node.children if c.is_named]
    return None if not outcome or outcome[0] is None else not outcome[0]


def test(walk: Walk, node: Node) -> bool | None:
    return decide(walk.expander, node.start_byte, node.end_byte)


def if_(walk: Walk, node: Node) -> bool | None:
    """``if``: the branch that is taken, or all that could be."""
    open_branches: list[Callable[[], object]] = []
    for condition, body in _branches(node):
        outcome = _condition(walk, condition) if condition else True
        if outcome is False:
            continue
        open_branches.append(lambda body=body: walk.sequence(body))  # type: ignore[misc]
        if outcome is True:
            break
    else:
        open_branches.append(lambda: None)
    condition = next(_branches(node))[0]
    _perhaps(walk, open_branches, _defaulted(walk, condition))
    return True


def _defaulted(walk: Walk, condition: Sequence[Node | None]) -> str | None:
    tests = [c for c in condition if c is not None and c.type == "test_command"]
    return defaulted(walk.expander, tests[0].start_byte, tests[0].end_byte) if tests else None


def _condition(walk: Walk, nodes: list[Node]) -> bool | None:
    outcome: bool | None = None
    for node in nodes:
        if node.is_named and node.type not in SILENT:
            runs_program = node.type in ("command", "redirected_statement", "pipeline")
            name = (node.text or b"").split(b" ")[0].strip()
            certain = not runs_program or name in (b"true", b":", b"false", b"test", b"[")
            outcome = walk.node(node)
            outcome = outcome if certain else None
    return outcome


def _perhaps(walk: Walk, branches: list[Callable[[], object]], default: str | None = None) -> None:
    """Walk branches of which one will be taken; with one branch it is taken for certain."""
    if len(branches) == 1:
        branches[0]()
        return
    before, context, number = walk.state, walk.context, walk.runner.decision()
    outcomes: list[State] = []
    for at, branch in enumerate(branches):
        walk.state = before.copy()
        walk.context = replace(context, branches=(*context.branches, (number, at)))
        try:
            branch()
            outcomes.append(walk.state)
        except Leave:
            pass  # the rest runs only if this branch was not taken
    walk.context = context
    walk.state = before
    if outcomes:
        _put_back(before, merge(before, outcomes, default))


def for_(walk: Walk, node: Node) -> bool | None:
    variable = node.child_by_field_name("variable")
    body = node.child_by_field_name("body")
    name = (variable.text or b"").decode("utf-8", "replace") if variable is not None else ""
    values = list(node.children_by_field_name("value"))
    if body is None:
        return True
    items: list[Value] = []
    if values:
        reader = WordReader(walk.text.text, values[0].start_byte, values[-1].end_byte)
        items = [f.pieces for w in reader.words(False) for f in walk.expander.fields(w)]
    elif b" in" not in walk.text.text[node.start_byte : body.start_byte]:
        items = list(walk.state.arguments or ())
    if len(items) == 1 and all(p.known for p in items[0]) and not _globbed(items[0]):
        walk.state.assign(name, Variable((items[0],)))
        _round(walk, body)
    else:
        _loop(walk, body, [name])
    return True


def c_for(walk: Walk, node: Node) -> bool | None:
    body = node.child_by_field_name("body") or node
    names = re.findall(rb"[A-Za-z_]\w*", walk.text.text[node.start_byte : body.start_byte])
    _loop(walk, body, [n.decode() for n in names if n != b"for"])
    return True


def _loop(walk: Walk, body: Node, names: list[str]) -> None:
    """Walk a loop's body once, with what changes from round to round unknown."""
    for name in (*names, *_changed(walk, body)):
        walk.state.unsettle(name)
    before = walk.context
    walk.context = replace(before, looped=True)
    _round(walk, body)
    walk.context = before


def _round(walk: Walk, body: Node) -> None:
    try:
        walk.sequence(body.children)
    except Leave as leave:
        if leave.word in ("exit", "return"):
            raise


def _changed(walk: Walk, body: Node) -> Iterator[str]:
    """Variables whose value in one round depends on the round before."""
    todo = [body]
    while todo:
        node = todo.pop()
        todo.extend(node.children)
        if node.type != "variable_assignment":
            continue
        match = ASSIGNMENT.match(walk.text.slice(node.start_byte, node.end_byte))
        if match and (match.group(3) or re.search(rf"\b{match.group(1)}\b", _right_side(walk, node))):
            yield match.group(1)


def _right_side(walk: Walk, node: Node) -> str:
    return walk.text.slice(node.start_byte, node.end_byte).partition("=")[2]


def while_(walk: Walk, node: Node) -> bool | None:
    body = node.child_by_field_name("body")
    condition = list(node.children_by_field_name("condition"))
    if body is None:
        return True
    wanted = not (node.children and node.children[0].type == "until")
    for _ in range(_MAX_ROUNDS):
        outcome = _condition(walk, condition)
        if outcome is None:
            _perhaps(walk, [lambda: _loop(walk, body, []), lambda: None])
            return None
        if outcome != wanted:
            return True
        try:
            walk.sequence(body.children)
        except Leave as leave:
            if leave.word == "break":
                return True
            if leave.word != "continue":
                raise
    return None


def case(walk: Walk, node: Node) -> bool | None:
    value = node.child_by_field_name("value")
    if value is None:
        return True
    subject = _text_of(walk, value)
    open_branches: list[Callable[[], object]] = []
    for item in (c for c in node.children if c.type == "case_item"):
        patterns = item.children_by_field_name("value")
        matched = _matches(walk, subject, patterns)
        if matched is False:
            continue
        body = [c for c in item.children if c not in patterns]
        open_branches.append(lambda body=body: walk.sequence(body))  # type: ignore[misc]
        if matched:
            break
    else:
        open_branches.append(lambda: None)
    _perhaps(walk, open_branches)
    return True


def _text_of(walk: Walk, node: Node) -> Field:
    raw = walk.words(node, False)
    place, _ = walk.text.place(node.start_byte, node.end_byte)
    return Field(tuple(p for w in raw for p in walk.expander.value(w.parts)), place)


def _matches(walk: Walk, subject: Field, patterns: list[Node]) -> bool | None:
    texts = [_text_of(walk, p) for p in patterns]
    if any(t.text == "*" for t in texts):
        return True
    if not subject.known or not all(t.known for t in texts):
        return None
    return any(fnmatch.fnmatchcase(subject.text, t.text) for t in texts)


def define(walk: Walk, node: Node) -> bool | None:
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("body")
    if name is not None and body is not None:
        walk.state.functions[(name.text or b"").decode("utf-8", "replace")] = (walk.text, body)
    return True


def _put_back(target: State, merged: State) -> None:
    """Give ``target`` the content of ``merged``; callers hold on to ``target`` itself."""
    target.variables = merged.variables
    target.functions = merged.functions
    target.cwd = merged.cwd
    target.arguments = merged.arguments


def _sides(node: Node) -> tuple[Node | None, str, Node | None]:
    named = [c for c in node.children if c.is_named]
    operator = next((c.type for c in node.children if c.type in ("&&", "||")), "&&")
    return (named[0] if named else None), operator, (named[1] if len(named) > 1 else None)


def _branches(node: Node) -> Iterator[tuple[list[Node], list[Node]]]:
    """Condition and body of ``if``, every ``elif`` and ``else`` (whose condition is empty)."""
    condition, body, clauses = [], [], []  # type: list[Node], list[Node], list[Node]
    seen_then = False
    for child in node.children:
        if child.type == "then":
            seen_then = True
        elif child.type in ("elif_clause", "else_clause"):
            clauses.append(child)
        elif child.is_named or child.type == "&":
            (body if seen_then else condition).append(child)
    yield condition, body
    for clause in clauses:
        if clause.type == "else_clause":
            yield [], list(clause.children)
        else:
            yield from _branches(clause)


def _globbed(value: Value) -> bool:
    return any(set(p.text) & set("*?[{") for p in value if not p.quoted)


STATEMENTS: dict[str, Statement] = {
    "command": Walk.command,
    "variable_assignment": assignment,
    "variable_assignments": assignment,
    "declaration_command": declaration,
    "unset_command": unset,
    "redirected_statement": redirected,
    "list": and_or,
    "pipeline": pipeline,
    "subshell": subshell,
    "negated_command": negated,
    "test_command": test,
    "if_statement": if_,
    "for_statement": for_,
    "c_style_for_statement": c_for,
    "while_statement": while_,
    "case_statement": case,
    "function_definition": define,
}
