"""The launch commands of one script, read by itself."""

from __future__ import annotations

from pathlib import Path

from gto_rules.documents.model import SourceText
from gto_rules.errors import LaunchError
from gto_rules.project.launch import read_text
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.model import FileEntry, Inventory, Launch
from gto_rules.project.project import Project
from gto_rules.project.shell_state import State
from gto_rules.project.shell_text import of_source
from gto_rules.rulebook.model import Rulebook


def commands_of(source: SourceText, root: Path, rulebook: Rulebook) -> list[Launch]:
    """Every command that starts a program which a launcher rule knows; other scripts are not followed."""
    alone = Project(root, Inventory(root, (FileEntry(source.path, len(source.raw)),)))
    specs = [LauncherSpec.from_mapping(rule.data) for rule in rulebook.of("launcher")]
    state = State(root=str(root), script=source.path)
    try:
        found, _ = read_text(of_source(source), "", alone, specs, state, (source.path,))
    except LaunchError:
        return []
    return [one.launch for one in found if not one.reading.opaque]
