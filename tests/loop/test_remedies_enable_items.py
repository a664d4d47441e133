"""A remedy does what the audit asks for: after it, the items that name it read ``enabled``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gto_rules.evaluate.model import ItemStatus
from gto_rules.loop.analysis import analyse
from gto_rules.loop.rule_cases import ALL_RISKS
from gto_rules.patch.model import Refusal
from gto_rules.patch.plan import plan_one
from gto_rules.patch.subject import Subject
from gto_rules.patch.write import apply_fix, undo
from gto_rules.rulebook import load
from gto_rules.rulebook.cases import read_cases

RULEBOOK = load()
# Items that ask for more than one remedy brings, and why.
PARTLY = {
    "general/no-sync-in-loop": "other reads in the loop stay",
    "general/little-padding": "padding per batch leaves the setting as it is",
    "hf_trainer/length-grouping": "padding per batch is another way to less padding",
    "hf_trainer/prefetch-factor": "",
}


def successful_cases() -> Iterator[Any]:
    """The cases of every remedy that edit something, with the items that name the remedy."""
    cases, _ = read_cases()
    for rule in RULEBOOK.of("remedy"):
        items = [i.id for i in RULEBOOK.of("item") if rule.id in i.data.get("remedies", ()) and i.id not in PARTLY]
        for case in cases[rule.id].cases:
            if "refused" not in case["expect"]:
                yield pytest.param(rule, case, items, id=f"{rule.id}: {case['name']}")


@pytest.mark.parametrize(("rule", "case", "items"), list(successful_cases()))
def test_remedy(rule: Any, case: dict[str, Any], items: list[str], tmp_path: Path) -> None:
    for name, content in case["files"].items():
        (tmp_path / name).write_text(content, "utf-8")

    def read(command: str | None) -> Any:
        return analyse(
            tmp_path,
            command=command,
            rulebook=RULEBOOK,
            hardware=case.get("hardware"),
            metrics=case.get("metrics"),
        )

    def subject_of(analysis: Any, command: str | None) -> Subject:
        return Subject(
            analysis.project, analysis.index, analysis.facts, RULEBOOK, analysis.launch, command, analysis.packs
        )

    command = case.get("launch")
    planned = plan_one(rule, subject_of(read(command), command), allow_risks=ALL_RISKS)
    assert not isinstance(planned, Refusal), planned
    fix, changed = planned
    before = {name: (tmp_path / name).read_bytes() for name in case["files"]}
    applied = apply_fix(fix, tmp_path, command, changed or command)
    after = read(changed or command)
    for name, value in fix.expects:
        assert after.facts.settings[name].value == value
    judged = {i.id: i.status for a in after.audits for i in a.items}
    for item in items:
        if item in judged and judged[item] is not ItemStatus.NOT_APPLICABLE:
            assert judged[item] is ItemStatus.ENABLED, item
    again = plan_one(rule, subject_of(after, changed or command), allow_risks=ALL_RISKS)
    assert isinstance(again, Refusal), "the second application changes something"
    undo(applied, tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in case["files"]} == before
