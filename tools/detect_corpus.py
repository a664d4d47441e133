"""Hold detection against a corpus of labelled projects.

    python tools/detect_corpus.py SOURCES MANIFEST [--record REPO]

SOURCES holds one folder per project, named ``<owner>+<name>``; MANIFEST is a YAML list of records with
``repo``, ``cwd``, ``launch``, ``framework``, ``also_accept``, ``inference`` and ``multi_node``. Prints a row per
record and a total; exit code 1 if any record is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import yaml
from gto_rules.loop.analysis import analyse
from gto_rules.rulebook import load


def judge(record: dict[str, Any], root: Path, rulebook: Any) -> tuple[list[str], str]:
    """What is wrong with the detection of one record, and what was found."""
    found = analyse(root, command=record["launch"], cwd=record["cwd"] or ".", rulebook=rulebook, judge=False).detection
    wrong = []
    accepted = [record["framework"], *(record.get("also_accept") or ())]
    if found.framework not in accepted:
        wrong.append(f"framework {found.framework}, not {'/'.join(accepted)}")
    ambiguous = str(record.get("ambiguous") or "")
    for engine, expected in record["inference"].items():
        if found.inference.get(engine, False) != expected and f"inference.{engine}" not in ambiguous:
            wrong.append(f"{engine} {not expected}, not {expected}")
    if record["launch"] and found.multi_node != record["multi_node"] and "multi_node" not in ambiguous:
        wrong.append(f"multi_node {found.multi_node}, not {record['multi_node']}")
    return wrong, found.framework


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--record", help="only this repository")
    args = parser.parse_args()
    rulebook = load()
    right = total = 0
    for record in yaml.safe_load(args.manifest.read_text("utf-8")):
        root = args.sources / record["repo"].replace("/", "+", 1)
        if not root.is_dir() or (args.record and record["repo"] != args.record):
            continue
        total += 1
        started = time.perf_counter()
        try:
            wrong, framework = judge(record, root, rulebook)
        except Exception:
            wrong, framework = [traceback.format_exc(limit=-2).strip().splitlines()[-1]], "-"
        right += not wrong
        seconds = time.perf_counter() - started
        mark = "WRONG" if wrong else "ok   "
        print(f"{mark} {record['repo']:<48} {framework:<13} {seconds:5.1f} s  {'; '.join(wrong)}")
    print(f"{right} of {total} right")
    return 0 if right == total else 1


if __name__ == "__main__":
    sys.exit(main())
