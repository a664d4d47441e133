"""Points, statuses and the three-valued logic below them, on small rulebooks of their own."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from gto_rules.evaluate.auditing import audit
from gto_rules.evaluate.conditions import Context, judge
from gto_rules.evaluate.diagnosis import diagnose
from gto_rules.evaluate.model import AuditVerdict
from gto_rules.facts.model import Facts, Origin, SettingValue
from gto_rules.rulebook.model import Rule, Rulebook
from hypothesis import given
from hypothesis import strategies as st


def facts(metrics: dict[str, Any] | None = None, **settings: Any) -> Facts:
    """Facts with literal settings; ``...`` stands for a value that is computed at run time."""
    values = {
        name: SettingValue(
            name,
            None if value is ... else value,
            "computed" if value is ... else "literal",
            Origin("config", "a.yaml", 3, value=value, key=name, reason="depends on the host"),
        )
        for name, value in settings.items()
    }
    return Facts({}, None, {}, {}, settings=values, metrics=metrics)


def item(name: str, **data: Any) -> Rule:
    base = {"audit": "p/a", "category": "A", "title": name, "points": 2, "enabled": {"setting": name, "equals": True}}
    return Rule(f"p/{name}", "item", "p", {**base, **data}, "p/items.yaml")


def verdict(items: list[Rule], found: Facts, **category: Any) -> AuditVerdict:
    data = {"title": "A", "report": "a.md", "max": 10, "categories": [{"id": "A", "title": "A", "max": 10, **category}]}
    book = Rulebook({}, (Rule("p/a", "audit", "p", data, "p/a.yaml"), *items), "")
    (one,) = audit(found, book, frozenset({"p"}))
    return one


@pytest.mark.parametrize(
    ("value", "data", "status", "points"),
    [
        (True, {}, "enabled", 2),
        (False, {}, "not_enabled", 0),
        (None, {}, "not_enabled", 0),
        (..., {}, "unknown", 0),
        (False, {"recommended_when": True}, "recommended", 0),
        (..., {"recommended_when": True}, "unknown", 0),
        (False, {"applies_when": False}, "not_applicable", 0),
        (..., {"applies_when": False}, "not_applicable", 0),
        # What is on is on, even where one would not have recommended it.
        (True, {"applies_when": False}, "enabled", 2),
        (False, {"applies_when": {"setting": "other", "equals": True}, "recommended_when": False}, "not_enabled", 0),
    ],
)
def test_status_of_an_item(value: Any, data: dict[str, Any], status: str, points: float) -> None:
    (one,) = verdict([item("x", **data)], facts(x=value, other=...)).items
    assert (one.status.value, one.points) == (status, points)
    assert one.reason["en"] and one.reason["zh"]


def test_an_unknown_value_names_its_place() -> None:
    (one,) = verdict([item("x")], facts(x=...)).items
    assert [(e.path, e.line) for e in one.evidence] == [("a.yaml", 3)] and "depends on the host" in one.reason["en"]


@pytest.mark.parametrize(
    ("mode", "cap", "points"), [("best_of", 5, 3), ("sum", 5, 5), ("sum", 4, 4), ("best_of", 2, 2)]
)
def test_groups_give_their_best_or_their_sum_up_to_the_cap(mode: str, cap: float, points: float) -> None:
    items = [item("x", group="g", points=2), item("y", group="g", points=3), item("z", group="g", points=4)]
    found = verdict(items, facts(x=True, y=True, z=False), groups={"g": {"mode": mode, "max": cap}})
    assert found.score == points


@given(st.lists(st.tuples(st.sampled_from([True, False, None, ...]), st.booleans()), max_size=8))
def test_a_category_never_earns_more_than_applies(rows: list[tuple[Any, bool]]) -> None:
    items = [item(f"s{n}", applies_when=applies) for n, (_, applies) in enumerate(rows)]
    found = verdict(items, facts(**{f"s{n}": value for n, (value, _) in enumerate(rows)}))
    assert 0 <= found.score <= found.applicable <= found.max == 10


def truth(condition: Any, **settings: Any) -> bool | None:
    return judge(condition, Context(facts(**settings))).value


@pytest.mark.parametrize(("a", "b"), list(product([True, False, ...], repeat=2)))
def test_three_valued_logic(a: Any, b: Any) -> None:
    """Kleene's tables: unknown unless the known part decides."""
    one, two = {"setting": "a", "equals": True}, {"setting": "b", "equals": True}
    values = [None if v is ... else v for v in (a, b)]
    both = False if False in values else None if None in values else True
    either = True if True in values else None if None in values else False
    assert truth({"all": [one, two]}, a=a, b=b) is both
    assert truth({"any": [one, two]}, a=a, b=b) is either
    assert truth({"not": one}, a=a) is (None if a is ... else not a)


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ({"setting": "x", "equals": 1}, True, False),
        ({"setting": "x", "equals": "no"}, "No", True),
        ({"setting": "x", "min": 3}, 3, True),
        ({"setting": "x", "min": 3}, 2, False),
        ({"setting": "x", "min": 3}, ..., None),
        ({"setting": "x", "in": [1, 2]}, 2, True),
        ({"setting": "x", "set": True}, ..., True),
        ({"setting": "missing", "set": True}, 1, False),
        ("settings.x.value > `3`", 4, True),
        ("settings.x.value > `3`", ..., None),
        (True, None, True),
        (5, None, None),
    ],
)
def test_conditions(condition: Any, value: Any, expected: bool | None) -> None:
    assert truth(condition, x=value) is expected


def bottleneck(name: str, **data: Any) -> Rule:
    words = dict.fromkeys(("title", "cause", "solution"), name)
    base = {"severity": "low", "when": "metrics.wait > thresholds.most", **words}
    return Rule(f"p/{name}", "diagnosis", "p", {**base, "symptom": "waits {wait:.1f} %", **data}, "p/d.yaml")


def test_bottlenecks_come_by_cost_then_severity() -> None:
    rules = [
        bottleneck("small", thresholds={"most": {"value": 10}}, severity="high"),
        bottleneck("costly", thresholds={"most": {"value": 10}}, cost="divide(metrics.wait, `100`)"),
        bottleneck("minor", thresholds={"most": {"value": 10}}),
        bottleneck("quiet", thresholds={"most": {"value": 90}}),
    ]
    found = diagnose(facts({"wait": 40.0}), Rulebook({}, tuple(rules), ""))
    assert [b.id for b in found] == ["p/costly", "p/small", "p/minor"]
    assert found[0].cost == pytest.approx(0.4) and found[0].symptom["en"] == "waits 40.0 %"
    assert diagnose(facts({}), Rulebook({}, tuple(rules), "")) == ()
