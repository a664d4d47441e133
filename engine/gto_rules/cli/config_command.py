"""The configuration that holds for a file or folder, with the place of every value."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gto_rules.cli.options import add_format, print_json
from gto_rules.errors import UsageError

if TYPE_CHECKING:
    from gto_rules.check.config import Config


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    one = commands.add_parser("show", help="every value with where it is set")
    one.add_argument("path", nargs="?", type=Path, default=Path(), metavar="PATH", help="file or folder (default: .)")
    add_format(one)


def run(args: argparse.Namespace) -> int:
    from gto_rules.check.config import Configs

    path = args.path.absolute()
    if not path.exists():
        raise UsageError(f"there is no file or folder {args.path}")
    config = Configs().of(path if path.is_dir() else path.parent)
    rows = [_row(name, default, config) for name, default in _defaults().items()]
    if args.format == "json":
        print_json({"file": str(config.file) if config.file else None, "settings": rows})
        return 0
    print(f"configuration: {config.file or 'none found; every value is the default'}")
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        origin = f"{row['path']}:{row['line']}" if row["path"] else "default"
        print(f"  {row['name']:<{width}}  {json.dumps(row['value'], ensure_ascii=False)}  ({origin})")
    return 0


def _defaults() -> dict[str, Any]:
    from gto_rules.check.config import DEFAULTS

    return dict(DEFAULTS)


def _row(name: str, default: Any, config: Config) -> dict[str, Any]:
    if name not in config.data:
        return {"name": name, "value": default, "path": None, "line": None}
    return {"name": name, "value": config.data[name], "path": str(config.file), "line": config.places.get(name)}
