"""Edits of Python source: what comes out parses, says what was wanted, and differs only where it must."""

from __future__ import annotations

import ast
import textwrap

import pytest
from gto_rules.documents import parse, source_from_bytes
from gto_rules.documents.model import PythonDocument
from gto_rules.patch import python_edit
from gto_rules.patch.python_edit import Change, Text
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_sitter import Node


def root_of(code: str) -> Node:
    document = parse(source_from_bytes(code.encode(), "a.py"), "python")
    assert isinstance(document, PythonDocument)
    return document.tree.root_node


def first(node: Node, kind: str) -> Node:
    todo = [node]
    while todo:
        one = todo.pop(0)
        if one.type == kind:
            return one
        todo = one.children + todo
    raise AssertionError(f"no {kind}")


def applied(code: str, changes: list[Change]) -> str:
    raw = code.encode()
    for _, (span, new) in sorted(enumerate(changes), key=lambda c: (c[1][0], c[0]), reverse=True):
        raw = raw[: span.start] + new.encode() + raw[span.end :]
    return raw.decode()


def set_keyword(code: str, name: str, value: str) -> str:
    call = first(root_of(code), "call")
    return applied(code, python_edit.set_keyword(Text(code.encode()), call, name, value))


def remove_keyword(code: str, name: str) -> str:
    call = first(root_of(code), "call")
    return applied(code, python_edit.remove_keyword(Text(code.encode()), call, name))


def parsed(code: str) -> ast.Call:
    tree = ast.parse(code)
    return next(n for n in ast.walk(tree) if isinstance(n, ast.Call))


NAMES = st.sampled_from(["a", "num_workers", "é", "x1"])
ARGUMENTS = st.sampled_from(
    ["x", "'a, b'", "[1, 2]", "f(y)", "*rest", "{1: 2}", "lambda: 0", "(yield_)", '"é"', "n[0]"]
)
KEYWORDS = st.sampled_from(["b=1", "num_workers=0", "c='('", "**more", "d=g(z=1)", "x1 = 2"])
LAYOUTS = st.sampled_from(["line", "lines", "hanging", "commented", "crlf", "tabs"])


@st.composite
def calls(draw: st.DrawFn) -> str:
    """A call in one of the layouts that people use."""
    keywords = draw(st.lists(KEYWORDS, max_size=3, unique=True))
    if "**more" in keywords:  # positional arguments may not follow it, keywords may
        keywords = [k for k in keywords if k != "**more"] + ["**more"]
    arguments = draw(st.lists(ARGUMENTS, max_size=2)) + keywords
    layout, comma = draw(LAYOUTS), draw(st.booleans()) and bool(arguments)
    if layout == "line" or not arguments:
        return f"d = F({', '.join(arguments)}{',' if comma else ''})  # end\n"
    if layout == "hanging":
        return f"d = F({(',' + chr(10) + '      ').join(arguments)}{',' if comma else ''})\n"
    tab = "\t" if layout == "tabs" else "    "
    note = "  # why, (really)" if layout == "commented" else ""
    rows = [f"{tab}{one}," + note for one in arguments]
    if not comma:
        rows[-1] = f"{tab}{arguments[-1]}{note}"
    code = "d = F(\n" + "\n".join(rows) + "\n)\n"
    return code.replace("\n", "\r\n") if layout == "crlf" else code


@settings(max_examples=300, deadline=None)
@given(calls(), NAMES, st.sampled_from(["4", "True", "None", "'x'", "g(1, k=2)"]))
def test_a_keyword_reads_back_and_nothing_else_changes(code: str, name: str, value: str) -> None:
    before = parsed(code)
    after_code = set_keyword(code, name, value)
    after = parsed(after_code)
    wanted = {k.arg: ast.dump(k.value) for k in before.keywords}
    wanted[name] = ast.dump(ast.parse(value, mode="eval").body)
    assert {k.arg: ast.dump(k.value) for k in after.keywords} == wanted
    assert [ast.dump(a) for a in after.args] == [ast.dump(a) for a in before.args]
    assert set_keyword(after_code, name, value) == after_code
    assert after_code.count("#") == code.count("#")
    assert (after_code.count("\r\n") == after_code.count("\n")) == (code.count("\r\n") == code.count("\n"))


