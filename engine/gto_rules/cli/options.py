"""Options that several commands share, and the one way to analyse a project from them."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gto_rules.errors import UsageError

if TYPE_CHECKING:
    from gto_rules.loop.analysis import Analysis
    from gto_rules.rulebook.model import Rulebook


def add_project(parser: argparse.ArgumentParser) -> None:
    """PROJECT, --launch, --cwd, --pack, --format and --lang."""
    parser.add_argument("project", type=Path, metavar="PROJECT", help="folder of the training project (only read)")
    add_launch(parser)
    add_packs(parser)
    add_format(parser)


def add_launch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--launch", metavar="CMD", help="the command that starts training (default: found by itself)")
    parser.add_argument("--cwd", default=".", metavar="DIR", help="folder inside the project where it runs")


def add_packs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pack",
        type=pack_folder,
        action="append",
        default=[],
        metavar="PACK",
        help="a rule pack to add: a folder, git+URL@REVISION[#subdirectory=DIR] or package:NAME (may repeat)",
    )
    parser.add_argument("--no-cache", action="store_true", help="do not use or write the cache of compiled rules")


def pack_folder(source: str) -> Path:
    """The folder of the pack that a word of the command line names; revisions are fetched if they are not there."""
    if not source.startswith(("git+", "package:")):
        return Path(source)
    from gto_rules.rulebook.sources import find_pack

    return find_pack(source, Path.cwd()).folder


def add_format(parser: argparse.ArgumentParser, formats: tuple[str, ...] = ("text", "json")) -> None:
    parser.add_argument("--format", choices=formats, default=formats[0], help=f"output format (default: {formats[0]})")
    parser.add_argument("--lang", choices=("en", "zh"), default="en", help="language of texts (default: en)")


def rulebook_of(args: argparse.Namespace) -> Rulebook:
    from gto_rules.rulebook import load

    return load(tuple(args.pack), use_cache=not args.no_cache)


def analyse_project(args: argparse.Namespace, *, with_hardware: bool = False, judge: bool = True) -> Analysis:
    """Read and judge the project that the command line names."""
    from gto_rules.loop.analysis import analyse

    if not args.project.is_dir():
        what = "is a file, not a folder" if args.project.exists() else "does not exist"
        raise UsageError(f"project {args.project} {what}")
    hardware = None
    if with_hardware:
        from gto_rules.measure.hardware import read_hardware

        hardware = read_hardware()
    return analyse(
        args.project,
        command=args.launch,
        cwd=args.cwd,
        rulebook=rulebook_of(args),
        hardware=hardware,
        judge=judge,
    )


def print_problems(analysis: Analysis, most: int = 5) -> None:
    """Say on standard error what of the project could not be read, so that a verdict is not taken for all of it."""
    from gto_rules.cli.show import say

    problems = analysis.facts.problems
    for problem in problems[:most]:
        print(f"not read in full: {say(problem)}", file=sys.stderr)
    if len(problems) > most:
        print(f"not read in full: {len(problems) - most} more (all are in --format json)", file=sys.stderr)


def print_json(data: Any) -> None:
    json.dump(data, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")
