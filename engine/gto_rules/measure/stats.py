"""Before against after: paired runs, an interval over pairs, the loss beside the speed."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from gto_rules.measure.model import Comparison, Interval, TrialResult

CONFIDENCE = 0.95
RESAMPLES = 4000
# Two-sided 95 % quantiles of Student's t for 1, 2, 3 ... degrees of freedom
# (https://www.itl.nist.gov/div898/handbook/eda/section3/eda3672.htm).
# fmt: off
_STUDENT = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)
# fmt: on
# A percentile bootstrap of few pairs is too narrow: of equal states, 12 % differed over 6 pairs and 9 % over 12,
# where 5 % should. Below this many pairs the interval is Student's, of the logarithms of the ratios.
BOOTSTRAP_PAIRS = len(_STUDENT) + 2

_SPEEDS = ("throughput.samples_per_s", "throughput.steps_per_s")


def compare(
    before: Sequence[TrialResult],
    after: Sequence[TrialResult],
    *,
    loss_tolerance: float = 0.02,
    least: float = 0.0,
) -> Comparison:
    """Compare runs that were made in pairs (``before[i]`` beside ``after[i]``).

    The ratio is the geometric mean over pairs of after/before throughput; its interval is taken over
    *pairs* (steps within a run are not independent). A difference smaller than ``least``, or whose
    interval includes 1, counts as none.

    Args:
        before: Runs of the state before, all with status ``ok``.
        after: Runs of the state after, as many.
        loss_tolerance: Relative difference of the mean loss over the same steps that is the same.
        least: Smallest relative difference that is worth a word, e.g. 0.01.

    Raises:
        ValueError: no pairs, or runs that share no throughput.
    """
    pairs = list(zip(before, after, strict=True))
    speed = _shared_speed(pairs)
    ratios = [b.metrics[speed] / a.metrics[speed] for a, b in pairs]
    interval = over_pairs(ratios)
    return Comparison(
        throughput=interval,
        verdict=_verdict(interval, least),
        pairs=len(pairs),
        loss_parity=loss_parity(before, after, loss_tolerance),
        metrics_before=middle(before),
        metrics_after=middle(after),
        notes=(f"throughput is {speed}", f"equal runs differed by up to {noise_floor(before):.1%}"),
    )


def _shared_speed(pairs: Sequence[tuple[TrialResult, TrialResult]]) -> str:
    if not pairs:
        raise ValueError("there are no pairs to compare")
    for name in _SPEEDS:
        if all(one.metrics.get(name, 0.0) > 0 for pair in pairs for one in pair):
            return name
    raise ValueError("the runs share no throughput figure")


def _verdict(interval: Interval, least: float) -> Literal["faster", "slower", "no_difference"]:
    if interval.low > 1.0 and interval.ratio > 1.0 + least:
        return "faster"
    if interval.high < 1.0 and interval.ratio < 1.0 - least:
        return "slower"
    return "no_difference"


def over_pairs(ratios: Sequence[float]) -> Interval:
    """Geometric mean of ratios with its 95 % interval over pairs; the same input gives the same output.

    Few pairs give Student's interval of the logarithms, many the percentile bootstrap with a fixed
    seed. With one pair the interval says nothing and is infinite.
    """
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.fmean(logs)
    if len(logs) == 1:
        return Interval(math.exp(mean), 0.0, math.inf)
    if len(logs) < BOOTSTRAP_PAIRS:
        half = _STUDENT[len(logs) - 2] * statistics.stdev(logs) / math.sqrt(len(logs))
        return Interval(math.exp(mean), math.exp(mean - half), math.exp(mean + half))
    dice = random.Random(0)
    means = sorted(statistics.fmean(dice.choices(logs, k=len(logs))) for _ in range(RESAMPLES))
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = means[int(tail * (len(means) - 1))], means[math.ceil((1.0 - tail) * (len(means) - 1))]
    return Interval(math.exp(mean), math.exp(low), math.exp(high))


def noise_floor(runs: Sequence[TrialResult]) -> float:
    """Half the relative spread of equal runs' throughput; 0 with fewer than two."""
    for name in _SPEEDS:
        speeds = [run.metrics[name] for run in runs if name in run.metrics]
        if len(speeds) == len(runs) and len(speeds) > 1:
            return (max(speeds) - min(speeds)) / (2.0 * statistics.fmean(speeds))
    return 0.0


def loss_parity(before: Sequence[TrialResult], after: Sequence[TrialResult], tolerance: float) -> Mapping[str, Any]:
    """Whether the loss over the same steps stayed the same.

    ``same`` is None when a side recorded no loss. The tolerance widens to twice what the runs of one
    side differ by among themselves, because training that is random anyway cannot be held to more.
    """
    sides = [[dict(run.losses) for run in runs if run.losses] for runs in (before, after)]
    if not all(sides):
        return {"same": None, "reason": "no loss was recorded"}
    steps = set.intersection(*(set(losses) for side in sides for losses in side))
    if not steps:
        return {"same": None, "reason": "the runs share no step with a loss"}
    means = [[statistics.fmean(losses[n] for n in steps) for losses in side] for side in sides]
    own = max(max(side) - min(side) for side in means)
    first, second = statistics.fmean(means[0]), statistics.fmean(means[1])
    scale = max(abs(first), 1e-12)
    allowed = max(tolerance, 2.0 * own / scale)
    difference = abs(second - first) / scale
    finite = all(math.isfinite(value) for side in means for value in side)
    return {
        "same": finite and difference <= allowed,
        "before": first,
        "after": second,
        "relative_difference": difference,
        "tolerance": allowed,
        "steps": len(steps),
    }


def middle(runs: Sequence[TrialResult]) -> dict[str, float]:
    """The median of every figure that all runs have."""
    names = set.intersection(*(set(run.metrics) for run in runs)) if runs else set()
    return {name: statistics.median(run.metrics[name] for run in runs) for name in sorted(names)}
