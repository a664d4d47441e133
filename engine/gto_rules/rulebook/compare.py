"""What changed between two states of a pack, and which verdicts can change by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gto_rules.rulebook.model import Rule

# Keys that people read and no verdict depends on.
_WORDS = frozenset(
    (
        *("title", "message", "why", "advice", "description", "symptom", "cause", "solution", "needs"),
        *("example", "note", "references", "false_alarms", "since", "status", "gain", "replaces", "verified"),
    )
)
_WEIGHT = frozenset(("severity", "priority", "points", "max", "group", "category", "audit", "risk"))


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    Attributes:
        rule: Id of the rule.
        kind: Of the rule.
        effect: ``new``, ``removed``, ``verdict`` (what is found can change), ``weight`` (severity, points or
            priority of what is found), ``fix`` (what is changed in a project), or ``words``.
        path: Dotted key, "" for a whole rule.
        before: Old value, None if there was none.
        after: New value.
    """

    rule: str
    kind: str
    effect: str
    path: str = ""
    before: Any = None
    after: Any = None

    def to_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "kind": self.kind,
            "effect": self.effect,
            "path": self.path,
            "before": self.before,
            "after": self.after,
        }


def compare(before: Mapping[str, Rule], after: Mapping[str, Rule]) -> list[Change]:
    """Every difference of two sets of rules, by rule id and key.

    Args:
        before: Rules by id.
        after: Rules by id.
    """
    changes: list[Change] = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None and new is not None:
            changes.append(Change(name, new.kind, "new"))
        elif new is None and old is not None:
            changes.append(Change(name, old.kind, "removed"))
        elif old is not None and new is not None:
            changes += (
                Change(name, new.kind, _effect(new.kind, path), path, one, other)
                for path, one, other in _differing(old.data, new.data)
            )
    return changes


def _differing(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(k for k in new if k not in old)]:
            yield from _differing(old.get(key), new.get(key), f"{path}.{key}" if path else str(key))
    elif old != new:
        yield path, old, new


def _effect(kind: str, path: str) -> str:
    key = path.partition(".")[0]
    if key in _WORDS or path.endswith(".source"):
        return "words"
    if key == "fix" or (kind in ("remedy", "repair") and key in ("set", "edits")):
        return "fix"
    # An item that is enabled is a condition; a finding that is, a switch: both decide what is found.
    return "weight" if key in _WEIGHT else "verdict"
