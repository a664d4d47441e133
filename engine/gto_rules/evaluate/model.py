"""Verdicts: what the rules say about the facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from gto_rules.location import Evidence

Text = Mapping[str, str]  # language code -> text; "en" is always there


class ItemStatus(str, Enum):
    """Status of one audit item (the specification's four, and unknown)."""

    ENABLED = "enabled"
    NOT_ENABLED = "not_enabled"
    RECOMMENDED = "recommended"
    NOT_APPLICABLE = "not_applicable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Detection:
    """Which framework a project uses, with the proof.

    ``alternatives`` are frameworks with enough proof that lost by priority or because the launch
    command decided.
    """

    framework: str
    inference: Mapping[str, bool]
    multi_node: str
    evidence: tuple[Evidence, ...]
    alternatives: Mapping[str, tuple[Evidence, ...]]
    training: bool = True

    @property
    def frameworks(self) -> tuple[str, ...]:
        """The training framework and every inference engine found, for choosing packs."""
        return (self.framework, *(n for n, found in self.inference.items() if found and n != self.framework))


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """One audit item judged.

    ``points`` is what it earned, ``max_points`` what it could; ``reason`` says in one sentence
    why the status is what it is; ``remedies`` are ids of rules that would change it.
    """

    id: str
    category: str
    title: Text
    status: ItemStatus
    points: float
    max_points: float
    evidence: tuple[Evidence, ...]
    reason: Text
    priority: str | None = None
    advice: Text | None = None
    gain: Text | None = None
    gain_source: str | None = None
    risk: str | None = None
    remedies: tuple[str, ...] = ()
    group: str | None = None


@dataclass(frozen=True, slots=True)
class CategoryVerdict:
    """``score`` of the fixed ``max``; ``applicable`` is the part of ``max`` that applies here."""

    id: str
    title: Text
    score: float
    max: float
    applicable: float
    items: tuple[ItemVerdict, ...]


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    id: str
    title: Text
    report: str
    score: float
    max: float
    applicable: float
    categories: tuple[CategoryVerdict, ...]
    basics: tuple[tuple[Text, str, Evidence | None], ...] = ()

    @property
    def items(self) -> tuple[ItemVerdict, ...]:
        return tuple(i for c in self.categories for i in c.items)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "score": self.score,
            "max": self.max,
            "applicable": self.applicable,
            "title": dict(self.title),
            "report": self.report,
            "basics": [
                {"title": dict(title), "value": value, "evidence": evidence.to_json() if evidence else None}
                for title, value, evidence in self.basics
            ],
            "categories": [
                {
                    "id": c.id,
                    "title": dict(c.title),
                    "score": c.score,
                    "max": c.max,
                    "applicable": c.applicable,
                    "items": [
                        {
                            "id": i.id,
                            "title": dict(i.title),
                            "status": i.status.value,
                            "points": i.points,
                            "max": i.max_points,
                            "priority": i.priority,
                            "reason": dict(i.reason),
                            "advice": dict(i.advice) if i.advice else None,
                            "gain": dict(i.gain) if i.gain else None,
                            "gain_source": i.gain_source,
                            "risk": i.risk,
                            "evidence": [e.to_json() for e in i.evidence],
                            "remedies": list(i.remedies),
                        }
                        for i in c.items
                    ],
                }
                for c in self.categories
            ],
        }


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """One diagnosed bottleneck. ``cost`` estimates the share of step time it takes (0 to 1), or None."""

    id: str
    title: Text
    severity: str  # high | medium | low
    evidence: tuple[Evidence, ...]
    symptom: Text
    cause: Text
    solution: Text
    gain: Text | None
    remedies: tuple[str, ...]
    cost: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "severity": self.severity,
            "title": dict(self.title),
            "evidence": [e.to_json() for e in self.evidence],
            "symptom": dict(self.symptom),
            "cause": dict(self.cause),
            "solution": dict(self.solution),
            "gain": dict(self.gain) if self.gain else None,
            "remedies": list(self.remedies),
            "cost": self.cost,
        }
