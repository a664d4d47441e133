"""Paired comparison of two states of the fork."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gto_rules.loop.changes import switch
from gto_rules.loop.run import Run
from gto_rules.loop.trials import orders, trial
from gto_rules.measure.model import Comparison, TrialResult
from gto_rules.measure.stats import compare


def paired(
    run: Run, changes: Sequence[Mapping[str, Any]], version: str, purpose: str, pairs: int
) -> Comparison | TrialResult:
    """Compare the fork without and with ``changes``; the fork is left with them.

    Returns:
        The comparison, or the first run that failed.
    """
    sides: dict[str, list[TrialResult]] = {"before": [], "after": []}
    most = max(pairs, int(run.limit("most_pairs")))
    try:
        for number, order in enumerate(orders(most), 1):
            for side in order:
                result = trial(run, version, purpose, side=side, command=switch(run, changes, side))
                if result.status != "ok":
                    return result
                sides[side].append(result)
            if number >= pairs:
                found = _compared(run, sides)
                if number == most or run.out_of_budget() or not undecided(run, comparison_json(found)):
                    return found
    finally:
        switch(run, changes, "after")
    return _compared(run, sides)


def _compared(run: Run, sides: Mapping[str, Sequence[TrialResult]]) -> Comparison:
    return compare(
        sides["before"],
        sides["after"],
        loss_tolerance=float(run.limit("loss_tolerance")),
        least=float(run.limit("least_gain")),
    )


def undecided(run: Run, comparison: Mapping[str, Any] | None) -> bool:
    """The interval still allows a gain worth having: another pair, or another state, may tell."""
    if not comparison or comparison["verdict"] != "no_difference":
        return False
    return float(comparison["throughput"]["high"]) > 1 + float(run.limit("undecided_gain"))


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    return {
        "throughput": comparison.throughput.to_json(),
        "verdict": comparison.verdict,
        "pairs": comparison.pairs,
        "loss_parity": dict(comparison.loss_parity),
        "before": dict(comparison.metrics_before),
        "after": dict(comparison.metrics_after),
        "notes": list(comparison.notes),
    }


def product(comparisons: Sequence[Mapping[str, Any]]) -> float:
    """The gain of changes that were each measured on top of those before: the product of the ratios."""
    return math.prod(float(c["throughput"]["ratio"]) for c in comparisons)
