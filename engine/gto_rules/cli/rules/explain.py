"""One rule in words."""

from __future__ import annotations

import argparse
from typing import Any

from gto_rules.cli.options import rulebook_of
from gto_rules.cli.rules.common import add_common, find_rule


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    rule = find_rule(rulebook_of(args), args.id)
    data = rule.data

    def words(value: Any) -> str:
        return str(value.get(args.lang, value["en"])) if isinstance(value, dict) else str(value)

    print(f"{words(data.get('title', rule.id))}  ({rule.id}, {rule.kind})")
    for key in ("why", "advice", "symptom", "cause", "solution", "needs"):
        if key in data:
            print(f"  {key}: {words(data[key])}")
    if "gain" in data:
        print(f"  gain: {words(data['gain']['text'])} {data['gain'].get('source', '')}")
    for key in ("priority", "risk", "severity", "points"):
        if key in data:
            print(f"  {key}: {data[key]}")
    for key in ("applies_when", "enabled", "recommended_when", "when", "requires", "set", "edits"):
        if key in data:
            print(f"  {key}: {data[key]}")
    for reference in data.get("references", ()):
        print(f"  source: {reference['url']} ({reference.get('proves', '')})")
    print(f"  file: {rule.path}:{rule.line}")
    return 0
