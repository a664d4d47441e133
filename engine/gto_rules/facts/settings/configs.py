"""Configuration files that a launch names, and keys in them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from gto_rules.documents.model import DataDocument, Entry, Mapping, Node, Scalar, to_python
from gto_rules.facts.model import Origin, OriginKind
from gto_rules.facts.settings.typed import from_value
from gto_rules.facts.settings.words import Flag


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration file of a launch.

    Attributes:
        path: Relative to the project, or as written when the project does not hold it.
        document: Its content; None when it is not in the project or holds no data.
        role: ``launcher`` or ``program``: whose words name it.
        flag: Name of the flag that holds it; None for a positional word.
        position: Index among the positional words, else None.
        guessed: The launch rule does not call it a configuration file: only known settings are read in it.
    """

    path: str
    document: DataDocument | None
    role: str
    flag: str | None = None
    position: int | None = None
    guessed: bool = False


def candidates(written: str, cwd: str, root: str = "") -> Iterator[str]:
    """Places in the project that a path on a command line may mean: from ``cwd`` first, then from the root.

    ``root`` is the project's own absolute path: absolute paths below it are places in the project.
    """
    seen: set[str] = set()
    if root and written.startswith(root + "/"):
        yield posixpath.normpath(written[len(root) + 1 :])
    for base in (cwd, "."):
        path = posixpath.normpath(posixpath.join(base, written))
        if path not in seen and not path.startswith(("..", "/")):
            seen.add(path)
            yield path


def find_entry(document: DataDocument, key: str) -> Entry | None:
    """The entry at a dotted key; keys that hold dots themselves are found too."""
    for root in document.roots:
        entry = _descend(root, key.split("."))
        if entry is not None:
            return entry
    return None


def _descend(node: Node, parts: list[str]) -> Entry | None:
    if not isinstance(node, Mapping):
        return None
    for size in range(len(parts), 0, -1):
        entry = node.get(".".join(parts[:size]))
        if entry is None:
            continue
        if size == len(parts):
            return entry
        found = _descend(entry.value, parts[size:])
        if found is not None:
            return found
    return None


def leaves(document: DataDocument) -> Iterator[tuple[str, Entry]]:
    """Every key of a document with a scalar or list value, dotted."""
    for root in document.roots:
        yield from _leaves(root, "")


def _leaves(node: Node, prefix: str) -> Iterator[tuple[str, Entry]]:
    for entry in node.entries if isinstance(node, Mapping) else ():
        name = prefix + entry.key
        if isinstance(entry.value, Mapping):
            yield from _leaves(entry.value, name + ".")
        else:
            yield name, entry


def entry_origin(kind: OriginKind, document: DataDocument, entry: Entry, key: str, type_: str) -> Origin:
    """What an entry of a data file sets."""
    source = document.source
    line, _ = source.position(entry.value.span.start)
    value = from_value(to_python(entry.value), type_)
    if isinstance(value, str) and _is_placeholder(entry.value):
        reason = f"{value} is filled in at run time"
        return Origin(kind, document.path, line, entry.value.span, None, value, True, reason, key, entry.span)
    text = source.slice(entry.value.span)
    return Origin(kind, document.path, line, entry.value.span, value, text, key=key, anchor=entry.span)


def _is_placeholder(node: Node) -> bool:
    """``${oc.env:HOME}``, ``{{ value }}`` and the like."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return False
    return "${" in node.value or "{{" in node.value


def config_role(word: str, launcher: tuple[Flag, ...], program: tuple[Flag, ...]) -> tuple[str, str | None]:
    """Who names a file, and by which flag."""
    for role, flags in (("program", program), ("launcher", launcher)):
        for flag in flags:
            if any(value.text == word for value in flag.values):
                return role, flag.name
    return "program", None


__all__ = [
    "ConfigFile",
    "candidates",
    "config_role",
    "entry_origin",
    "find_entry",
    "leaves",
]
