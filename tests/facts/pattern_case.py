"""Run pattern matchers over files given as text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gto_rules.facts.patterns import match_patterns
from gto_rules.rulebook.model import Rule
from python_case import make_index


def rule(rule_id: str, match: Any, **more: Any) -> Rule:
    data = {"kind": "pattern", "schema": 1, "id": rule_id, "match": match, **more}
    return Rule(rule_id, "pattern", rule_id.partition("/")[0], data, f"{rule_id}.yaml")


def lines(folder: Path, files: str | Mapping[str, str], *rules: Rule) -> tuple[list[Any], list[Any]]:
    """(hits, unknown) of the first rule: line numbers for one file, ``path:line`` for several."""
    given = {"main.py": files} if isinstance(files, str) else dict(files)
    hits, unknown = match_patterns(make_index(folder, given), rules)
    shown = []
    for held in (hits, unknown):
        found = held.get(rules[0].id, ())
        shown.append([h.line if isinstance(files, str) else f"{h.path}:{h.line}" for h in found])
    return shown[0], shown[1]
