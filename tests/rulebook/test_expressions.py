"""Expressions: what is wrong is said before a project is read, and evaluating one never fails."""

from __future__ import annotations

import pytest
from gto_rules.rulebook.conditions import conditions, expressions
from gto_rules.rulebook.expressions import Names, check_expression, evaluate_expression, referenced
from hypothesis import given
from hypothesis import strategies as st

NAMES = Names(
    frozenset(("half_precision", "warm_up", "loader.workers")),
    frozenset(("acme/compiled",)),
    frozenset(("thresholds",)),
)

RIGHT = [
    "settings.half_precision.value == `true`",
    'settings."loader.workers".value || `0`',
    'length(patterns."acme/compiled") > `0`',
    "hardware.gpus[0].name",
    "hardware.gpus[?memory > `1`].name | [0]",
    "thresholds.anything",
    "known(launch.entry) && !(detection.training)",
    "between(settings.warm_up.value, `1`, `3`)",
    "max([settings.warm_up.value, `1`])",
    "{a: settings.warm_up.value, b: launch.launcher}",
    "dependencies.anything.version",
    "not_null(launch.nnodes, launch.nproc_per_node, `1`)",
]

# expression → offset, message, hint
WRONG = {
    "settings.half_precison.value": (9, "unknown setting 'half_precison'", "half_precision"),
    'settings."loader.worker".value': (10, "unknown setting 'loader.worker'", "loader.workers"),
    "settings.loader.workers": (9, "unknown setting 'loader'", "loader.workers"),
    'patterns."acme/compild"': (10, "unknown pattern 'acme/compild'", "acme/compiled"),
    "hardwre.gpus": (0, "unknown name 'hardwre'", "hardware"),
    "launch.entri": (7, "unknown name 'entri' below 'launch'", "entry"),
    "launch.entry && lanch.entry": (16, "unknown name 'lanch'", "launch"),
    "[settings.warm_up.value, settings.warm.value]": (34, "unknown setting 'warm'", "warm_up"),
    "{a: settings.warm.value}": (13, "unknown setting 'warm'", "warm_up"),
    "!(settings.warm.value)": (11, "unknown setting 'warm'", "warm_up"),
    "settings.warm.value | [0]": (9, "unknown setting 'warm'", "warm_up"),
    "settings.warm.value[?x > `1`]": (9, "unknown setting 'warm'", "warm_up"),
    "known(settings.warm.value)": (15, "unknown setting 'warm'", "warm_up"),
    "known(launch) && !launch.entry": (17, "'!' takes only the first name", None),
    "!hardware.gpus[0]": (0, "'!' takes only the first name", None),
    "launch.entry == `train`": (16, "between backticks is not JSON", None),
    "lenght(launch)": (0, "unknown function 'lenght'", "length"),
    "known()": (0, "'known' takes 1 argument(s), 0 given", None),
    "between(`1`, `2`)": (0, "'between' takes 3 argument(s), 2 given", None),
    "whole(`1`, `2`)": (0, "'whole' takes 1 argument(s), 2 given", None),
    "launch.": (7, "not a JMESPath expression", None),
    "launch.entry = `1`": (13, "not a JMESPath expression", None),
    "launch.nnodes > 1": (16, "not a JMESPath expression", None),
    "": (0, "not a JMESPath expression", None),
    "(" * 3000: (0, "not a JMESPath expression", None),
}


@pytest.mark.parametrize("text", RIGHT)
def test_what_is_right_passes(text: str) -> None:
    assert list(check_expression(text, NAMES)) == []


@pytest.mark.parametrize("text", WRONG, ids=lambda t: t[:40] or "empty")
def test_what_is_wrong_is_named(text: str) -> None:
    offset, message, near = WRONG[text]
    (found,) = check_expression(text, NAMES)
    assert message in found.message
    assert found.offset == offset
    assert near is None or found.hint == f"did you mean '{near}'?"


def test_names_that_an_expression_reads() -> None:
    text = 'settings.a.value == settings.b.value && known(settings."c.d") && patterns.x'
    assert sorted(set(referenced(text, "settings"))) == ["a", "b", "c.d"]


# expression, document → value
VALUES = [
    ("version_in(v, '>=4.40')", {"v": "4.41.0"}, True),
    ("version_in(v, '>=4.40')", {"v": "4.40.0.dev0"}, False),
    ("version_in(v, '>=4.40')", {"v": None}, None),
    ("version_in(v, '>=4.40')", {"v": "main"}, None),
    ("version_in(v, 'new')", {"v": "4.41.0"}, None),
    ("between(x, `1`, `3`)", {"x": 3}, True),
    ("between(x, `1`, `3`)", {"x": 3.01}, False),
    ("between(x, `1`, `3`)", {}, None),
    ("between(x, `1`, `3`)", {"x": "two"}, None),
    ("known(x.y)", {"x": {"y": 0}}, True),
    ("known(x.y)", {"x": None}, False),
    ("divide(a, b)", {"a": 1, "b": 4}, 0.25),
    ("divide(a, b)", {"a": 1, "b": 0}, None),
    ("divide(a, b)", {"a": None, "b": 2}, None),
    ("multiply(a, b)", {"a": 3, "b": 4}, 12),
    ("subtract(a, b)", {"a": 3, "b": 4}, -1),
    ("subtract(a, b)", {"a": 3}, None),
    ("clamp(x, `1`, `4`)", {"x": 9}, 4),
    ("clamp(x, `1`, `4`)", {"x": -9}, 1),
    ("whole(x)", {"x": -2.7}, -2),
    ("whole(x)", {"x": float("inf")}, None),
    ("whole(x)", {"x": float("nan")}, None),
    ("length(x)", {"x": 3}, None),
    ("x > `1`", {"x": "text"}, None),
    ("x.y.z", {"x": [1]}, None),
]


@pytest.mark.parametrize(("text", "document", "value"), VALUES)
def test_values(text: str, document: dict[str, object], value: object) -> None:
    found = evaluate_expression(text, document)
    assert found == value and type(found) is type(value)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abx"), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(sorted({text for text, _, _ in VALUES})), st.dictionaries(st.sampled_from("abxv"), _JSON))
def test_evaluating_never_fails(text: str, document: dict[str, object]) -> None:
    evaluate_expression(text, document)


@given(st.text(alphabet="ab.[]{}()|&!<>=`'\"?*@:, 1", max_size=25))
def test_checking_never_fails(text: str) -> None:
    for found in check_expression(text, NAMES):
        assert found.message and 0 <= found.offset <= len(text)


def test_conditions_are_found_wherever_they_stand() -> None:
    data = {
        "enabled": {"all": [{"setting": "a"}, {"not": {"any": ["x", {"pattern": "p"}]}}]},
        "categories": [{"applies_when": "y"}],
        "excludes": [{"setting": "b"}],
        "set": {"a": {"expr": "z", "default": 1}},
        "cost": "c",
    }
    leaves = {at: c for c, at in conditions(data) if isinstance(c, str) or not {"all", "any", "not"} & set(c)}
    assert leaves == {
        ("enabled", "all", 0): {"setting": "a"},
        ("enabled", "all", 1, "not", "any", 0): "x",
        ("enabled", "all", 1, "not", "any", 1): {"pattern": "p"},
        ("categories", 0, "applies_when"): "y",
        ("excludes", 0): {"setting": "b"},
    }
    assert sorted(text for text, _ in expressions(data)) == ["c", "x", "y", "z"]
