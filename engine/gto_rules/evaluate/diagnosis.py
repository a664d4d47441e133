"""Bottlenecks: rules over metrics, patterns and settings, ranked by what they cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gto_rules.evaluate.auditing import context_of, text
from gto_rules.evaluate.conditions import Context, judge
from gto_rules.evaluate.model import Bottleneck, Text
from gto_rules.facts.model import Facts
from gto_rules.location import Evidence
from gto_rules.rulebook.expressions import evaluate_expression
from gto_rules.rulebook.model import Rule, Rulebook

_SEVERITY = {"high": 0, "medium": 1, "low": 2}
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w.]*)(?::([^}]+))?\}")


def diagnose(facts: Facts, rulebook: Rulebook, packs: frozenset[str] | None = None) -> tuple[Bottleneck, ...]:
    """Every bottleneck whose condition holds, most costly first, then by severity and id."""
    found = []
    for rule in rulebook.of("diagnosis", packs):
        thresholds = {name: t["value"] for name, t in (rule.data.get("thresholds") or {}).items()}
        context = context_of(facts, rulebook, thresholds=thresholds)
        truth = judge(rule.data["when"], context)
        if truth.value is True:
            found.append(_bottleneck(rule, context, truth.evidence))
    return tuple(sorted(found, key=lambda b: (-(b.cost or 0.0), _SEVERITY[b.severity], b.id)))


def _bottleneck(rule: Rule, context: Context, evidence: tuple[Evidence, ...]) -> Bottleneck:
    data = rule.data
    more = [e for condition in data.get("evidence", ()) for e in judge(condition, context).evidence]
    cost = evaluate_expression(data["cost"], context.document) if "cost" in data else None
    gain = data.get("gain") or {}
    return Bottleneck(
        id=rule.id,
        title=text(data["title"]),
        severity=data["severity"],
        evidence=tuple(dict.fromkeys((*evidence, *more))),
        symptom=_filled(data["symptom"], context),
        cause=_filled(data["cause"], context),
        solution=_filled(data["solution"], context),
        gain=_filled(gain["text"], context) if "text" in gain else None,
        remedies=tuple(data.get("remedies", ())),
        cost=float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None,
    )


def _filled(words: Any, context: Context) -> Text:
    return {language: _PLACEHOLDER.sub(lambda m: _figure(m, context), one) for language, one in text(words).items()}


def _figure(found: re.Match[str], context: Context) -> str:
    """``{dataloader.wait_percent}`` → the measured figure, or a dash where there is none."""
    metrics: Mapping[str, Any] = context.facts.metrics or {}
    value = metrics.get(found[1], (context.extra.get("thresholds") or {}).get(found[1]))
    if value is None:
        return "–"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return format(value, found[2] or ".3g")
    return str(value)
