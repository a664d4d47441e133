"""Measure a project in a fork: one clean run, one profiled run, the diagnosis, the reports. Nothing is changed."""

from __future__ import annotations

import argparse

from gto_rules.cli import tune_command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    tune_command.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    args.rounds = 0
    return tune_command.run(args)
