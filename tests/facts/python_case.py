"""Build an index over files given as text."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from gto_rules.facts.python import Call, PythonIndex, PythonModule
from gto_rules.project.project import Project


def make_index(folder: Path, files: dict[str, str]) -> PythonIndex:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return PythonIndex(Project.open(folder))


def make_module(folder: Path, text: str, **others: str) -> PythonModule:
    """The module ``main.py``; ``others`` are further files (``__`` for a slash) without their suffix."""
    files = {name.replace("__", "/") + ".py": body for name, body in others.items()}
    module = make_index(folder, {"main.py": text, **files}).module("main.py")
    assert module is not None
    return module


def call_named(module: PythonModule, last: str) -> Call:
    """The only call whose function ends with this word."""
    found = [c for c in module.calls if c.last == last]
    assert len(found) == 1, f"{len(found)} calls of {last}"
    return found[0]
