"""Measure gto-rules on a folder beside the floor under it.

    python tools/bench.py FOLDER [--runs 3] [--commands detect,audit] [--launch CMD]

Prints the median wall time and the highest peak memory of separate processes, all in one run so
that the figures can be compared:

    interpreter   starting Python and ending it again
    read          reading every Python file
    parse         reading and parsing every Python file with tree-sitter, nothing else
    detect        gto-rules detect FOLDER
    audit         gto-rules audit FOLDER

`ratio` is the time without the interpreter's start, divided by that of `parse`. The first run of a
command compiles the rules into their cache and is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_READ = """
import sys
from pathlib import Path
files = [p.read_bytes() for p in sorted(Path(sys.argv[1]).rglob("*.py")) if p.is_file()]
"""
_PARSE = """
import sys
from pathlib import Path
import tree_sitter_python
from tree_sitter import Language, Parser
parser = Parser(Language(tree_sitter_python.language()))
for path in sorted(Path(sys.argv[1]).rglob("*.py")):
    if path.is_file():
        parser.parse(path.read_bytes())
"""


@dataclass(frozen=True)
class Timing:
    """Median wall time in seconds, its spread, peak resident memory in MiB, exit code of the last run."""

    name: str
    seconds: float
    least: float
    most: float
    memory: float
    code: int


def main(argv: Sequence[str] | None = None) -> int:
    args = _arguments(argv)
    commands = {
        "interpreter": [sys.executable, "-c", "pass"],
        "read": [sys.executable, "-c", _READ, str(args.folder)],
        "parse": [sys.executable, "-c", _PARSE, str(args.folder)],
    }
    extra = ["--launch", args.launch] if args.launch else []
    for name in args.commands:
        program = [sys.executable, "-m", "gto_rules.cli.main", name, str(args.folder), *extra, "--format", "json"]
        commands[name] = program
        _run(program)
    timings = measure(commands, args.runs)
    if args.json:
        print(json.dumps([vars(t) for t in timings], indent=1))
    else:
        _print(args.folder, timings)
    return 0 if all(t.code in (0, 1) for t in timings) else 1


def measure(commands: dict[str, list[str]], runs: int) -> list[Timing]:
    """Run the commands in turn, ``runs`` times each, so that a slow minute hits all of them."""
    seen: dict[str, list[tuple[float, float, int]]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            seen[name].append(_run(command))
    return [_timing(name, held) for name, held in seen.items()]


def _timing(name: str, held: Sequence[tuple[float, float, int]]) -> Timing:
    seconds = [s for s, _, _ in held]
    return Timing(name, statistics.median(seconds), min(seconds), max(seconds), max(m for _, m, _ in held), held[-1][2])


def _run(command: Sequence[str]) -> tuple[float, float, int]:
    """Seconds, peak MiB and exit code of one process."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    code = process.returncode = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):
        sys.stderr.write(errors.decode("utf-8", "replace"))
    # Linux counts in KiB, macOS in bytes.
    scale = 1024 * 1024 if sys.platform == "darwin" else 1024
    return seconds, usage.ru_maxrss / scale, code


def _print(folder: Path, timings: Sequence[Timing]) -> None:
    files = [p for p in folder.rglob("*.py") if p.is_file()]
    total = sum(p.stat().st_size for p in files) / 1e6
    print(f"{folder}: {len(files)} Python files, {total:.1f} MB")
    print(f"{'':14}{'median s':>10}{'min':>8}{'max':>8}{'peak MiB':>10}{'ratio':>8}")
    by_name = {t.name: t for t in timings}
    start, parse = by_name["interpreter"].seconds, by_name["parse"].seconds
    for timing in timings:
        ratio = (timing.seconds - start) / (parse - start)
        shown = "" if timing.name == "interpreter" else f"{ratio:8.2f}"
        failed = f"   exit code {timing.code}" if timing.code not in (0, 1) else ""
        print(
            f"{timing.name:14}{timing.seconds:10.3f}{timing.least:8.3f}{timing.most:8.3f}"
            f"{timing.memory:10.0f}{shown:>8}{failed}"
        )


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure gto-rules on a folder beside a bare parse of it.")
    parser.add_argument("folder", type=Path, help="a source tree, for example an unpacked source distribution")
    parser.add_argument("--runs", type=int, default=3, help="runs of each command (default: 3)")
    parser.add_argument("--commands", default="detect,audit", type=lambda text: [c for c in text.split(",") if c])
    parser.add_argument("--launch", help="launch command to pass on")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(argv)
    if not args.folder.is_dir():
        parser.error(f"there is no folder {args.folder}")
    return args


if __name__ == "__main__":
    sys.exit(main())
