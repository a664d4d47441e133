"""Absolute paths into the original → the same paths in the fork."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from gto_rules.documents import read_source
from gto_rules.project.project import Project

# Kinds of files that say where things lie; data and binary files are left alone.
KINDS = (
    "python",
    "notebook",
    "yaml",
    "json",
    "toml",
    "ini",
    "shell",
    "makefile",
    "dockerfile",
    "compose",
    "setup_cfg",
    "pyproject",
)


@dataclass(frozen=True, slots=True)
class Relocation:
    """One file of the fork in which paths were rewritten."""

    path: str
    count: int


def relocate_text(text: str, original: Path, fork: Path) -> tuple[str, int]:
    """``text`` with every mention of the original's folder replaced by the fork's.

    Only whole path components count: ``/data/run`` does not match in ``/data/run2`` or ``/x/data/run``.
    """
    pattern = re.compile(rf"(?<![\w./~-]){re.escape(str(original))}(?=[/\s\"'`:;,)\]}}>|&#]|$)")
    return pattern.subn(lambda _: str(fork), text)


def relocate(project: Project, original: Path) -> tuple[Relocation, ...]:
    """Rewrite paths in the files of a fork; file encodings and all other bytes stay."""
    needle = os.fsencode(str(original))
    fork = project.root.resolve()
    changed = []
    for path in project.files_of(*KINDS):
        if needle not in project.raw(path):
            continue
        source = read_source(project.root / path, path)
        text, count = relocate_text(source.text.decode("utf-8"), original, fork)
        if count:
            (project.root / path).write_bytes(source.encode(text.encode("utf-8")))
            changed.append(Relocation(path, count))
    return tuple(changed)
