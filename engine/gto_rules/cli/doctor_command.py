"""What this machine offers for training: processor, memory, GPUs, disks, network, tools, and what is missing."""

from __future__ import annotations

import argparse
import importlib.util
import sys

from gto_rules.cli.options import add_format, add_packs, print_json, rulebook_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_packs(parser)
    add_format(parser, ("text", "json", "markdown"))


def run(args: argparse.Namespace) -> int:
    from gto_rules.measure.hardware import read_hardware

    rulebook = rulebook_of(args)
    table = [row for rule in rulebook.of("hardware") for row in rule.data.get("gpus", ())]
    hardware = read_hardware(table=table)
    hardware["tools"]["torch in this environment"] = _torch()
    if args.format == "json":
        print_json(hardware)
        return 0
    from pathlib import Path

    from gto_rules.report.render import render
    from gto_rules.report.tables import hardware_sections

    here = Path.cwd()
    values = {"version": "now", "hardware": hardware, "sections": hardware_sections(hardware)}
    text = render("system.md.j2", args.lang, here, here, values)
    sys.stdout.write(text if args.format == "markdown" else _plain(text))
    return 0


def _torch() -> str | None:
    return "importable" if importlib.util.find_spec("torch") else None


def _plain(markdown: str) -> str:
    """Markdown tables as aligned columns for a terminal."""
    out: list[str] = []
    block: list[list[str]] = []
    for line in [*markdown.splitlines(), ""]:
        if line.startswith("|"):
            cells = [c.strip() for c in line.strip("|").split("|")]
            if any(c.strip("-") for c in cells):
                block.append(cells)
            continue
        if block:
            widths = [max(len(row[i]) if i < len(row) else 0 for row in block) for i in range(max(map(len, block)))]
            out += ["  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=False)).rstrip() for row in block]
            block = []
        out.append(line.lstrip("# "))
    return "\n".join(out) + "\n"
