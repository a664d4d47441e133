"""The cases that lie beside pattern rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from gto_rules.facts.patterns import compile_patterns
from gto_rules.facts.patterns.run import match_compiled
from gto_rules.rulebook.model import Rule
from python_case import make_index

RULES = Path(__file__).parents[2] / "rules"
FILES = sorted(RULES.glob("*/patterns/*.yaml"))


def _load(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return data


def _rules() -> list[Rule]:
    found = [(p, _load(p)) for p in FILES if not p.name.endswith(".test.yaml")]
    return [Rule(d["id"], "pattern", d["id"].partition("/")[0], d, str(p.relative_to(RULES))) for p, d in found]


PATTERNS = compile_patterns(_rules())
CASES = [(d["rule"], c) for p in FILES if p.name.endswith(".test.yaml") for d in [_load(p)] for c in d["cases"]]


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{r}: {c['name']}" for r, c in CASES])
def test_case(tmp_path: Path, rule: str, case: dict[str, Any]) -> None:
    hits, unknown = match_compiled(make_index(tmp_path, case["files"]), [PATTERNS[rule]])
    expected = case["expect"]
    assert [f"{h.path}:{h.line}" for h in hits.get(rule, ())] == expected["hits"]
    assert [f"{h.path}:{h.line}" for h in unknown.get(rule, ())] == expected.get("unknown", [])


def test_every_pattern_has_a_case_that_holds_and_one_that_does_not() -> None:
    expectations: dict[str, list[bool]] = {}
    for rule, case in CASES:
        expectations.setdefault(rule, []).append(bool(case["expect"]["hits"]))
    missing = [i for i in PATTERNS if set(expectations.get(i, [])) != {True, False}]
    assert missing == []


def test_every_pattern_can_be_told_from_the_bytes_of_a_file() -> None:
    """A pattern without anchor words would have every file parsed; only fragments may be so."""
    assert [i for i, p in PATTERNS.items() if not p.anchors and not p.fragment] == []
