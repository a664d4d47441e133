"""Options of the commands that write into a fork."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gto_rules.errors import UsageError

if TYPE_CHECKING:
    from gto_rules.loop.run import TuneOptions
    from gto_rules.rulebook.model import Rulebook

POLICY = "core/loop"
# Command-line option → limit of the policy.
LIMITS = {"rounds": "rounds", "steps": "steps", "warmup": "warmup", "pairs": "pairs", "budget": "budget_s"}


def add_workdir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workdir", type=Path, metavar="DIR", help="where to write (default: PROJECT_optimized)")
    parser.add_argument(
        "--allow-risk",
        action="append",
        default=[],
        choices=("convergence", "artefact"),
        help="also apply changes of this risk class (may repeat)",
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--steps", type=_positive, metavar="N", help="optimiser steps of one measured run")
    parser.add_argument("--warmup", type=int, metavar="N", help="first steps that do not count")
    parser.add_argument("--pairs", type=_positive, metavar="N", help="interleaved pairs that judge one change")
    parser.add_argument("--rounds", type=int, metavar="N", help="most rounds (0: only audit and measure)")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="no new round begins after this time")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="longest single run")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="variable for the training")
    parser.add_argument("--quiet", action="store_true", help="print only the result")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def default_workdir(project: Path) -> Path:
    project = project.resolve()
    return project.with_name(project.name + "_optimized")


def tune_options(args: argparse.Namespace, rulebook: Rulebook) -> TuneOptions:
    """The options of a run; limits come from the policy and are overridden by the command line."""
    from gto_rules.loop.run import TuneOptions
    from gto_rules.patch.plan import DEFAULT_RISKS

    limits: dict[str, Any] = {n: v["value"] for n, v in rulebook.get(POLICY).data["values"].items()}
    for option, limit in LIMITS.items():
        if getattr(args, option, None) is not None:
            limits[limit] = getattr(args, option)
    if getattr(args, "pairs", None):
        limits["final_pairs"] = max(args.pairs, 2)
    if getattr(args, "time_limit", None):
        limits["time_limit_s"] = args.time_limit
    workdir = (args.workdir or default_workdir(args.project)).resolve()
    project = args.project.resolve()
    if workdir == project or project in workdir.parents:
        where = "be the project itself" if workdir == project else "lie inside the project, which is only read"
        raise UsageError(f"the work directory cannot {where}", hint="give another place with --workdir")
    return TuneOptions(
        project=project,
        workdir=workdir,
        command=args.launch,
        cwd=args.cwd,
        limits=limits,
        allow_risks=DEFAULT_RISKS | frozenset(args.allow_risk),
        lang=args.lang,
        env=_environment(getattr(args, "env", [])),
    )


def _environment(pairs: list[str]) -> dict[str, str]:
    out = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"--env {pair}: expected NAME=VALUE")
        out[name] = value
    return out
