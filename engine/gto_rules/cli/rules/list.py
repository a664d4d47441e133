"""Every rule with its kind, points and number of cases."""

from __future__ import annotations

import argparse
from typing import Any

from gto_rules.cli.options import print_json, rulebook_of
from gto_rules.cli.rules.common import add_common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kind", help="only rules of this kind")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    from gto_rules.loop.rule_cases import is_positive
    from gto_rules.report.text import picker
    from gto_rules.rulebook.cases import read_cases
    from gto_rules.rulebook.discover import builtin_packs

    rulebook = rulebook_of(args)
    cases, _ = read_cases((*builtin_packs(), *args.pack))
    pick = picker(args.lang)
    rows: list[dict[str, Any]] = []
    for rule in rulebook.rules:
        if args.kind and rule.kind != args.kind:
            continue
        own = cases[rule.id].cases if rule.id in cases else ()
        positive = sum(is_positive(rule.kind, case["expect"]) for case in own)
        rows.append(
            {
                "id": rule.id,
                "kind": rule.kind,
                "pack": rule.pack,
                "title": pick(rule.data.get("title", rule.id)),
                "severity": rule.data.get("severity"),
                "points": rule.data.get("points"),
                "max": rule.data.get("max"),
                "tests": {"positive": positive, "negative": len(own) - positive},
            }
        )
    if args.format == "json":
        print_json({"rules": rows})
        return 0
    width = max((len(r["id"]) for r in rows), default=0)
    for row in rows:
        tests = f"{row['tests']['positive']}+{row['tests']['negative']}"
        print(f"{row['id']:<{width}}  {row['kind']:<9} {tests:>6} cases  {row['title']}")
    print(f"{len(rows)} rules")
    return 0
