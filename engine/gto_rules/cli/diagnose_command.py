"""Bottlenecks from a profiler trace (a file, or a folder with one file per rank) or from a finished run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gto_rules.cli.options import add_format, add_packs, print_json, rulebook_of
from gto_rules.errors import UsageError

_SUFFIXES = (".json", ".json.gz", ".pt.trace.json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("place", type=Path, metavar="TRACE|WORKDIR")
    add_packs(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    if not args.place.exists():
        raise UsageError(f"{args.place} does not exist")
    data = _of_run(args) if (args.place / "journal").is_dir() else _of_traces(args)
    if args.format == "json":
        print_json(data)
        return 1 if data["bottlenecks"] else 0
    _show(data, args.lang)
    return 1 if data["bottlenecks"] else 0


def _of_run(args: argparse.Namespace) -> dict[str, Any]:
    from gto_rules.loop.journal import Journal
    from gto_rules.loop.state import fold

    state = fold(Journal(args.place).events())
    version = list(state.bottlenecks)[-1] if state.bottlenecks else "v0"
    trials = [t for t in state.trials if t["version"] == version and t["status"] == "ok"]
    metrics = {**(trials[-1]["metrics"] if trials else {}), **state.traces.get(version, {}).get("metrics", {})}
    return {"metrics": {"ranks": {"0": metrics}}, "bottlenecks": state.bottlenecks.get(version, [])}


def _of_traces(args: argparse.Namespace) -> dict[str, Any]:
    from gto_rules.evaluate.diagnosis import diagnose
    from gto_rules.facts.model import Facts
    from gto_rules.measure.traces import read_traces

    paths = [args.place]
    if args.place.is_dir():
        paths = sorted(p for p in args.place.iterdir() if p.name.endswith(_SUFFIXES))
        if not paths:
            raise UsageError(f"{args.place} holds no trace (*.json or *.json.gz)")
    summaries = [read_traces([path]) for path in paths]
    joined = read_traces(paths)
    facts = Facts(project={}, launch=None, imports={}, dependencies={}, metrics=joined.metrics)
    found = diagnose(facts, rulebook_of(args))
    ranks = {str(n): dict(s.metrics) for n, s in enumerate(summaries)}
    return {
        "metrics": {"ranks": ranks},
        "bottlenecks": [b.to_json() for b in found],
        "top_operators": [row.to_json() for row in joined.operators],
        "top_kernels": [row.to_json() for row in joined.kernels],
        "notes": list(joined.notes),
    }


def _show(data: dict[str, Any], lang: str) -> None:
    from gto_rules.cli.show import say
    from gto_rules.report.text import number, picker

    pick = picker(lang)
    for rank, metrics in data["metrics"]["ranks"].items():
        print(f"rank {rank}")
        for name, value in sorted(metrics.items()):
            print(f"  {name:<32} {number(value, 1):>16}")
    for title, rows in (("operators", data.get("top_operators")), ("kernels", data.get("top_kernels"))):
        for row in (rows or ())[:10]:
            print(f"  {title[:-1]:<9} {100 * row['share']:5.1f} %  {say(row['name'], 90)}")
    for note in data.get("notes", ()):
        print(f"note: {say(note)}")
    for number_, bottleneck in enumerate(data["bottlenecks"], 1):
        print(f"{number_}. [{bottleneck['severity']}] {pick(bottleneck['title'])}: {pick(bottleneck['symptom'])}")
    if not data["bottlenecks"]:
        print("no bottleneck passes a threshold")
