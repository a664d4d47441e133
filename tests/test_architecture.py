"""The house: which room may import which, how long files are, who may end the program."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ENGINE = Path(__file__).parent.parent / "engine" / "gto_rules"
ROOMS = ("documents", "project", "rulebook", "facts", "evaluate", "patch", "check", "measure", "loop", "report", "cli")
# Below every room: places and errors.
FOUNDATION = ("errors", "location")
LONGEST_FILE = 400
FILES = sorted(ENGINE.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Every room or foundation module that a file imports, type-checking imports included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            parts = name.split(".")
            if parts[0] == "gto_rules" and len(parts) > 1:
                found.add(parts[1])
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ENGINE).as_posix())
def test_rooms_import_only_what_lies_above_them(path: Path) -> None:
    room = path.relative_to(ENGINE).parts[0].removesuffix(".py")
    above = ROOMS[: ROOMS.index(room) + 1] if room in ROOMS else ()
    assert imported(path) <= {*FOUNDATION, *above, "__version__"}


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ENGINE).as_posix())
def test_files_stay_short(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST_FILE


def test_every_room_is_listed() -> None:
    folders = {p.name for p in ENGINE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert folders == set(ROOMS)


def test_only_the_command_line_ends_the_program() -> None:
    probe = ENGINE / "measure" / "probe"
    for path in FILES:
        if path == ENGINE / "cli" / "main.py" or probe in path.parents:
            continue
        text = path.read_text("utf-8")
        assert "sys.exit(" not in text and "os._exit(" not in text, path
