"""Which framework a project uses: proof weighed, the launch command first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gto_rules.evaluate.model import Detection
from gto_rules.facts.model import Facts
from gto_rules.facts.signals import Signal
from gto_rules.location import Evidence
from gto_rules.project.model import Launch
from gto_rules.rulebook.model import Rule, Rulebook

NOTHING = "none"
STRENGTHS = ("decisive", "strong", "medium", "weak")
_ENOUGH: Mapping[str, int] = {"decisive": 1, "strong": 1, "medium": 2}


@dataclass(frozen=True, slots=True)
class _Candidate:
    rule: Rule
    signals: tuple[Signal, ...]
    decisive: bool
    reached: bool

    @property
    def name(self) -> str:
        return str(self.rule.data["framework"])

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        ordered = sorted(self.signals, key=lambda s: STRENGTHS.index(s.strength))
        return tuple(dict.fromkeys(s.evidence for s in ordered))[:12]


def detect(facts: Facts, signals: Sequence[Signal], rulebook: Rulebook, launch: Launch | None) -> Detection:
    """The framework with the best proof.

    A signal from the launch command decides. Otherwise code that the launched script reaches beats
    code elsewhere in the project, and between frameworks with enough proof the detector's priority
    decides: an upper framework stands on lower ones, so both are always seen together. Weak signals
    alone never prove anything.
    """
    candidates = [c for c in (_weigh(rule, signals, facts) for rule in rulebook.of("detector")) if c is not None]
    training = [c for c in candidates if c.rule.data["role"] == "training"]
    engines = [c for c in candidates if c.rule.data["role"] == "inference"]
    chosen = _best(training, facts) or _best(engines, facts)
    inference = {
        str(rule.data["framework"]): any(c.rule.id == rule.id for c in engines)
        for rule in rulebook.of("detector")
        if rule.data["role"] == "inference"
    }
    return Detection(
        framework=chosen.name if chosen else NOTHING,
        inference=inference,
        multi_node=launch.multi_node if launch else "none",
        evidence=chosen.evidence if chosen else (),
        alternatives={c.name: c.evidence for c in candidates if c is not chosen},
        training=chosen is not None and chosen.rule.data["role"] == "training",
    )


def _weigh(rule: Rule, signals: Iterable[Signal], facts: Facts) -> _Candidate | None:
    own = tuple(s for s in signals if s.framework == rule.data["framework"])
    # Several hits of one signal are one proof seen several times.
    counts = Counter(strength for _, strength in {(s.number, s.strength) for s in own})
    needs: Mapping[str, int] = rule.data.get("needs") or _ENOUGH
    if not any(counts[strength] >= number for strength, number in needs.items()):
        return None
    reachable = facts.project.get("reachable")
    reached = reachable is None or any(s.evidence.path is None or s.evidence.path in reachable for s in own)
    return _Candidate(rule, own, counts["decisive"] > 0, reached)


def _best(candidates: Sequence[_Candidate], facts: Facts) -> _Candidate | None:
    """The decisive candidate, else the reached one, else any; the highest priority of those."""
    for pool in (
        [c for c in candidates if c.decisive],
        [c for c in candidates if c.reached],
        candidates,
    ):
        if pool:
            return max(pool, key=lambda c: (float(c.rule.data["priority"]), c.rule.id))
    return None
