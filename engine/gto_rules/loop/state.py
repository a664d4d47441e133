"""What a run knows, folded from its journal. Reports are written from this and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gto_rules.loop.journal import Event

Json = Mapping[str, Any]


@dataclass
class RunState:
    """The state of a run after some of its events.

    Attributes:
        start: Original path, work directory, command, goal, options and start time.
        steps: One record per finished step: number, name, status, reason, seconds.
        analysis: The ``detect``, ``settings`` and ``audits`` contracts of the original project.
        fork: What was copied, linked and relocated.
        hardware: This machine, as probed.
        trials: Every run: version, purpose, side, status, metrics, step times, losses, log.
        traces: Trace summary by version.
        bottlenecks: Diagnosed bottlenecks by version.
        remedies: The last word on each remedy, by id: status, reason, version, comparison.
        applied: Changes now in the fork, by remedy id, in order of application.
        rounds: One record per round: comparison with the round before, decision.
        repairs: Every repair that was tried.
        final: The closing comparison of original and result.
        original: Whether the original project is unchanged, and what differs.
        errors: Unexpected errors, by step.
        finished: Time of the last event.
    """

    start: dict[str, Any] = field(default_factory=dict)
    steps: list[dict[str, Any]] = field(default_factory=list)
    analysis: dict[str, Any] = field(default_factory=dict)
    fork: dict[str, Any] = field(default_factory=dict)
    hardware: dict[str, Any] = field(default_factory=dict)
    trials: list[dict[str, Any]] = field(default_factory=list)
    traces: dict[str, dict[str, Any]] = field(default_factory=dict)
    bottlenecks: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    remedies: dict[str, dict[str, Any]] = field(default_factory=dict)
    applied: dict[str, dict[str, Any]] = field(default_factory=dict)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    repairs: list[dict[str, Any]] = field(default_factory=list)
    final: dict[str, Any] = field(default_factory=dict)
    original: dict[str, Any] = field(default_factory=dict)
    errors: list[dict[str, Any]] = field(default_factory=list)
    finished: str = ""

    def apply(self, event: Event) -> None:
        """Take one event in. Unknown events are ignored, so that an older engine reads a newer journal."""
        self.finished = event.time
        reducer = _REDUCERS.get(event.name)
        if reducer is not None:
            reducer(self, dict(event.data))

    def step_done(self, number: int) -> bool:
        return any(s["number"] == number and s["status"] == "done" for s in self.steps)

    def trials_of(self, version: str, purpose: str) -> list[dict[str, Any]]:
        return [t for t in self.trials if t["version"] == version and t["purpose"] == purpose]


def fold(events: Iterable[Event]) -> RunState:
    """The state after all ``events``."""
    state = RunState()
    for event in events:
        state.apply(event)
    return state


def _step(state: RunState, data: dict[str, Any]) -> None:
    state.steps = [s for s in state.steps if s["number"] != data["number"]]
    state.steps.append(data)
    state.steps.sort(key=lambda s: int(s["number"]))


def _remedy(state: RunState, data: dict[str, Any]) -> None:
    state.remedies[data["id"]] = {**state.remedies.get(data["id"], {}), **data}


def _applied(state: RunState, data: dict[str, Any]) -> None:
    state.applied[data["id"]] = data


def _decision(state: RunState, data: dict[str, Any]) -> None:
    for record in state.rounds:
        if record["version"] == data["version"]:
            record["decision"] = data["decision"]


def _undone(state: RunState, data: dict[str, Any]) -> None:
    state.applied.pop(data["id"], None)


def _keyed(attribute: str, value: str) -> Callable[[RunState, dict[str, Any]], None]:
    def reduce(state: RunState, data: dict[str, Any]) -> None:
        getattr(state, attribute)[data["version"]] = data[value]

    return reduce


def _whole(attribute: str) -> Callable[[RunState, dict[str, Any]], None]:
    def reduce(state: RunState, data: dict[str, Any]) -> None:
        setattr(state, attribute, {**getattr(state, attribute), **data})

    return reduce


def _listed(attribute: str) -> Callable[[RunState, dict[str, Any]], None]:
    def reduce(state: RunState, data: dict[str, Any]) -> None:
        getattr(state, attribute).append(data)

    return reduce


_REDUCERS: dict[str, Callable[[RunState, dict[str, Any]], None]] = {
    "start": _whole("start"),
    "step": _step,
    "analysis": _whole("analysis"),
    "fork": _whole("fork"),
    "hardware": _whole("hardware"),
    "trial": _listed("trials"),
    "trace": _keyed("traces", "summary"),
    "bottlenecks": _keyed("bottlenecks", "items"),
    "remedy": _remedy,
    "applied": _applied,
    "undone": _undone,
    "round": _listed("rounds"),
    "decision": _decision,
    "repair": _listed("repairs"),
    "final": _whole("final"),
    "original": _whole("original"),
    "error": _listed("errors"),
}
