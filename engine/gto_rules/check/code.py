"""Findings in Python: every certain match of a rule's pattern."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gto_rules.check.build import Place, finding
from gto_rules.check.fix_code import code_fix
from gto_rules.evaluate.finding import Finding
from gto_rules.facts.patterns.compile import Pattern
from gto_rules.facts.patterns.model import Context, Found
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.python.module import PythonModule
from gto_rules.rulebook.model import Rule

_SPACE = re.compile(r"\s+")


def code_findings(
    module: PythonModule, index: PythonIndex, patterns: Iterable[Pattern], rules: Mapping[str, Rule]
) -> list[Finding]:
    """What the rules say about one module, in source order."""
    context = Context(module, index)
    found: list[Finding] = []
    for pattern in patterns:
        rule = rules[pattern.id]
        for match in context.find(pattern.matcher):
            if match.certain:
                found.append(_finding(rule, module, match))
    return found


def _finding(rule: Rule, module: PythonModule, match: Found) -> Finding:
    captures = {name: text_of(node) for name, node in match.captures.items()}
    place = Place(module.source, module.span(match.node))
    words = {name: _short(text) for name, text in captures.items()}
    fix = code_fix(rule, module, match, captures) if "fix" in rule.data else None
    return finding(rule, place, words, fix)


def _short(text: str) -> str:
    one = _SPACE.sub(" ", text).strip()
    return one if len(one) <= 60 else one[:57] + "..."
