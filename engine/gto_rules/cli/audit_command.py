"""Scored audits of a project: what is on, what is off, what cannot be known without running, and what it is worth."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from gto_rules.cli.options import add_project, analyse_project, print_json, print_problems

if TYPE_CHECKING:
    from gto_rules.evaluate.model import AuditVerdict


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("--here", action="store_true", help="judge for the hardware of this machine")
    parser.add_argument("--all", action="store_true", help="show every item, not only what is on or worth doing")


def run(args: argparse.Namespace) -> int:
    analysis = analyse_project(args, with_hardware=args.here)
    if args.format == "json":
        print_json({"audits": [a.to_json() for a in analysis.audits], "problems": list(analysis.facts.problems)})
        return 0
    if not analysis.audits:
        print(f"no audit applies (framework: {analysis.detection.framework})")
    for verdict in analysis.audits:
        _show(verdict, args)
    print_problems(analysis)
    return 0


def _show(verdict: AuditVerdict, args: argparse.Namespace) -> None:
    from gto_rules.cli.show import colour, evidence_line

    title = verdict.title.get(args.lang, verdict.title["en"])
    print(colour(f"{title}  {verdict.score:g}/{verdict.max:g} (of what applies: {verdict.applicable:g})", "bold"))
    colours = {"enabled": "green", "recommended": "yellow", "unknown": "dim"}
    for category in verdict.categories:
        name = category.title.get(args.lang, category.title["en"])
        print(f"  {category.id}. {name}  {category.score:g}/{category.max:g}")
        for item in category.items:
            status = item.status.value
            if not args.all and status in ("not_applicable", "not_enabled") and item.priority not in ("P0", "P1"):
                continue
            if not args.all and status == "not_applicable":
                continue
            place = evidence_line(item.evidence[0].to_json()) if item.evidence else ""
            label = colour(f"{status:<12}", colours.get(status, "dim"))
            name = item.title.get(args.lang, item.title["en"])
            print(f"     {label} {item.priority or '  '} {name}  {colour(place, 'dim')}".rstrip())
    print()
