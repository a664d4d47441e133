"""Write down exactly which packs a project takes, or check that they are still the same."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pack", action="append", default=[], metavar="PACK", help="a pack beside the configured ones")
    parser.add_argument("--no-cache", action="store_true", help="do not use or write the cache of compiled rules")
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs from the lock file")


def run(args: argparse.Namespace) -> int:
    from gto_rules.check.config import Configs
    from gto_rules.errors import UsageError
    from gto_rules.rulebook import load
    from gto_rules.rulebook.lock import LOCK_FILE, differences, locked, read_lock, write_lock
    from gto_rules.rulebook.sources import find_pack

    base = Path.cwd()
    config = Configs(None).of(base)
    home = config.folder if config.file is not None else base
    found = [find_pack(name, config.folder, anew=not args.check) for name in config.packs]
    found += [find_pack(name, base, anew=not args.check) for name in args.pack]
    if not found:
        raise UsageError("no pack is named", hint="name packs in the configuration (packs: [...]) or with --pack")
    load(tuple(one.folder for one in found), use_cache=not args.no_cache)  # a broken pack is not locked
    file, now = home / LOCK_FILE, [locked(one, home) for one in found]
    if not args.check:
        write_lock(file, now)
        print(f"{file}: " + ", ".join(f"{one.name} {one.version}" for one in sorted(now, key=lambda p: p.name)))
        return 0
    if not file.is_file():
        raise UsageError(f"there is no {file}", hint="write it with gto-rules rules lock")
    wrong = differences(read_lock(file), now)
    print("\n".join(wrong) if wrong else f"{file} holds")
    return 1 if wrong else 0
