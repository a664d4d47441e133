"""Constant evaluation: known values with their place, and the reason where there is none."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from python_case import call_named, make_index, make_module

UNKNOWN = object()

# (what, source with one call `target(x)`, value, line)
CASES: list[tuple[str, str, Any, int]] = [
    ("number", "target(3)", 3, 1),
    ("negative", "target(-3e-4)", -3e-4, 1),
    ("underscored", "target(1_000)", 1000, 1),
    ("string", "target('a\\n')", "a\n", 1),
    ("raw bytes prefix", "target(r'a\\n')", "a\\n", 1),
    ("joined strings", "target('a' 'b')", "ab", 1),
    ("bool", "target(True)", True, 1),
    ("none", "target(None)", None, 1),
    ("not", "target(not False)", True, 1),
    ("arithmetic", "target(2 * (3 + 4) // 2)", 7, 1),
    ("power", "target(2 ** 10)", 1024, 1),
    ("list", "target([1, 'a', None])", [1, "a", None], 1),
    ("tuple", "target((1, 2))", (1, 2), 1),
    ("dict", "target({'a': 1})", {"a": 1}, 1),
    ("dict call", "target(dict(a=1, **{'b': 2}))", {"a": 1, "b": 2}, 1),
    ("cast", "target(int('4'))", 4, 1),
    ("module constant", "N = 4\ndef f():\n    target(N)", 4, 1),
    ("through two names", "N = 4\nM = N\ntarget(M)", 4, 1),
    ("f-string", "N = 4\ntarget(f'a{N}b{N:03d}')", "a4b004", 2),
    ("arithmetic on a name", "N = 4\ntarget(N * 2)", 8, 2),
    ("under the main guard", "if __name__ == '__main__':\n    n = 2\n    target(n)", 2, 2),
    ("same branch", "if x:\n    n = 2\n    target(n)", 2, 2),
    ("same loop body", "for i in x:\n    n = 2\n    target(n)", 2, 2),
    ("under with", "with x:\n    n = 2\ntarget(n)", 2, 2),
    ("attribute", "a.b = 3\ntarget(a.b)", 3, 1),
    ("class field", "class C:\n    n = 3\ntarget(C.n)", 3, 2),
    ("field of an instance", "class C:\n    n: int = 3\nc = C()\ntarget(c.n)", 3, 2),
    ("keyword of an instance", "class C:\n    n: int = 3\nc = C(n=5)\ntarget(c.n)", 5, 3),
    ("position of an instance", "class C:\n    m: int = 1\n    n: int = 3\nc = C(0, 5)\ntarget(c.n)", 5, 4),
    ("field(default=)", "class C:\n    n: int = field(default=3)\nc = C()\ntarget(c.n)", 3, 2),
    (
        "self attribute",
        "class C:\n    def __init__(self):\n        self.n = 3\n    def f(self):\n        target(self.n)",
        3,
        3,
    ),
    ("assigned twice", "n = 1\nn = 2\ntarget(n)", UNKNOWN, 3),
    ("augmented", "n = 1\nn += 1\ntarget(n)", UNKNOWN, 3),
    ("in a branch", "if x:\n    n = 1\ntarget(n)", UNKNOWN, 3),
    ("in a try", "try:\n    n = 1\nexcept E:\n    pass\ntarget(n)", UNKNOWN, 5),
    ("in a loop", "for i in x:\n    n = 1\ntarget(n)", UNKNOWN, 3),
    ("later", "target(n)\nn = 1", UNKNOWN, 1),
    ("global in a function", "n = 1\ndef f():\n    global n\n    n = 2\ndef g():\n    target(n)", UNKNOWN, 6),
    ("parameter", "def f(n=1):\n    target(n)", UNKNOWN, 2),
    ("environment", "import os\ntarget(os.environ['N'])", UNKNOWN, 2),
    ("loop variable", "for n in (1, 2):\n    target(n)", UNKNOWN, 2),
    ("list that grows", "n = [1]\nn.append(2)\ntarget(n)", UNKNOWN, 3),
    ("dict that changes", "n = {'a': 1}\nn['a'] = 2\ntarget(n)", UNKNOWN, 3),
    ("executed text", "n = 1\nexec(open('x').read())\ntarget(n)", UNKNOWN, 3),
    (
        "field set by code",
        "class C:\n    n: int = 3\n    def __post_init__(self):\n        self.n = 4\nc = C()\ntarget(c.n)",
        UNKNOWN,
        6,
    ),
    ("field set later", "class C:\n    n: int = 3\nc = C()\nif x:\n    c.n = 4\ntarget(c.n)", UNKNOWN, 6),
    ("splat into an instance", "class C:\n    n: int = 3\nc = C(**k)\ntarget(c.n)", UNKNOWN, 4),
    ("division by zero", "target(1 / 0)", UNKNOWN, 1),
    ("huge power", "target(9 ** 9 ** 9)", UNKNOWN, 1),
    ("huge string", "target('a' * 10 ** 9)", UNKNOWN, 1),
    ("refers to itself", "n = n\ntarget(n)", UNKNOWN, 1),
    ("comparison", "target(a > 3)", UNKNOWN, 1),
]


@pytest.mark.parametrize(("source", "expected", "line"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_value(tmp_path: Path, source: str, expected: Any, line: int) -> None:
    module = make_module(tmp_path, source)
    value = module.value(call_named(module, "target").arguments[0].value)
    if expected is UNKNOWN:
        assert not value.known
        assert value.reason
    else:
        assert value.known, value.reason
        assert value.value == expected
        assert type(value.value) is type(expected)
    assert (value.path, value.line) == ("main.py", line)


def test_constant_of_another_file_keeps_its_place(tmp_path: Path) -> None:
    module = make_module(tmp_path, "from cfg import N\nimport cfg\ntarget(N, cfg.M)", cfg="N = 4\nM = 'x'\n")
    n, m = (module.value(a.value) for a in call_named(module, "target").arguments)
    assert (n.value, n.path, n.line, n.text) == (4, "cfg.py", 1, "4")
    assert (m.value, m.path, m.line) == ("x", "cfg.py", 2)


def test_default_of_a_config_class_in_another_file(tmp_path: Path) -> None:
    module = make_module(
        tmp_path, "from cfg import Config\nc = Config()\ntarget(c.lr)", cfg="class Config:\n    lr: float = 1e-3\n"
    )
    value = module.value(call_named(module, "target").arguments[0].value)
    assert (value.value, value.path, value.line) == (1e-3, "cfg.py", 2)


def test_mapping_gives_the_place_of_every_key(tmp_path: Path) -> None:
    module = make_module(tmp_path, "base = {'a': 1}\nkw = dict(\n    b=2,\n    **base,\n)\ntarget(**kw)")
    items = module.mapping(call_named(module, "target").arguments[0].value)
    assert items is not None
    assert [(i.key, module.source.slice(i.span)) for i in items] == [("b", "b=2"), ("a", "'a': 1")]


@pytest.mark.parametrize("text", ["{k: 1}", "{**other}", "make()", "dict(pairs)", "[1]"])
def test_a_mapping_that_is_not_fully_known_is_none(tmp_path: Path, text: str) -> None:
    module = make_module(tmp_path, f"target(**{text})")
    assert module.mapping(call_named(module, "target").arguments[0].value) is None


def test_reason_names_what_decides(tmp_path: Path) -> None:
    module = make_module(tmp_path, "import os\nworkers = os.cpu_count()\ntarget(workers // 2)")
    assert module.value(call_named(module, "target").arguments[0].value).reason == "depends on os.cpu_count()"


_CONSTANTS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=_CONSTANTS)
def test_every_literal_is_read_as_python_reads_it(tmp_path: Path, value: Any) -> None:
    source = repr(value)
    if source == "inf" or "inf" in source.replace("'inf'", ""):
        return
    module = make_module(tmp_path, f"target({source})")
    found = module.value(call_named(module, "target").arguments[0].value)
    assert found.known, found.reason
    assert found.value == ast.literal_eval(source)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=200))
def test_any_text_is_read_without_an_exception(tmp_path: Path, text: str) -> None:
    (tmp_path / "main.py").write_bytes(text.encode("utf-8", "surrogatepass"))
    module = make_index(tmp_path, {}).module("main.py")
    for call in module.calls if module else ():
        for argument in call.arguments:
            module.value(argument.value) if module else None
