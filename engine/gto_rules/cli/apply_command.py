"""Write the fixes of a project into a fork, or print them as a diff that git apply takes. Nothing is run.

The project is only read. Use 'gto-rules tune' to keep only what measurably helps.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gto_rules.cli.options import add_project, print_json, rulebook_of
from gto_rules.cli.tune_options import add_workdir, tune_options
from gto_rules.errors import UsageError

if TYPE_CHECKING:
    from gto_rules.loop.run import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    add_workdir(parser)
    parser.add_argument("--remedy", action="append", default=[], metavar="ID", help="only this remedy (may repeat)")
    parser.add_argument("--dry-run", action="store_true", help="print the diff and keep nothing")
    parser.add_argument("--emit-patch", type=Path, metavar="FILE", help="write the diff to FILE and keep nothing else")


def run(args: argparse.Namespace) -> int:
    if not args.project.is_dir():
        raise UsageError(f"project {args.project} is not a folder")
    rulebook = rulebook_of(args)
    known = {rule.id for rule in rulebook.of("remedy")}
    for one in args.remedy:
        if one not in known:
            import difflib

            near = difflib.get_close_matches(one, known, n=1)
            raise UsageError(f"there is no remedy '{one}'", hint=f"did you mean '{near[0]}'?" if near else None)
    options = tune_options(args, rulebook)
    if args.dry_run or args.emit_patch:
        with tempfile.TemporaryDirectory(prefix="gto-rules-") as folder:
            opened = _applied(replace(options, workdir=Path(folder) / "work"), rulebook, args)
            return _patch(opened, args)
    from gto_rules.cli.tune_command import clear

    clear(options.workdir)
    return _show(_applied(options, rulebook, args), args)


def _applied(options: object, rulebook: object, args: argparse.Namespace) -> Run:
    from gto_rules.loop.apply import apply_all
    from gto_rules.loop.progress import Progress
    from gto_rules.loop.run import open_run

    opened = open_run(options, rulebook, Progress(quiet=True))  # type: ignore[arg-type]
    apply_all(opened, frozenset(args.remedy))
    return opened


def _patch(opened: Run, args: argparse.Namespace) -> int:
    from gto_rules.report.text import clean

    patch = opened.options.workdir / "patches" / "all.patch"
    diff = patch.read_bytes() if patch.is_file() else b""
    if args.emit_patch:
        args.emit_patch.write_bytes(diff)
        print(f"{args.emit_patch}: {len(opened.state.applied)} change(s)")
    else:
        for line in diff.decode("utf-8", "replace").splitlines():
            print(clean(line))
        _changes(opened, sys.stderr)
    return 1 if opened.state.applied else 0


def _show(opened: Run, args: argparse.Namespace) -> int:
    from gto_rules.report import write_reports

    paths = write_reports(opened.state, opened.options.workdir)
    if args.format == "json":
        print_json([{k: v for k, v in r.items() if k != "why"} for r in opened.state.remedies.values()])
        return 0
    _changes(opened, sys.stdout)
    print(f"fork:   {opened.fork}")
    print(f"report: {paths[-1]}")
    return 0 if opened.state.original.get("unchanged") else 3


def _changes(opened: Run, stream: object) -> None:
    for remedy in opened.state.remedies.values():
        word = "applied" if remedy["id"] in opened.state.applied else "left"
        print(f"{word:<8} {remedy['id']}: {remedy['reason']}", file=stream)  # type: ignore[call-overload]
    changed = [c["command_after"] for c in opened.state.applied.values() if c.get("command_after")]
    if changed and changed[-1] != opened.state.start.get("command"):
        print(f"command  {changed[-1]}", file=stream)  # type: ignore[call-overload]
