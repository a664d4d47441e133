"""The value of a JMESPath expression over a project's facts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gto_rules.cli.options import add_launch, print_json, rulebook_of
from gto_rules.cli.rules.common import add_common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("expression")
    parser.add_argument("--on", type=Path, required=True, metavar="PROJECT")
    add_launch(parser)
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    from gto_rules.loop.analysis import analyse
    from gto_rules.rulebook.expressions import Names, check_expression, evaluate_expression

    rulebook = rulebook_of(args)
    settings = frozenset(n for r in rulebook.of("settings") for n in r.data["settings"])
    names = Names(settings, frozenset(r.id for r in rulebook.of("pattern")))
    for error in check_expression(args.expression, names):
        print(f"{args.expression}\n{' ' * error.offset}^ {error.message}", file=sys.stderr)
        for extra in (error.hint, error.expected):
            if extra:
                print(f"  {extra}", file=sys.stderr)
        return 2
    analysis = analyse(args.on, command=args.launch, cwd=args.cwd, rulebook=rulebook)
    print_json(evaluate_expression(args.expression, analysis.facts.document()))
    return 0
