"""Files that a launch command names, read for what they say about nodes and ranks."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Protocol

from gto_rules.documents.model import DataDocument, Document, Scalar, SourceText
from gto_rules.location import Span
from gto_rules.project.model import Place


class ProjectFiles(Protocol):
    """The part of a project that reading launch commands needs."""

    def exists(self, path: str) -> bool: ...

    def source(self, path: str) -> SourceText: ...

    def read(self, path: str) -> Document: ...


class NamedFiles:
    """Looks files up relative to the folder in which the command runs."""

    def __init__(self, files: ProjectFiles | None, root: str | None, cwd: str) -> None:
        self.files = files
        self.root = root
        self.cwd = cwd

    def find(self, path: str) -> str | None:
        """``path`` as the project names it, or None when it is not in the project."""
        if self.files is None or not path or "$" in path or "\0" in path or "://" in path:
            return None
        if posixpath.isabs(path):
            if self.root is None:
                return None
            relative = posixpath.relpath(path, self.root)
        else:
            relative = posixpath.normpath(posixpath.join(self.cwd, path))
        return relative if not relative.startswith("..") and self.files.exists(relative) else None

    def config(self, path: str) -> Mapping[str, tuple[str, Place]] | None:
        """Scalars of a YAML or JSON file by dotted key path; None when it cannot be read."""
        found = self.find(path)
        document = self.files.read(found) if self.files is not None and found is not None else None
        if not isinstance(document, DataDocument):
            return None
        from gto_rules.documents.model import walk

        values: dict[str, tuple[str, Place]] = {}
        for root in document.roots:
            for keys, entry in walk(root):
                if isinstance(entry.value, Scalar):
                    span = entry.value.span
                    place = Place(found, document.source.position(span.start)[0], span)
                    values[".".join(keys)] = (str(entry.value.value), place)
        return values

    def hosts(self, path: str) -> tuple[int, int | None, Place] | None:
        """Hosts in a file of hosts, their slots when all have the same, and the place of the first."""
        found = self.find(path)
        if found is None or self.files is None:
            return None
        source = self.files.source(found)
        lines = list(re.finditer(rb"^[ \t]*([^\s#][^#\r\n]*)", source.text, re.M))
        if not lines:
            return None
        slots = {_slots(m.group(1)) for m in lines}
        start, end = lines[0].span(1)
        place = Place(found, source.position(start)[0], Span(start, end))
        return len(lines), slots.pop() if len(slots) == 1 else None, place


def _slots(line: bytes) -> int | None:
    match = re.search(rb"(?:slots\s*=\s*|:)(\d{1,6})\s*$", line.split(b"max")[0].rstrip())
    return int(match.group(1)) if match else None
