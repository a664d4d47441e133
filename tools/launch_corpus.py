#!/usr/bin/env python3
"""Read every launch command of a labelled list and compare each field with its label.

    tools/launch_corpus.py FILE [--only N]

Prints one line a record, then the totals; exit code 1 when a field is wrong. The list is YAML:
records with ``command``, ``files`` (contents of files that the command names) and ``expect``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from gto_rules.errors import GtoError
from gto_rules.project.launch import read_launch
from gto_rules.project.launch_check import differences
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.model import Launch
from gto_rules.project.project import Project

RULES = Path(__file__).resolve().parent.parent / "rules" / "launchers" / "launchers"


def load_specs() -> list[LauncherSpec]:
    """The launcher rules of the checkout."""
    files = sorted(p for p in RULES.glob("*.yaml") if not p.name.endswith(".test.yaml"))
    return [LauncherSpec.from_mapping(yaml.safe_load(p.read_text(encoding="utf-8"))) for p in files]


def read(record: Mapping[str, Any], specs: list[LauncherSpec]) -> Launch:
    """The launch of one record, in a project that holds the record's files."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in record.get("files", {}).items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        return read_launch(
            record["command"],
            project=Project.open(Path(folder)),
            launchers=specs,
            environment=record.get("environment", {}),
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", type=int, help="number of one record, to show all of its launch")
    options = parser.parse_args()
    specs = load_specs()
    records = yaml.safe_load(options.file.read_text(encoding="utf-8"))
    right = 0
    for number, record in enumerate(records, 1):
        if options.only not in (None, number):
            continue
        try:
            launch = read(record, specs)
            wrong = list(differences(launch, record["expect"]))
        except GtoError as error:
            launch, wrong = None, [("error", "a launch", str(error))]
        right += not wrong
        title = " ".join(record["command"].split())
        print(f"{number:3} {'right' if not wrong else 'WRONG'} {title[:100]}")
        for name, expected, found in wrong:
            print(f"        {name}: expected {expected!r}, found {found!r}")
        if options.only is not None and launch is not None:
            print(yaml.safe_dump(launch.to_json(), sort_keys=False), launch)
    total = 1 if options.only is not None else len(records)
    print(f"{right} of {total} records right")
    return 0 if right == total else 1


if __name__ == "__main__":
    sys.exit(main())
