"""Paired comparison of two states of the fork."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gto_rules.loop.changes import switch
from gto_rules.loop.run import Run
from gto_rules.loop.trials import order_of_pairs, trial
from gto_rules.measure.model import Comparison, TrialResult
from gto_rules.measure.stats import compare, noise_floor


def paired(
    run: Run, changes: Sequence[Mapping[str, Any]], version: str, purpose: str, pairs: int
) -> Comparison | TrialResult:
    """Compare the fork without and with ``changes``; the fork is left with them.

    Returns:
        The comparison, or the first run that failed.
    """
    sides: dict[str, list[TrialResult]] = {"before": [], "after": []}
    try:
        for side in order_of_pairs(pairs):
            command = switch(run, changes, side)
            result = trial(run, version, purpose, side=side, command=command)
            if result.status != "ok":
                return result
            sides[side].append(result)
    finally:
        switch(run, changes, "after")
    return compare(
        sides["before"],
        sides["after"],
        loss_tolerance=float(run.limit("loss_tolerance")),
        noise=min(noise_floor(sides["before"]), noise_floor(sides["after"])),
    )


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
