"""Matchers of every depth, and how they combine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gto_rules.errors import RulebookError
from gto_rules.facts.patterns import compile_patterns
from pattern_case import lines, rule

LOADER = "torch.utils.data.DataLoader"
HEAD = "from torch.utils.data import DataLoader\n"
ABSENT = {"call": LOADER, "keywords": {"num_workers": "absent"}, "positions": {"num_workers": 5}}
ZERO = {"call": LOADER, "keywords": {"num_workers": ["absent", {"equals": 0}]}}
REACHING: dict[str, Any] = {"any": [{"method": "backward"}, {"method": "step", "receiver": {"matches": "opt"}}]}
LOOP = rule("x/loop", {"loop": {"reaching": REACHING, "unless": "x/rare"}})
RARE = rule(
    "x/rare",
    {
        "any": [
            {"block": {"kind": ["if", "elif"], "head": "%"}},
            {"block": {"kind": "with", "holding": {"use": "torch.no_grad"}}},
            {"function": {"named": "^eval"}},
        ]
    },
)
ITEM = {"method": "item", "arguments": {"max": 0}, "inside": "x/loop", "not_inside": "x/rare"}

# (what, matcher, source, lines of hits, lines of unknown)
CASES: list[tuple[str, Any, str, list[int], list[int]]] = [
    ("absent", ABSENT, HEAD + "DataLoader(d)", [2], []),
    ("present", ABSENT, HEAD + "DataLoader(d, num_workers=2)", [], []),
    ("by position", ABSENT, HEAD + "DataLoader(d, 1, True, None, None, 2)", [], []),
    ("unknown splat", ABSENT, HEAD + "DataLoader(d, **kw)", [], [2]),
    ("known splat without it", ABSENT, HEAD + "kw = {'a': 1}\nDataLoader(d, **kw)", [3], []),
    ("known splat with it", ABSENT, HEAD + "kw = dict(num_workers=3)\nDataLoader(d, **kw)", [], []),
    ("list splat before the position", ABSENT, HEAD + "DataLoader(*a)", [], [2]),
    ("through an alias", ABSENT, "import torch.utils.data as td\ntd.DataLoader(d)", [2], []),
    ("other class of that name", ABSENT, "from mine import DataLoader\nDataLoader(d)", [], []),
    ("in a string", ABSENT, HEAD + "x = 'DataLoader(d)'", [], []),
    ("subclass", ABSENT, HEAD + "class L(DataLoader): ...\nL(d)", [3], []),
    (
        "subclass that decides itself",
        ABSENT,
        HEAD + "class L(DataLoader):\n    def __init__(self, d):\n        super().__init__(d, num_workers=2)\nL(d)",
        [],
        [],
    ),
    (
        "subclass that leaves it out",
        ABSENT,
        HEAD + "class L(DataLoader):\n    def __init__(self, d):\n        super().__init__(d)\nL(d)",
        [4],
        [],
    ),
    ("partial may get more", ABSENT, HEAD + "from functools import partial\npartial(DataLoader, d)", [], [3]),
    ("zero literal", ZERO, HEAD + "DataLoader(d, num_workers=0)", [2], []),
    ("zero by name", ZERO, HEAD + "N = 0\nDataLoader(d, num_workers=N)", [3], []),
    ("four", ZERO, HEAD + "DataLoader(d, num_workers=4)", [], []),
    ("computed", ZERO, HEAD + "DataLoader(d, num_workers=args.workers)", [], [2]),
    ("two on a line", ABSENT, HEAD + "a = DataLoader(d); b = DataLoader(e)", [2, 2], []),
    ("count of arguments", {"call": "a.f", "arguments": {"min": 2}}, "import a\na.f(1)\na.f(1, 2)", [3], []),
    ("any method", {"method": "item"}, "x.item()\nitem()", [1], []),
    (
        "method of a class",
        {"method": "item", "of": "torch.Tensor"},
        "import torch\ndef f(x: torch.Tensor, y):\n    x.item()\n    y.item()",
        [3],
        [],
    ),
    ("receiver", {"method": "step", "receiver": {"matches": "opt"}}, "self.opt.step()\nsched.step()", [1], []),
    ("assignment", {"assign": "a.b.c", "value": {"equals": True}}, "import a\na.b.c = True\na.b.c = False", [2], []),
    ("assignment through an alias", {"assign": "a.b.c"}, "from a import b as x\nx.c = 1", [2], []),
    ("mention as a decorator", {"use": "a.jit"}, "from a import jit\n@jit\ndef f(): ...", [2], []),
    ("mention as an argument", {"use": "a.jit"}, "import a\nf(a.jit)", [2], []),
    ("import", {"import": "a"}, "import a.b\nfrom a import c\nimport ab", [1, 2], []),
    ("class", {"class": {"of": "a.Base"}}, "import a\nclass C(a.Base): ...\nclass D: ...", [2], []),
    ("code", {"code": "$T += $L"}, "x += y\nx -= y", [1], []),
    ("code with the same thing twice", {"code": "$X + $X"}, "a + a\na + b", [1], []),
    (
        "code by canonical name",
        {"code": "torch.compile($M, ...)"},
        "from torch import compile as c\nc(m, mode='x')",
        [2],
        [],
    ),
    ("code with a keyword anywhere", {"code": "f(..., a=1)"}, "f(2, b=3, a=1)\nf(a=2)", [1], []),
    ("code with any arguments", {"code": "f(...)"}, "f()\nf(1, 2)\ng()", [1, 2], []),
    (
        "code with a body",
        {"code": "for $I in $X:\n    ...\n    $Y.step()"},
        "for i in x:\n    a()\n    o.step()",
        [1],
        [],
    ),
    ("code with a condition", {"code": "$X = $V", "where": {"V": {"equals": 0}}}, "a = 0\nb = 1\nc = f()", [1], [3]),
    (
        "code by name of a hole",
        {"code": "$F($X)", "where": {"F": {"name": "a.g"}}},
        "import a\na.g(1)\na.h(1)",
        [2],
        [],
    ),
    ("query", {"query": '((call function: (identifier) @n) @match (#eq? @n "f"))'}, "f(1)\ng(1)", [1], []),
    ("any", {"any": [{"use": "a.f"}, {"use": "a.g"}]}, "import a\na.f\na.g\na.h", [2, 3], []),
    ("all", {"all": [{"method": "f"}, {"code": "$X.f(1)"}]}, "x.f(1)\nx.f(2)", [1], []),
    ("not", {"method": "f", "not": {"code": "$X.f(1)"}}, "x.f(1)\nx.f(2)", [2], []),
    (
        "only some runs reach it",
        {"use": "a.f", "unsure_inside": {"block": {"kind": ["if", "else"], "value": "computed"}}},
        "import a\nif x:\n    a.f\nelse:\n    a.f\na.f\nif True:\n    a.f",
        [6, 8],
        [3, 5],
    ),
    ("has", {"code": "$X = $V", "has": {"method": "f"}}, "a = b.f()\na = c", [1], []),
    ("follows", {"use": "a.f", "follows": {"use": "a.g"}}, "import a\na.f\na.g\na.f", [4], []),
    ("precedes", {"use": "a.f", "precedes": {"use": "a.g"}}, "import a\na.f\na.g\na.f", [2], []),
    (
        "without the same thing",
        {"code": "$T += $L", "without": {"code": "$T.backward(...)"}},
        "t += x\nl += y\nl.backward()",
        [1],
        [],
    ),
    (
        "without in another function",
        {"use": "a.f", "without": {"use": "a.g"}},
        "import a\ndef f():\n    a.f\ndef g():\n    a.g",
        [3],
        [],
    ),
    (
        "unknown neighbour",
        {"use": "a.f", "with": ZERO, "within": "module"},
        HEAD + "import a\na.f\nDataLoader(d, **k)",
        [],
        [3],
    ),
]


@pytest.mark.parametrize(("match", "source", "hits", "unknown"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_matcher(tmp_path: Path, match: Any, source: str, hits: list[int], unknown: list[int]) -> None:
    assert lines(tmp_path, source, rule("x/y", match)) == (hits, unknown)


STEP = "        loss.backward()\n        opt.step()\n"
# (what, source, lines of .item() that run in every step)
LOOPS: list[tuple[str, str, list[int]]] = [
    ("in the loop", "for b in x:\n    loss.backward()\n    loss.item()", [3]),
    ("while loop", "while True:\n    loss.backward()\n    loss.item()", [3]),
    ("after the loop", "for b in x:\n    loss.backward()\nloss.item()", []),
    ("in the epoch loop only", "for e in n:\n    for b in x:\n        loss.backward()\n    loss.item()", []),
    ("every tenth step", "for b in x:\n    loss.backward()\n    if step % 10 == 0:\n        loss.item()", []),
    ("in the condition", "for b in x:\n    loss.backward()\n    if loss.item() % 2:\n        pass", [3]),
    ("conditional expression", "for b in x:\n    loss.backward()\n    y = loss.item() if s % 10 == 0 else 0", []),
    (
        "without gradients",
        "import torch\nfor b in x:\n    loss.backward()\n    with torch.no_grad():\n        l.item()",
        [],
    ),
    ("evaluation loop", "for b in x:\n    loss.item()", []),
    ("function of one step", "def step():\n    loss.backward()\n    loss.item()\nfor b in x:\n    step()", [3]),
    ("function of one step, called elsewhere", "def step():\n    loss.backward()\n    loss.item()", [3]),
    ("loop that calls the step", "def step():\n    loss.backward()\nfor b in x:\n    step()\n    loss.item()", [5]),
    ("function called by the loop", "def f():\n    return l.item()\nfor b in x:\n    loss.backward()\n    f()", [2]),
    (
        "evaluation called by the loop",
        "def evaluate():\n    l.item()\nfor b in x:\n    loss.backward()\n    evaluate()",
        [],
    ),
    (
        "method called by the loop",
        "class T:\n    def go(self):\n        for b in x:\n            loss.backward()\n            self.log()\n"
        "    def log(self):\n        l.item()",
        [7],
    ),
    (
        "called every tenth step",
        "def f():\n    l.item()\nfor b in x:\n    loss.backward()\n    if s % 10 == 0:\n        f()",
        [],
    ),
    ("accumulation", "while True:\n    for m in k:\n        loss.backward()\n    opt.step()\n    l.item()", [5]),
]


@pytest.mark.parametrize(("source", "hits"), [c[1:] for c in LOOPS], ids=[c[0] for c in LOOPS])
def test_training_loop(tmp_path: Path, source: str, hits: list[int]) -> None:
    assert lines(tmp_path, source, rule("x/item", ITEM), LOOP, RARE) == (hits, [])


def test_a_subclass_in_another_file_is_found(tmp_path: Path) -> None:
    files = {"mine.py": HEAD + "class Own(DataLoader): ...", "main.py": "from mine import Own\nOwn(d)"}
    assert lines(tmp_path, files, rule("x/y", ABSENT)) == (["main.py:2"], [])


def test_a_fragment_only_serves_other_patterns(tmp_path: Path) -> None:
    fragment = rule("x/a", {"method": "f"}, fragment=True)
    assert lines(tmp_path, "x.f(1)", fragment, rule("x/y", "x/a")) == ([], [])
    assert lines(tmp_path, "x.f(1)", rule("x/y", "x/a"), fragment) == ([1], [])


def test_files_without_an_anchor_word_are_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gto_rules.facts.python import module as python_module

    parsed: list[bytes] = []
    real = python_module.parse
    monkeypatch.setattr(python_module, "parse", lambda text: (parsed.append(text), real(text))[1])
    files = {"a.py": HEAD + "DataLoader(d)", "b.py": "import torch\ntorch.load('x')\n"}
    assert lines(tmp_path, files, rule("x/y", ABSENT))[0] == ["a.py:2"]
    assert len(parsed) == 1


def test_spans_cover_the_matched_text(tmp_path: Path) -> None:
    from gto_rules.facts.patterns import match_patterns
    from python_case import make_index

    index = make_index(tmp_path, {"m.py": "# é\n" + HEAD + "x = DataLoader(\n  d)"})
    (hit,) = match_patterns(index, [rule("x/y", ABSENT)])[0]["x/y"]
    module = index.module("m.py")
    assert module is not None
    assert module.source.slice(hit.span) == "DataLoader(\n  d)"
    assert (hit.line, hit.column, hit.end_line, hit.end_column) == (3, 5, 4, 5)


def test_notebook_hits_have_their_place_in_the_file(tmp_path: Path) -> None:
    import json

    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["%matplotlib inline\n", HEAD.strip()]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["x = 1\n", "DataLoader(d)"]},
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    (line,) = [n for n, one in enumerate(text.split("\n"), 1) if "DataLoader(d)" in one]
    assert lines(tmp_path, {"n.ipynb": text}, rule("x/y", ABSENT)) == ([f"n.ipynb:{line}"], [])


BROKEN: list[tuple[Any, str]] = [
    ({"cal": "a.b"}, "one of call, method"),
    ({"call": "a.b", "keyword": {}}, "unknown word 'keyword'"),
    ({"call": "a.b", "keywords": {"x": "abcent"}}, "unknown condition 'abcent'"),
    ({"call": "a.b", "keywords": {"x": {"equal": 1}}}, "unknown condition 'equal'"),
    ({"code": "for for"}, "is not one Python statement"),
    ({"query": "(nonsense"}, "tree-sitter query is wrong"),
    ({"method": "a", "inside": "x/none"}, "there is no pattern 'x/none'"),
    ({"method": "a", "inside": "x/y"}, "in a ring"),
    ({"block": {"kind": "if", "head": "("}}, "wrong regular expression"),
    ({"use": "a.*"}, "needs whole names"),
    ("x/none", "there is no pattern"),
    (3, "a matcher was expected"),
]


@pytest.mark.parametrize(("match", "message"), BROKEN, ids=[c[1] for c in BROKEN])
def test_a_wrong_pattern_is_said_with_its_place(match: Any, message: str) -> None:
    with pytest.raises(RulebookError, match=r"x/y\.yaml:1:1: match.*") as error:
        compile_patterns([rule("x/y", match)])
    assert message in str(error.value)


def test_the_schema_names_every_word_of_the_compiler() -> None:
    import json

    from gto_rules.facts.patterns import compile as compiler
    from gto_rules.facts.patterns import value_tests

    schema = json.loads((Path(__file__).parents[2] / "schemas/pattern.schema.json").read_text(encoding="utf-8"))
    matcher, test = schema["$defs"]["matcher"]["anyOf"][2], schema["$defs"]["test"]["anyOf"][2]
    options = {word for words in compiler._OPTIONS.values() for word in words}
    relations = {f"{prefix}{kind}" for kind in compiler._RELATIONS for prefix in ("", "not_", "unsure_")}
    assert set(compiler._OPTIONS) | options | {"within"} <= set(matcher["properties"])
    assert set(matcher["properties"]) <= set(compiler._OPTIONS) | options | relations | {"within", "not", "without"}
    assert set(test["properties"]) == {*value_tests._ON_VALUE, *value_tests._OTHERS}
