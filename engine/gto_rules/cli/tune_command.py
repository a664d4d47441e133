"""The whole loop: audit the project, copy it to a fork, run the training for some steps, change one thing after the
other, keep what measurably helps, undo the rest, and report.

The project is only read; everything is written to PROJECT_optimized beside it (or --workdir).
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from gto_rules.cli.options import add_format, add_launch, add_packs, rulebook_of
from gto_rules.cli.tune_options import add_limits, add_workdir, tune_options
from gto_rules.errors import UsageError

if TYPE_CHECKING:
    from gto_rules.loop.run import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("project", type=Path, metavar="PROJECT", help="folder of the training project (only read)")
    add_launch(parser)
    add_packs(parser)
    add_workdir(parser)
    add_limits(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    from gto_rules.loop.progress import Progress
    from gto_rules.loop.run import open_run

    if args.project.exists() and not args.project.is_dir():
        raise UsageError(f"project {args.project} is a file, not a folder")
    if not args.project.exists():
        raise UsageError(f"project {args.project} does not exist")
    rulebook = rulebook_of(args)
    options = tune_options(args, rulebook)
    clear(options.workdir)
    return finish(open_run(options, rulebook, Progress(quiet=args.quiet)), args)


def finish(opened: Run, args: argparse.Namespace) -> int:
    """Run the steps of an opened run and print the result."""
    from gto_rules.loop.tune import tune
    from gto_rules.report import FINAL, write_reports

    code = tune(opened, write_reports)
    report = opened.options.workdir / "reports" / f"{FINAL}.md"
    if args.format == "json":
        print(report.with_suffix(".json").read_text("utf-8"), end="")
    else:
        from gto_rules.cli.result import print_result

        print_result(opened.state, report, args.lang)
    return code


def clear(workdir: Path) -> None:
    """Start afresh in a work directory of ours; never touch anything else."""
    from gto_rules.loop.journal import FILE_NAME

    if not workdir.exists() or not any(workdir.iterdir()):
        return
    if not (workdir / "journal" / FILE_NAME).is_file():
        raise UsageError(
            f"{workdir} already exists and is not a work directory of gto-rules",
            hint="move it away, or give another place with --workdir",
        )
    for name in ("journal", "reports", "patches", "project"):
        shutil.rmtree(workdir / name, ignore_errors=True)
