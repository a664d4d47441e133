"""A run failed: look for a known signature and do the bounded thing that its rule says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gto_rules.loop.run import Run
from gto_rules.loop.trials import trial
from gto_rules.measure.model import TrialResult
from gto_rules.rulebook.model import Rule


def matching(rules: tuple[Rule, ...], result: TrialResult) -> Rule | None:
    """The first repair whose signature fits the run's error (or exit code)."""
    text = result.error or ""
    for rule in rules:
        wanted: Mapping[str, Any] = rule.data.get("match") or {}
        codes = wanted.get("exit_codes")
        if codes is not None and result.exit_code not in codes:
            continue
        if "status" in wanted and result.status not in wanted["status"]:
            continue
        pattern = wanted.get("log")
        if pattern is None or re.search(pattern, text):
            return rule
    return None


class Repairs:
    """Bounded repairs of one round: so many tries for one remedy, so many in all."""

    def __init__(self, run: Run, version: str) -> None:
        self._run = run
        self._version = version
        self._failed = 0

    @property
    def exhausted(self) -> bool:
        """Whether repairing has failed so often that the round should end."""
        return self._failed >= int(self._run.limit("repairs_in_all"))

    def mend(self, remedy: Rule, result: TrialResult) -> TrialResult:
        """Try again as the matching repair rules say; the last result either way."""
        rules = self._run.rulebook.of("repair")
        used: dict[str, int] = {}
        for _ in range(int(self._run.limit("repairs_per_remedy"))):
            rule = matching(rules, result)
            action = rule.data.get("action", "give_up") if rule else "give_up"
            if rule is None or action != "retry" or used.get(rule.id, 0) >= int(rule.data.get("limit", 1)):
                self._record(remedy, rule, "undo", False)
                break
            used[rule.id] = used.get(rule.id, 0) + 1
            result = trial(self._run, self._version, "verify")
            self._record(remedy, rule, action, result.status == "ok")
            if result.status == "ok":
                return result
        self._failed += 1
        return result

    def _record(self, remedy: Rule, rule: Rule | None, action: str, mended: bool) -> None:
        self._run.record(
            "repair",
            {
                "version": self._version,
                "remedy": remedy.id,
                "rule": rule.id if rule else None,
                "title": rule.data["title"] if rule else None,
                "advice": rule.data.get("advice") if rule else None,
                "action": action,
                "mended": mended,
            },
        )
