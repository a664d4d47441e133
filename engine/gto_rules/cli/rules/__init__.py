"""The actions of ``gto-rules rules``: one line here, one module in this folder.

A module has ``add_arguments(parser)`` and ``run(args) -> exit code``.
"""

from __future__ import annotations

ACTIONS: dict[str, str] = {
    "list": "every rule with its kind, points and number of cases",
    "show": "one rule as its file holds it",
    "explain": "one rule in words: what, why, example, fix, sources",
    "validate": "check packs and print everything that is wrong",
    "test": "run the cases beside the rules",
    "new": "begin a pack whose rules are valid and whose cases pass",
    "diff": "what changed between two states of a pack, and which verdicts can change by it",
    "lock": "write down exactly which packs a project takes",
    "docs": "write the reference pages of the rules",
    "eval": "the value of a JMESPath expression over a project's facts",
}
