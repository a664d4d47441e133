"""Every case of many rules, over several processes, in an order that does not depend on them."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Literal

from gto_rules.loop.rule_cases import CaseResult, run_case
from gto_rules.rulebook.cases import TESTED, CaseFile
from gto_rules.rulebook.model import Rule, Rulebook

Outcome = Literal["passed", "failed", "gap", "closed"]

# Fewer cases than this are run faster than processes start.
_WORTH_PROCESSES = 24
# Small pieces keep all processes busy to the end; each costs a message.
_CHUNK = 8


@dataclass(frozen=True, slots=True)
class RanCase:
    """A case, where it stands, and what came of it."""

    result: CaseResult
    file: CaseFile
    number: int

    @property
    def line(self) -> int:
        return self.file.lines[self.number]

    @property
    def files(self) -> Mapping[str, str]:
        """The inputs of the case."""
        return self.file.cases[self.number].get("files") or {}

    @property
    def outcome(self) -> Outcome:
        """A known gap that came out right is ``closed``: its mark is to be removed."""
        if self.result.gap:
            return "gap" if self.result.mismatches else "closed"
        return "failed" if self.result.mismatches else "passed"


@dataclass(frozen=True, slots=True)
class Lack:
    """A rule without cases of both kinds: which of ``positive`` and ``negative`` it lacks."""

    rule: Rule
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """All cases that were run, in rule order, and the rules that need more."""

    ran: tuple[RanCase, ...]
    lacking: tuple[Lack, ...]

    def of(self, outcome: Outcome) -> tuple[RanCase, ...]:
        return tuple(one for one in self.ran if one.outcome == outcome)


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_suite(
    rules: Sequence[Rule], cases: Mapping[str, CaseFile], rulebook: Rulebook, *, jobs: int = 1
) -> SuiteResult:
    """Run every case of these rules.

    Args:
        rules: The rules, in the order in which results are wanted.
        cases: Test files by rule id.
        rulebook: All packs, which the cases are run with.
        jobs: Processes at most.
    """
    work = [(rule.id, number) for rule in rules if rule.id in cases for number in range(len(cases[rule.id].cases))]
    wanted = {rule_id: cases[rule_id] for rule_id, _ in work}
    runner = _Runner(rulebook, wanted)
    jobs = min(jobs, len(work) // _WORTH_PROCESSES)
    results = runner.run(work) if jobs < 2 else list(_in_processes(runner, work, jobs))
    ran = tuple(
        RanCase(result, wanted[rule_id], number) for (rule_id, number), result in zip(work, results, strict=True)
    )
    return SuiteResult(ran, tuple(_lacking(rules, ran)))


def _lacking(rules: Sequence[Rule], ran: Sequence[RanCase]) -> Iterator[Lack]:
    held = {(one.result.rule, one.result.positive) for one in ran}
    for rule in rules:
        kinds = (("positive", True), ("negative", False))
        missing = tuple(name for name, positive in kinds if (rule.id, positive) not in held)
        if rule.kind in TESTED and missing:
            yield Lack(rule, missing)


class _Runner:
    """Runs cases by rule id and number; one per process."""

    def __init__(self, rulebook: Rulebook, cases: Mapping[str, CaseFile]) -> None:
        self._rules = {rule.id: rule for rule in rulebook.rules}
        self._rulebook = rulebook
        self._cases = cases

    def run(self, work: Sequence[tuple[str, int]]) -> list[CaseResult]:
        return [
            run_case(self._rules[rule_id], self._cases[rule_id].cases[number], self._rulebook)
            for rule_id, number in work
        ]


_runner: _Runner | None = None


def _start(runner: _Runner) -> None:
    global _runner
    _runner = runner


def _chunk(work: Sequence[tuple[str, int]]) -> list[CaseResult]:
    if _runner is None:
        raise RuntimeError("the process was not started with a runner")
    return _runner.run(work)


def _in_processes(runner: _Runner, work: Sequence[tuple[str, int]], jobs: int) -> Iterator[CaseResult]:
    chunks = [work[at : at + _CHUNK] for at in range(0, len(work), _CHUNK)]
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else None)
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(runner,)) as pool:
        for results in pool.map(_chunk, chunks):
            yield from results
