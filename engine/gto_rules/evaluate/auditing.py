"""Audits: every item judged, points added up by group and category."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gto_rules.evaluate.conditions import Context, Truth, judge
from gto_rules.evaluate.model import AuditVerdict, CategoryVerdict, ItemStatus, ItemVerdict, Text
from gto_rules.facts.model import Facts
from gto_rules.location import Evidence
from gto_rules.rulebook.expressions import evaluate_expression
from gto_rules.rulebook.model import Rule, Rulebook


def text(value: Any) -> Text:
    """Words of a rule as a mapping by language."""
    return value if isinstance(value, Mapping) else {"en": str(value)}


def context_of(facts: Facts, rulebook: Rulebook, **extra: Any) -> Context:
    """The context in which the rules of a rulebook are judged."""
    fragments = {rule.id: rule.data["condition"] for rule in rulebook.of("fragment")}
    return Context(facts, fragments, extra)


def audit(facts: Facts, rulebook: Rulebook, packs: frozenset[str]) -> tuple[AuditVerdict, ...]:
    """The verdict of every audit of the active packs whose ``when`` holds."""
    context = context_of(facts, rulebook)
    verdicts = []
    for rule in rulebook.of("audit", packs):
        if judge(rule.data.get("when", True), context).value is True:
            items = [i for i in rulebook.of("item") if i.data["audit"] == rule.id]
            verdicts.append(_audit(rule, items, context))
    return tuple(verdicts)


def _audit(rule: Rule, items: Sequence[Rule], context: Context) -> AuditVerdict:
    data = rule.data
    categories = tuple(
        _category(c, [i for i in items if i.data["category"] == c["id"]], context) for c in data["categories"]
    )
    return AuditVerdict(
        rule.id,
        text(data["title"]),
        data["report"],
        sum(c.score for c in categories),
        data["max"],
        sum(c.applicable for c in categories),
        categories,
        tuple(_basic(row, context) for row in data.get("basics", ())),
    )


def _category(data: Mapping[str, Any], items: Sequence[Rule], context: Context) -> CategoryVerdict:
    excluded = judge(data.get("applies_when", True), context)
    verdicts = tuple(_item(item, context, excluded) for item in items)
    groups: Mapping[str, Any] = data.get("groups") or {}
    earned = _points(verdicts, groups, lambda v: v.points)
    applicable = _points(verdicts, groups, lambda v: 0.0 if v.status is ItemStatus.NOT_APPLICABLE else v.max_points)
    maximum = float(data["max"])
    return CategoryVerdict(
        data["id"], text(data["title"]), min(earned, maximum), maximum, min(applicable, maximum), verdicts
    )


def _points(verdicts: Iterable[ItemVerdict], groups: Mapping[str, Any], value: Any) -> float:
    """Points of a category: ungrouped items add up; a group gives its best, or its sum, up to its cap."""
    total = 0.0
    by_group: dict[str, list[float]] = {}
    for verdict in verdicts:
        if verdict.group in groups:
            by_group.setdefault(str(verdict.group), []).append(value(verdict))
        else:
            total += value(verdict)
    for name, points in by_group.items():
        group = groups[name]
        total += min(max(points) if group["mode"] == "best_of" else sum(points), float(group["max"]))
    return total


def _item(rule: Rule, context: Context, category: Truth) -> ItemVerdict:
    data = rule.data
    applies = judge(data.get("applies_when", True), context)
    enabled = judge(data["enabled"], context)
    status, truth, reason = _status(data, context, category, applies, enabled)
    gain = data.get("gain") or {}
    return ItemVerdict(
        id=rule.id,
        category=data["category"],
        title=text(data["title"]),
        status=status,
        points=float(data["points"]) if status is ItemStatus.ENABLED else 0.0,
        max_points=float(data["points"]),
        evidence=truth.evidence,
        reason=reason,
        priority=data.get("priority"),
        advice=text(data["advice"]) if "advice" in data else None,
        gain=text(gain["text"]) if "text" in gain else None,
        gain_source=gain.get("source"),
        risk=data.get("risk"),
        remedies=tuple(data.get("remedies", ())),
        group=data.get("group"),
    )


def _status(
    data: Mapping[str, Any], context: Context, category: Truth, applies: Truth, enabled: Truth
) -> tuple[ItemStatus, Truth, Text]:
    for truth in (category, applies):
        # What is on is on, even where one would not have recommended it.
        if truth.value is False and enabled.value is not True:
            why = text(data["not_applicable"]) if "not_applicable" in data else _not_applicable(truth)
            return ItemStatus.NOT_APPLICABLE, truth, why
    if enabled.value is True:
        return ItemStatus.ENABLED, enabled, _WORDS["enabled"]
    if enabled.value is None:
        return ItemStatus.UNKNOWN, enabled, _unknown(enabled)
    recommended = judge(data.get("recommended_when", False), context)
    if recommended.value is True:
        evidence = enabled.evidence or recommended.evidence
        return ItemStatus.RECOMMENDED, Truth(False, evidence), _WORDS["recommended"]
    return ItemStatus.NOT_ENABLED, enabled, _not_enabled(recommended, applies)


_WORDS: dict[str, Text] = {
    "enabled": {"en": "It is on.", "zh": "已启用。"},
    "recommended": {"en": "It is off, and this project would profit from it.", "zh": "未启用，建议本项目启用。"},
}


def _not_applicable(truth: Truth) -> Text:
    why = f": {truth.reason}" if truth.reason else ""
    return {"en": f"It does not apply here{why}.", "zh": f"此处不适用{why}。"}


def _unknown(truth: Truth) -> Text:
    return {"en": f"It cannot be decided without running: {truth.reason}.", "zh": f"无法静态判定：{truth.reason}。"}


def _not_enabled(recommended: Truth, applies: Truth) -> Text:
    doubt = applies.reason if applies.value is None else recommended.reason if recommended.value is None else ""
    if doubt:
        return {
            "en": f"It is off. Whether it should be on cannot be said: {doubt}.",
            "zh": f"未启用；是否应启用无法判断：{doubt}。",
        }
    return {"en": "It is off.", "zh": "未启用。"}


def _basic(row: Mapping[str, Any], context: Context) -> tuple[Text, str, Evidence | None]:
    """One row of the basics section: the first of its sources that is there."""
    title = text(row["title"])
    names = row.get("setting", ())
    for name in [names] if isinstance(names, str) else names:
        setting = context.facts.settings.get(name)
        if setting is not None and setting.kind == "computed":
            return title, "?", setting.evidence
        if setting is not None and setting.value is not None:
            return title, str(setting.value), setting.evidence
    for name in row.get("import", ()):
        truth = judge({"import": name}, context)
        if truth.value:
            return title, name.rpartition(".")[2], truth.evidence[0]
    if "pattern" in row:
        truth = judge({"pattern": row["pattern"]}, context)
        if truth.value:
            return title, truth.evidence[0].text, truth.evidence[0]
    if "expr" in row:
        value = evaluate_expression(row["expr"], context.document)
        if value not in (None, "", [], {}):
            return title, ", ".join(map(str, value)) if isinstance(value, list) else str(value), None
    return title, "", None
