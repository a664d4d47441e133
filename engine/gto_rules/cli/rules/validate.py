"""Check packs and print everything that is wrong."""

from __future__ import annotations

import argparse
import sys

from gto_rules.cli.rules.common import add_common, add_pack_folders
from gto_rules.errors import RulebookError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pack_folders(parser)
    add_common(parser)


def run(args: argparse.Namespace) -> int:
    from gto_rules.rulebook import load
    from gto_rules.rulebook.cases import read_cases
    from gto_rules.rulebook.discover import builtin_packs

    try:
        rulebook = load((*args.pack, *args.packs), use_cache=False)
    except RulebookError as error:
        print(error, file=sys.stderr)
        print(f"{len(error.diagnostics)} error(s)", file=sys.stderr)
        return 2
    _, wrong = read_cases((*builtin_packs(), *args.pack, *args.packs))
    for diagnostic in wrong:
        print(diagnostic.render(), file=sys.stderr)
    if wrong:
        print(f"{len(wrong)} error(s)", file=sys.stderr)
        return 2
    print(f"{len(rulebook.packs)} packs with {len(rulebook.rules)} rules are valid")
    return 0