@settings(max_examples=300, deadline=None)
@given(calls(), NAMES)
def test_removing_undoes_adding(code: str, name: str) -> None:
    without = remove_keyword(code, name)
    assert ast.dump(parsed(without)) == ast.dump(_without(parsed(code), name))
    again = remove_keyword(set_keyword(without, name, "1"), name)
    assert ast.dump(parsed(again)) == ast.dump(parsed(without))
    assert again.count("#") == without.count("#")


def _without(call: ast.Call, name: str) -> ast.Call:
    call.keywords = [k for k in call.keywords if k.arg != name]
    return call


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("F()", "F(w=1)"),
        ("F(a)", "F(a, w=1)"),
        ("F(a,)", "F(a, w=1,)"),
        ("F(w=0, b=2)", "F(w=1, b=2)"),
        ("F(x for x in y)", "F((x for x in y), w=1)"),
        ("F(\n    a,\n    b=2,  # two\n)", "F(\n    a,\n    b=2,  # two\n    w=1,\n)"),
        ("F(\n    a,\n    b=2  # two\n)", "F(\n    a,\n    b=2,  # two\n    w=1\n)"),
        ("F(a,\n  b)", "F(a,\n  b,\n  w=1)"),
        ("F(\n    a, b\n)", "F(\n    a, b, w=1\n)"),
        ("F(\n    # nothing yet\n)", "F(\n    # nothing yet\n    w=1\n)"),
        ("F(*a, **k)", "F(*a, **k, w=1)"),
        ("F(  # empty\r\n)", "F(  # empty\r\n    w=1\r\n)"),
        ("F(\n)", "F(\n    w=1\n)"),
    ],
)
def test_where_a_keyword_goes(before: str, after: str) -> None:
    assert set_keyword(before, "w", "1") == after
    ast.parse(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("F(w=1)", "F()"),
        ("F(a, w=1)", "F(a)"),
        ("F(w=1, a=2)", "F(a=2)"),
        ("F(\n    a,\n    w=1,\n)", "F(\n    a,\n)"),
        ("F(\n    w=1,  # one\n    a=2,\n)", "F(\n    # one\n    a=2,\n)"),
        ("F(\n    a,\n    w=1\n)", "F(\n    a\n)"),
    ],
)
def test_where_a_keyword_goes_away(before: str, after: str) -> None:
    assert remove_keyword(before, "w") == after


BODIES = st.lists(
    st.sampled_from(
        [
            "x = 1",
            "y = f(x)",
            "s = '''a\n b\n'''",
            "if x:\n    y = 2\nelse:\n    y = 3",
            "for i in y:\n    pass",
            "z = [\n  1,\n]",
        ]
    ),
    min_size=1,
    max_size=4,
)


def statements(code: str) -> list[Node]:
    block = first(first(root_of(code), "function_definition"), "block")
    return [c for c in block.named_children if c.type != "comment"]


def in_function(body: list[str], tabs: bool, crlf: bool) -> str:
    joined = "\n".join(body)
    indented = "".join(_indented(joined))
    code = f"def main():\n{indented}\nmain()\n"
    code = code.replace("\n    ", "\n\t") if tabs else code
    return code.replace("\n", "\r\n") if crlf else code


def _indented(code: str) -> list[str]:
    inside = {n for s in ast.walk(ast.parse(code)) for n in _string_lines(s)}
    return [(line if i in inside else "    " + line) + "\n" for i, line in enumerate(code.split("\n"), 1)]


def _string_lines(node: ast.AST) -> range:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return range(node.lineno + 1, (node.end_lineno or 0) + 1)
    return range(0)


@settings(max_examples=150, deadline=None)
@given(BODIES, st.integers(0, 3), st.booleans(), st.booleans(), st.booleans())
def test_statements_go_where_they_should(body: list[str], at: int, after: bool, tabs: bool, crlf: bool) -> None:
    code = in_function(body, tabs, crlf)
    nodes = statements(code)
    at = min(at, len(nodes) - 1)
    out = applied(code, python_edit.insert_statement(Text(code.encode()), nodes[at], ["new()", "more()"], after=after))
    old, new = _body(code), _body(out)
    where = at + 1 if after else at
    assert [ast.dump(s) for s in new] == [
        ast.dump(s) for s in [*old[:where], *ast.parse("new()\nmore()").body, *old[where:]]
    ]
    assert crlf is ("\r\n" in out) and (not crlf or out.count("\n") == out.count("\r\n"))


