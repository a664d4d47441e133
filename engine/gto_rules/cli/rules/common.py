"""What several actions need: the rule that an id names, and the folder of a pack."""

from __future__ import annotations

import argparse
import difflib
from pathlib import Path
from typing import TYPE_CHECKING

from gto_rules.cli.options import add_format, add_packs, pack_folder
from gto_rules.errors import UsageError

if TYPE_CHECKING:
    from gto_rules.rulebook.model import Rule, Rulebook


def add_common(parser: argparse.ArgumentParser, formats: tuple[str, ...] = ("text", "json")) -> None:
    """--pack, --no-cache, --format and --lang."""
    add_packs(parser)
    add_format(parser, formats)


def add_pack_folders(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "packs", nargs="*", type=pack_folder, metavar="PACK", help="packs to look at (default: built-in)"
    )


def find_rule(rulebook: Rulebook, rule_id: str) -> Rule:
    """The rule with this id; the nearest right one is named if there is none."""
    try:
        return rulebook.get(rule_id)
    except KeyError:
        near = difflib.get_close_matches(rule_id, [r.id for r in rulebook.rules], n=1)
        raise UsageError(f"there is no rule '{rule_id}'", hint=f"did you mean '{near[0]}'?" if near else None) from None


def pack_roots(packs: list[Path]) -> dict[str, Path]:
    """Name of a pack → its folder; given packs stand before built-in ones."""
    from gto_rules.rulebook.discover import builtin_packs

    return {p.name: p for p in (*builtin_packs(), *(p.resolve() for p in packs))}
