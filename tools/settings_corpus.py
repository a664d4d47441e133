#!/usr/bin/env python3
"""Holds resolved settings against hand-checked labels of real projects.

    settings_corpus.py CORPUS_DIR MANIFEST [--only SUBSTRING] [--wrong]

CORPUS_DIR holds one work tree per project, ``<owner>+<name>``. MANIFEST is a YAML list of records with ``repo``,
``launch``, ``cwd``, ``framework``, ``settings`` (``name``, ``value``, ``path``, ``line``) and ``unset``. A value
``unknown`` means that it is decided at run time. A label whose place is a file although its value stands in the
launch command itself (``path`` null in the result) counts as right in place when the value is.

Prints one row per project and the share that is right; exits 1 when a label of an ``hf_trainer`` project is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from gto_rules.facts.collect import collect
from gto_rules.facts.model import SettingValue
from gto_rules.facts.python import PythonIndex
from gto_rules.facts.settings import resolve_settings
from gto_rules.project.launch import read_launch
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.project import Project
from gto_rules.rulebook import Rulebook, load


@dataclass
class Score:
    """Right and wrong labels of one project."""

    repo: str
    framework: str
    right: int = 0
    total: int = 0
    unset_right: int = 0
    unset_total: int = 0
    wrong: list[str] = field(default_factory=list)


def resolved(root: Path, record: Mapping[str, Any], rulebook: Rulebook) -> dict[str, SettingValue]:
    """The settings of a project with its launch command, for the framework that the record names."""
    project = Project.open(root)
    launchers = [LauncherSpec.from_mapping(rule.data) for rule in rulebook.of("launcher")]
    command, cwd = record.get("launch"), record.get("cwd") or "."
    launch = read_launch(command, project=project, cwd=cwd, launchers=launchers) if command else None
    index = PythonIndex(project)
    facts = collect(project, rulebook, launch, index=index, patterns=False)
    facts = facts.with_(detection={"framework": record["framework"]})
    return resolve_settings(project, rulebook, launch, index, facts, rulebook.active((record["framework"],)))


def judge(score: Score, settings: Mapping[str, SettingValue], record: Mapping[str, Any]) -> None:
    """Counts the labels of ``record`` into ``score``."""
    for label in record.get("settings") or ():
        score.total += 1
        fault = _fault(label, settings.get(label["name"]))
        score.right += fault is None
        if fault:
            score.wrong.append(f"{label['name']}: {fault}")
    for name in record.get("unset") or ():
        score.unset_total += 1
        held = settings.get(name)
        good = held is None or held.kind in ("default", "unset")
        score.unset_right += good
        if not good and held is not None:
            score.wrong.append(f"{name}: should be unset, is {_shown(held)}")


def _fault(label: Mapping[str, Any], held: SettingValue | None) -> str | None:
    wanted = f"{label['value']!r} at {label['path']}:{label['line']}"
    if held is None:
        return f"absent, should be {wanted}"
    unknown = label["value"] == "unknown"
    if (held.kind == "computed") != unknown or (not unknown and held.value != label["value"]):
        return f"is {_shown(held)}, should be {wanted}"
    if held.origin is not None and held.origin.path is None and held.origin.kind in ("cli", "override", "env"):
        return None
    if held.origin is None or (held.origin.path, held.origin.line) != (label["path"], label["line"]):
        return f"is {_shown(held)}, should be {wanted}"
    return None


def _shown(held: SettingValue) -> str:
    place = f"{held.origin.path}:{held.origin.line}" if held.origin else "nowhere"
    reason = f" ({held.origin.reason})" if held.origin and held.origin.reason else ""
    return f"{held.value!r} [{held.kind}] at {place}{reason}"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Holds resolved settings against labels of real projects.")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--only", default="", help="projects whose name contains this")
    parser.add_argument("--wrong", action="store_true", help="print every wrong label")
    options = parser.parse_args(argv)
    rulebook = load()
    scores: list[Score] = []
    for record in yaml.safe_load(options.manifest.read_text(encoding="utf-8")):
        root = options.corpus / record["repo"].replace("/", "+")
        if not (record.get("settings") or record.get("unset")) or options.only not in record["repo"]:
            continue
        score = Score(record["repo"], record["framework"])
        scores.append(score)
        if not root.is_dir():
            score.wrong.append("work tree is missing")
            continue
        judge(score, resolved(root, record, rulebook), record)
    _print(scores, options.wrong)
    return int(any(s.wrong for s in scores if s.framework == "hf_trainer"))


def _print(scores: list[Score], wrong: bool) -> None:
    print(f"{'project':44} {'framework':13} {'set':>9} {'unset':>9}")
    for s in scores:
        print(f"{s.repo:44} {s.framework:13} {s.right:>4}/{s.total:<4} {s.unset_right:>4}/{s.unset_total:<4}")
        for line in s.wrong if wrong else ():
            print(f"    {line}")
    for framework in sorted({s.framework for s in scores}):
        rows = [s for s in scores if s.framework == framework]
        right, total = sum(s.right + s.unset_right for s in rows), sum(s.total + s.unset_total for s in rows)
        print(f"{framework}: {right} of {total} labels right ({100 * right / max(total, 1):.1f} %)")


if __name__ == "__main__":
    sys.exit(main())
