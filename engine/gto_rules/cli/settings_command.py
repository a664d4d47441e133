"""Every setting of a project: its value, how it is known, the place that decides it, and what that overrides."""

from __future__ import annotations

import argparse
import fnmatch

from gto_rules.cli.options import add_project, analyse_project, print_json, print_problems


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("--all", action="store_true", help="also show settings that nothing sets")
    parser.add_argument("--name", default="*", metavar="GLOB", help="only settings with such a name")


def run(args: argparse.Namespace) -> int:
    from gto_rules.facts.settings import settings_json

    analysis = analyse_project(args)
    settings = {n: s for n, s in analysis.facts.settings.items() if fnmatch.fnmatchcase(n, args.name)}
    if args.format == "json":
        print_json(settings_json(settings) | {"problems": list(analysis.facts.problems)})
        return 0
    from gto_rules.cli.show import colour, say

    shown = {n: s for n, s in settings.items() if args.all or s.kind in ("literal", "computed")}
    width = max(map(len, shown), default=0)
    for name, setting in shown.items():
        origin = setting.origin
        value = "?" if setting.kind == "computed" else repr(setting.value)
        place = "" if origin is None else f"{origin.path or 'launch command'}{f':{origin.line}' if origin.line else ''}"
        why = f" ({say(origin.reason, 80)})" if origin and origin.reason else ""
        print(f"{name:<{width}}  {say(value, 60)}  {colour(f'{setting.kind} {place}', 'dim')}{why}")
        for over in setting.overrides:
            print(f"{'':<{width}}    overrides {say(over.text or over.value, 50)} at {over.path}:{over.line}")
    if not shown:
        print("nothing is set" if not args.all else "no setting has such a name")
    print_problems(analysis)
    return 0
