"""One rule as its file holds it."""

from __future__ import annotations

import argparse

from gto_rules.cli.options import print_json, rulebook_of
from gto_rules.cli.rules.common import add_common, find_rule, pack_roots


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID")
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    rule = find_rule(rulebook_of(args), args.id)
    if args.format == "json":
        print_json(dict(rule.data))
        return 0
    print(f"# {rule.path}:{rule.line}")
    root = pack_roots(args.pack)[rule.path.split("/")[0]]
    print((root.parent / rule.path).read_text("utf-8"), end="")
    return 0
