"""Which remedies to try, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

from gto_rules.evaluate.model import AuditVerdict, Bottleneck, ItemStatus
from gto_rules.rulebook.model import Rule, Rulebook

_PRIORITIES = {"P0": 0, "P1": 1, "P2": 2}


def candidates(
    audits: Sequence[AuditVerdict], bottlenecks: Sequence[Bottleneck], rulebook: Rulebook, packs: frozenset[str]
) -> tuple[Rule, ...]:
    """Remedies of the worst bottleneck first, then those of audit items that are off, P0 before P1 before P2."""
    wanted = [remedy for bottleneck in bottlenecks for remedy in bottleneck.remedies]
    items = [
        item
        for audit in audits
        for item in audit.items
        if item.status in (ItemStatus.RECOMMENDED, ItemStatus.NOT_ENABLED) and item.priority in _PRIORITIES
    ]
    items.sort(key=lambda i: (_PRIORITIES[str(i.priority)], i.status is not ItemStatus.RECOMMENDED, i.id))
    wanted += [remedy for item in items for remedy in item.remedies]
    known = {rule.id: rule for rule in rulebook.of("remedy", packs)}
    return tuple(known[one] for one in dict.fromkeys(wanted) if one in known)


def priority_of(remedy: str, audits: Sequence[AuditVerdict]) -> str | None:
    """The strongest priority of the items that name a remedy."""
    found = [str(i.priority) for a in audits for i in a.items if remedy in i.remedies and i.priority in _PRIORITIES]
    return min(found, default=None)


def bottleneck_of(remedy: str, bottlenecks: Sequence[Bottleneck]) -> str | None:
    return next((b.title["en"] for b in bottlenecks if remedy in b.remedies), None)
