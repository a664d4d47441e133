"""Detect and audit every project of a folder and print a table of scores; a traceback is a failure.

python tools/audit_corpus.py SOURCES MANIFEST
"""

from __future__ import annotations

import argparse
import collections
import sys
import time
import traceback
from pathlib import Path

import yaml
from gto_rules.loop.analysis import analyse
from gto_rules.rulebook import load


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("manifest", type=Path)
    args = parser.parse_args()
    rulebook = load()
    failed = 0
    print("| project | framework | audit scores (of what applies) | statuses | seconds |\n|---|---|---|---|---|")
    for record in yaml.safe_load(args.manifest.read_text("utf-8")):
        root = args.sources / record["repo"].replace("/", "+", 1)
        if not root.is_dir():
            continue
        started = time.perf_counter()
        try:
            analysis = analyse(root, command=record["launch"], cwd=record["cwd"] or ".", rulebook=rulebook)
        except Exception:
            failed += 1
            print(f"| {record['repo']} | FAILED | {traceback.format_exc(limit=-3).strip()} | | |")
            continue
        seconds = time.perf_counter() - started
        scores = ", ".join(
            f"{a.id.partition('/')[0]} {a.score:g}/{a.max:g} ({a.applicable:g})" for a in analysis.audits
        )
        counts = collections.Counter(i.status.value for a in analysis.audits for i in a.items)
        statuses = ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))
        print(
            f"| {record['repo']} | {analysis.detection.framework} | {scores or '–'} | {statuses} | {seconds:.1f} |",
            flush=True,
        )
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
