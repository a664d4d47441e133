"""Commands that the project's own package installs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gto_rules.project.launch_files import ProjectFiles

_FILES = ("pyproject.toml", "setup.cfg", "setup.py")
_LINE = re.compile(r"""^[\s"'\[,]*([\w.-]+)["']?\s*=\s*["']?([A-Za-z_][\w.]*):([A-Za-z_][\w.]*)""")
_QUOTED = re.compile(r"""["']\s*([\w.-]+)\s*=\s*([A-Za-z_][\w.]*):([A-Za-z_][\w.]*)\s*["']""")
_SECTION = re.compile(r"^\s*\[+([^\]]*)\]+\s*$")
_MAX_BYTES = 500_000


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """``name`` runs ``function`` of ``module``; declared at ``path:line``."""

    name: str
    module: str
    function: str
    path: str
    line: int


def entry_points(files: ProjectFiles | None) -> dict[str, EntryPoint]:
    """Installed commands by name."""
    found: dict[str, EntryPoint] = {}
    for path in _FILES if files is not None else ():
        if files is not None and files.exists(path):
            text = files.source(path).text[:_MAX_BYTES].decode("utf-8", "replace")
            for point in _of_setup(text) if path == "setup.py" else _of_table(text, path):
                found.setdefault(point.name, point)
    return found


def _of_table(text: str, path: str) -> Iterator[EntryPoint]:
    """``[project.scripts]``, ``[tool.poetry.scripts]`` and ``console_scripts`` of setup.cfg."""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        section = _SECTION.match(line)
        if section is not None:
            name = section.group(1).strip()
            inside = name.endswith("scripts") or name == "options.entry_points"
        match = _LINE.match(line) if inside else None
        if match is not None:
            yield EntryPoint(match.group(1), match.group(2), match.group(3), path, number)


def _of_setup(text: str) -> Iterator[EntryPoint]:
    if "console_scripts" not in text:
        return
    for number, line in enumerate(text.split("\n"), 1):
        for match in _QUOTED.finditer(line):
            yield EntryPoint(match.group(1), match.group(2), match.group(3), "setup.py", number)
