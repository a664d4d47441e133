"""Run the cases beside the rules."""

from __future__ import annotations

import argparse
import sys

from gto_rules.cli.options import print_json
from gto_rules.cli.rules.common import add_common, add_pack_folders


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pack_folders(parser)
    parser.add_argument("-k", dest="match", default="", metavar="TEXT", help="only rules whose id holds TEXT")
    parser.add_argument("-j", dest="jobs", type=_count, metavar="N", help="processes (default: one for each core)")
    add_common(parser)


def _count(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 1")
    return number


def run(args: argparse.Namespace) -> int:
    from gto_rules.cli.show import colour
    from gto_rules.loop.case_suite import run_suite, usable_cores
    from gto_rules.report.cases.jsons import suite_json
    from gto_rules.report.cases.text import render_suite
    from gto_rules.rulebook import load
    from gto_rules.rulebook.cases import read_cases
    from gto_rules.rulebook.discover import builtin_packs

    rulebook = load((*args.pack, *args.packs), use_cache=not args.no_cache)
    cases, wrong = read_cases(args.packs or (*builtin_packs(), *args.pack))
    own = {p.resolve().name for p in args.packs}
    rules = [r for r in rulebook.rules if args.match in r.id and (not own or r.pack in own)]
    suite = run_suite(rules, cases, rulebook, jobs=args.jobs or usable_cores())
    if args.format == "json":
        print_json(suite_json(suite, wrong))
    else:
        for diagnostic in wrong:
            print(diagnostic.render(), file=sys.stderr)
        print(render_suite(suite, colour), end="")
        if not suite.ran:
            what = f"rules whose id holds '{args.match}'" if args.match else "these packs"
            print(f"no cases were found for {what}", file=sys.stderr)
    clean = suite.ran and not suite.lacking and not suite.of("failed") and not suite.of("closed")
    return 0 if clean and not wrong else 1
