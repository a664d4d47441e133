"""The rules themselves: list them, explain one, validate and test packs, begin a pack, write their reference."""

from __future__ import annotations

import argparse
import importlib
from types import ModuleType

from gto_rules.cli.rules import ACTIONS


def _module(action: str) -> ModuleType:
    return importlib.import_module(f"gto_rules.cli.rules.{action}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, summary in ACTIONS.items():
        description = f"{summary[0].upper()}{summary[1:]}."
        _module(action).add_arguments(commands.add_parser(action, help=summary, description=description))


def run(args: argparse.Namespace) -> int:
    code: int = _module(args.action).run(args)
    return code
