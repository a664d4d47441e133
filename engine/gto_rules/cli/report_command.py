"""Write the reports of a run again, from its journal alone."""

from __future__ import annotations

import argparse
from pathlib import Path

from gto_rules.cli.options import add_format


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workdir", type=Path, metavar="WORKDIR", help="work directory of a run")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    from gto_rules.loop.journal import Journal
    from gto_rules.loop.state import fold
    from gto_rules.report import FINAL, write_reports

    state = fold(Journal(args.workdir).events())
    write_reports(state, args.workdir)
    report = args.workdir / "reports" / f"{FINAL}.md"
    if args.format == "json":
        print(report.with_suffix(".json").read_text("utf-8"), end="")
    else:
        from gto_rules.cli.result import print_result

        print_result(state, report, args.lang)
    return 0
