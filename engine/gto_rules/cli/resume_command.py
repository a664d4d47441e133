"""Go on with a tune run that was stopped: steps that are done are kept, the rest is done, the report is written."""

from __future__ import annotations

import argparse
from pathlib import Path

from gto_rules.cli.options import add_format, add_packs, rulebook_of
from gto_rules.cli.tune_command import finish
from gto_rules.cli.tune_options import add_limits, add_workdir, tune_options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workdir_of_run", type=Path, metavar="WORKDIR", help="work directory of the stopped run")
    add_packs(parser)
    add_workdir(parser)
    add_limits(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    from gto_rules.loop.journal import Journal
    from gto_rules.loop.progress import Progress
    from gto_rules.loop.run import open_run
    from gto_rules.loop.state import fold

    start = fold(Journal(args.workdir_of_run).events()).start
    args.workdir = args.workdir_of_run
    args.project, args.launch, args.cwd = Path(start["original"]), start.get("command"), start.get("cwd", ".")
    args.lang = start.get("lang", args.lang)
    rulebook = rulebook_of(args)
    options = tune_options(args, rulebook)
    return finish(open_run(options, rulebook, Progress(quiet=args.quiet), resume=True), args)
