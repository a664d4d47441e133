"""Declared dependencies of a project, one entry for each distribution."""

from __future__ import annotations

import re
from posixpath import dirname

from gto_rules.documents import DEPENDENCY_KINDS
from gto_rules.documents.model import Requirement, RequirementsDocument
from gto_rules.facts.model import Dependency
from gto_rules.project.project import Project

_PINNED = re.compile(r"^\s*={2,3}\s*([^,*\s]+)\s*$")


def read_dependencies(project: Project, cwd: str = ".") -> dict[str, Dependency]:
    """Dependencies by normalised name.

    Where several files declare one, the file nearest to ``cwd`` (the folder of the launch) wins,
    and among those one that pins the version (a lock file beside a loose requirement).
    """
    found: dict[str, list[tuple[tuple[int, bool, str], Dependency]]] = {}
    for path in project.files_of(*sorted(DEPENDENCY_KINDS)):
        document = project.read(path)
        for requirement in document.requirements if isinstance(document, RequirementsDocument) else ():
            version = pinned_version(requirement)
            line = document.source.position(requirement.span.start)[0]
            entry = Dependency(requirement.name, requirement.specifier, version, path, line)
            rank = (_distance(dirname(path), cwd), version is None, path)
            found.setdefault(requirement.name, []).append((rank, entry))
    return {name: min(entries, key=lambda e: e[0])[1] for name, entries in sorted(found.items())}


def pinned_version(requirement: Requirement) -> str | None:
    """The one version that a requirement allows, or None."""
    match = _PINNED.match(requirement.specifier)
    return match[1] if match else None


def _distance(folder: str, cwd: str) -> int:
    """Steps from the folder of a file to the folder of the launch; a subfolder counts double."""
    ours, theirs = _parts(folder), _parts(cwd)
    shared = 0
    while shared < min(len(ours), len(theirs)) and ours[shared] == theirs[shared]:
        shared += 1
    return (len(theirs) - shared) + 2 * (len(ours) - shared)


def _parts(folder: str) -> list[str]:
    return [p for p in folder.split("/") if p not in ("", ".")]
