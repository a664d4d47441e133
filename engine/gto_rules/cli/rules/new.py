"""Begin a pack whose rules are valid and whose cases pass."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from gto_rules.cli.options import print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", type=Path, metavar="PACK_DIR", help="a folder that is not there yet; its name is the pack's"
    )
    parser.add_argument(
        "--kind",
        action="append",
        metavar="KIND",
        help="a kind of rule to begin with (may repeat; default: pattern, item, remedy and finding); "
        "pattern, settings, item, remedy, finding, surface, diagnosis, repair, detector, launcher or fragment",
    )
    parser.add_argument("--title", help="what the pack is called by people")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")


def run(args: argparse.Namespace) -> int:
    from gto_rules.rulebook.scaffolding import DEFAULT_KINDS, new_pack

    written = [os.path.relpath(path) for path in new_pack(args.folder, args.kind or DEFAULT_KINDS, args.title)]
    if args.format == "json":
        print_json({"files": written})
        return 0
    for path in written:
        print(f"wrote {path}")
    print(f"\nnext: gto-rules rules test {args.folder}")
    return 0
