"""Before against after: what counts as a difference, and what never may."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest
from gto_rules.measure.model import TrialResult
from gto_rules.measure.stats import compare, loss_parity, noise_floor, over_pairs
from hypothesis import given
from hypothesis import strategies as st


def run(speed: float, losses: Sequence[float] = ()) -> TrialResult:
    return TrialResult("ok", 0, {"throughput.samples_per_s": speed}, losses=tuple(enumerate(losses)))


def runs(*speeds: float) -> list[TrialResult]:
    return [run(speed) for speed in speeds]


@pytest.mark.parametrize("pairs", [3, 5, 6, 12, 40])
def test_equal_states_differ_no_more_often_than_the_interval_says(pairs: int) -> None:
    dice = random.Random(pairs)
    trials = 400 if pairs < 20 else 40  # a resample of many pairs takes its time
    wrong = 0
    for _ in range(trials):
        before, after = ([dice.lognormvariate(6.0, 0.08) for _ in range(pairs)] for _ in range(2))
        wrong += compare(runs(*before), runs(*after)).verdict != "no_difference"
    # 5 % with a margin of three standard deviations of the count.
    assert wrong <= trials * 0.05 + 3 * math.sqrt(trials * 0.05 * 0.95)


def test_a_real_gain_is_seen_through_noise() -> None:
    dice = random.Random(1)
    before = [dice.lognormvariate(6.0, 0.02) for _ in range(5)]
    found = compare(runs(*before), runs(*(1.2 * b * dice.lognormvariate(0.0, 0.02) for b in before)))
    assert found.verdict == "faster" and 1.15 < found.throughput.ratio < 1.25


@pytest.mark.parametrize(("after", "verdict"), [(1.2, "faster"), (0.8, "slower"), (1.005, "no_difference")])
def test_the_least_gain_worth_a_word(after: float, verdict: str) -> None:
    before = (100.0, 110.0, 90.0)
    assert compare(runs(*before), runs(*(after * b for b in before)), least=0.01).verdict == verdict


def test_one_pair_says_nothing() -> None:
    found = compare(runs(100.0), runs(300.0))
    assert found.verdict == "no_difference" and math.isinf(found.throughput.high)


@given(st.lists(st.floats(0.2, 5.0), min_size=2, max_size=40))
def test_the_interval_holds_the_mean_and_turns_round_with_the_sides(ratios: list[float]) -> None:
    one, other = over_pairs(ratios), over_pairs([1 / r for r in ratios])
    slack = 1e-9
    assert one.low <= one.ratio * (1 + slack) and one.ratio <= one.high * (1 + slack)
    assert other.ratio == pytest.approx(1 / one.ratio)
    assert over_pairs(ratios) == one


def test_runs_without_a_shared_figure_are_refused() -> None:
    with pytest.raises(ValueError, match="share no throughput"):
        compare([TrialResult("ok", 0)], runs(1.0))
    with pytest.raises(ValueError, match="no pairs"):
        compare([], [])


def test_noise_is_half_the_spread_of_equal_runs() -> None:
    assert noise_floor(runs(90.0, 110.0)) == pytest.approx(0.1)
    assert noise_floor(runs(90.0)) == 0.0


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ([[1.0, 0.9]], [[1.0, 0.9]], True),
        ([[1.0, 0.9]], [[1.0, 0.93]], True),
        ([[1.0, 0.9]], [[1.0, 1.5]], False),
        ([[1.0, 0.9]], [[1.0, math.nan]], False),
        ([[1.0, 0.9]], [[]], None),
        ([[1.0], [1.4]], [[1.3], [1.2]], True),  # random by itself: 40 % apart without a change
    ],
)
def test_loss_parity(before: list[list[float]], after: list[list[float]], same: bool | None) -> None:
    sides = [[run(1.0, losses) for losses in side] for side in (before, after)]
    assert loss_parity(*sides, 0.02)["same"] is same


def test_losses_are_compared_over_the_same_steps_alone() -> None:
    longer = run(1.0, [1.0, 0.9, 0.1])
    found = loss_parity([run(1.0, [1.0, 0.9])], [longer], 0.02)
    assert found["same"] is True and found["steps"] == 2
