"""Write the reference pages of the rules."""

from __future__ import annotations

import argparse
from pathlib import Path

from gto_rules.cli.options import add_packs, rulebook_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=Path, default=Path("docs/rules"), metavar="DIR", help="where they go (default: docs/rules)"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; say which pages are out of date")
    parser.add_argument("--only", action="store_true", help="only the packs given with --pack")
    add_packs(parser)


def run(args: argparse.Namespace) -> int:
    from gto_rules.report.rules.docs import pages, stale_pages, write_pages
    from gto_rules.rulebook.cases import read_cases
    from gto_rules.rulebook.discover import builtin_packs

    rulebook = rulebook_of(args)
    cases, _ = read_cases((*builtin_packs(), *args.pack))
    wanted = pages(rulebook, cases, [p.resolve().name for p in args.pack] if args.only else None)
    if args.check:
        stale = stale_pages(wanted, args.out)
        for word, paths in (("missing", stale.missing), ("stale", stale.different), ("extra", stale.extra)):
            for path in paths:
                print(f"{word:<8} {args.out / path}")
        print(f"{len(wanted)} pages, " + ("out of date: run 'gto-rules rules docs'" if stale else "up to date"))
        return 1 if stale else 0
    stale = write_pages(wanted, args.out)
    written, removed = len(stale.missing) + len(stale.different), len(stale.extra)
    print(f"{len(wanted)} pages in {args.out}: {written} written, {removed} removed")
    return 0
