"""Which remedies a later round tries again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from gto_rules.loop.rounds import _settled
from gto_rules.loop.run import Run

OPEN = {"verdict": "no_difference", "throughput": {"ratio": 1.08, "low": 0.99, "high": 1.19}}
SHUT = {"verdict": "no_difference", "throughput": {"ratio": 1.0, "low": 0.99, "high": 1.01}}
SLOWER = {"verdict": "slower", "throughput": {"ratio": 0.8, "low": 0.7, "high": 0.9}}


@pytest.mark.parametrize(
    ("last", "applied", "settled"),
    [
        ({}, [], False),
        ({"status": "unverified"}, [], False),
        ({"status": "verified", "comparison": None, "below": []}, ["b"], True),
        ({"status": "rejected", "comparison": OPEN, "below": []}, [], True),
        ({"status": "rejected", "comparison": OPEN, "below": []}, ["b"], False),
        ({"status": "rejected", "comparison": OPEN, "below": ["b"]}, ["b"], True),
        ({"status": "rejected", "comparison": SHUT, "below": []}, ["b"], True),
        ({"status": "rejected", "comparison": SLOWER, "below": []}, ["b"], True),
        ({"status": "rejected", "comparison": None, "below": []}, ["b"], True),
    ],
)
def test_an_open_verdict_is_tried_again_once_another_change_was_kept(
    last: dict[str, Any], applied: list[str], settled: bool
) -> None:
    state = SimpleNamespace(remedies={"a": last} if last else {}, applied=dict.fromkeys(applied))
    run = SimpleNamespace(state=state, limit=lambda name: {"undecided_gain": 0.02}[name])
    assert _settled(cast(Run, run), "a") is settled