@settings(max_examples=150, deadline=None)
@given(BODIES, st.integers(0, 3), st.booleans(), st.booleans())
def test_wrapping_moves_statements_and_keeps_strings(body: list[str], at: int, tabs: bool, crlf: bool) -> None:
    code = in_function(body, tabs, crlf)
    nodes = statements(code)
    at = min(at, len(nodes) - 1)
    out = applied(code, python_edit.wrap_statements(Text(code.encode()), nodes[at], nodes[at], "with a as b"))
    old, new = _body(code), _body(out)
    block = new[at]
    assert isinstance(block, ast.With)
    assert [ast.dump(s) for s in block.body] == [ast.dump(old[at])]
    assert [ast.dump(s) for s in (*new[:at], *new[at + 1 :])] == [ast.dump(s) for s in (*old[:at], *old[at + 1 :])]


@settings(max_examples=150, deadline=None)
@given(BODIES, st.integers(0, 3), st.booleans())
def test_deleting_leaves_a_whole_program(body: list[str], at: int, crlf: bool) -> None:
    code = in_function(body, False, crlf)
    nodes = statements(code)
    at = min(at, len(nodes) - 1)
    out = applied(code, python_edit.delete_statement(Text(code.encode()), nodes[at]))
    old, new = _body(code), _body(out)
    rest = [*old[:at], *old[at + 1 :]] or ast.parse("pass").body
    assert [ast.dump(s) for s in new] == [ast.dump(s) for s in rest]


def _body(code: str) -> list[ast.stmt]:
    function = ast.parse(code).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function.body


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = 1; b = 2\n", "a = 1; new(); b = 2\n"),
        ("a = 1  # why\nb = 2\n", "a = 1  # why\nnew()\nb = 2\n"),
        ("a = 1", "a = 1\nnew()"),
        ("if x: a = 1\n", "if x: a = 1; new()\n"),
    ],
)
def test_a_statement_after_another(before: str, after: str) -> None:
    node = first(root_of(before), "assignment")
    statement = python_edit.statement_of(node)
    assert (
        applied(before, python_edit.insert_statement(Text(before.encode()), statement, ["new()"], after=True)) == after
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "import torch\n"),
        ("x = 1\n", "import torch\nx = 1\n"),
        ("import torch\nx = 1\n", "import torch\nx = 1\n"),
        ("import os\n\nx = 1\n", "import os\nimport torch\n\nx = 1\n"),
        ('"""Words."""\nx = 1\n', '"""Words."""\nimport torch\nx = 1\n'),
        (
            "#!/usr/bin/python\n# -*- coding: utf-8 -*-\nx = 1\n",
            "#!/usr/bin/python\n# -*- coding: utf-8 -*-\nimport torch\nx = 1\n",
        ),
        (
            '"""W."""\nfrom __future__ import annotations\nx = 1\n',
            '"""W."""\nfrom __future__ import annotations\nimport torch\nx = 1\n',
        ),
        ("import os  # why\nx = 1\n", "import os  # why\nimport torch\nx = 1\n"),
        ("import os; x = 1\n", "import os; import torch; x = 1\n"),
        ("from a import (\n    b,\n)\n\nx = 1\n", "from a import (\n    b,\n)\nimport torch\n\nx = 1\n"),
        ("# words\n\nimport os\n# more\nx = 1\n", "# words\n\nimport os\nimport torch\n# more\nx = 1\n"),
    ],
)
def test_where_an_import_goes(before: str, after: str) -> None:
    assert applied(before, python_edit.insert_import(Text(before.encode()), root_of(before), "import torch")) == after


@settings(deadline=None)
@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
        max_leaves=6,
    )
)
def test_literals_read_back(value: object) -> None:
    assert ast.literal_eval(textwrap.dedent(python_edit.literal(value))) == value
