"""Dockerfiles, compose files and Kubernetes manifests → the commands that they run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from gto_rules.documents.data_yaml import read_yaml
from gto_rules.documents.model import (
    ContainerDocument,
    DataDocument,
    Entry,
    Instruction,
    Scalar,
    Sequence,
    SourceText,
    walk,
)
from gto_rules.location import Span

_INSTRUCTION = re.compile(r"\s*([A-Za-z]+)\s+(.*)", re.S)
_COMPOSE_KEYS = frozenset(("command", "entrypoint"))
_KUBERNETES_KEYS = frozenset(("command", "args"))


def read_dockerfile(source: SourceText) -> ContainerDocument:
    """RUN, CMD, ENTRYPOINT, ENV and the other instructions, continuation lines joined."""
    instructions = []
    for text, span in _logical_lines(source):
        found = _INSTRUCTION.match(text)
        if found:
            name, rest = found[1].upper(), found[2].strip()
            words = _exec_form(rest) if name in ("RUN", "CMD", "ENTRYPOINT", "SHELL") else None
            instructions.append(Instruction(name, words or (), None if words else rest, span))
    return ContainerDocument(source, "dockerfile", source.problems, instructions=tuple(instructions))


def _exec_form(rest: str) -> tuple[str, ...] | None:
    if not rest.startswith("["):
        return None
    try:
        words = json.loads(rest)
    except ValueError:
        return None
    return tuple(map(str, words)) if isinstance(words, list) else None


def _logical_lines(source: SourceText) -> Iterator[tuple[str, Span]]:
    offset, start, parts = 0, 0, ""
    for raw in source.text.splitlines(keepends=True):
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if not parts:
            start = offset
        offset += len(raw)
        if line.lstrip().startswith("#") or (parts and not line.strip()):
            continue
        if line.rstrip().endswith("\\"):
            parts += line.rstrip()[:-1] + "\n"
            continue
        text = parts + line
        parts = ""
        if text.strip():
            yield text, Span(start, offset)
    if parts.strip():
        yield parts, Span(start, offset)


def read_compose(source: SourceText) -> ContainerDocument:
    """``command`` and ``entrypoint`` of every service."""
    return _from_data(source, "compose", read_yaml(source), _COMPOSE_KEYS)


def read_kubernetes(source: SourceText) -> ContainerDocument:
    """``command`` and ``args`` of every container."""
    return _from_data(source, "kubernetes", read_yaml(source), _KUBERNETES_KEYS)


def _from_data(source: SourceText, kind: str, data: DataDocument, keys: frozenset[str]) -> ContainerDocument:
    found = [_instruction(entry) for root in data.roots for path, entry in walk(root) if path[-1] in keys]
    return ContainerDocument(source, kind, data.problems, instructions=tuple(i for i in found if i is not None))


def _instruction(entry: Entry) -> Instruction | None:
    value = entry.value
    if isinstance(value, Sequence):
        words = tuple(str(i.value) for i in value.items if isinstance(i, Scalar))
        return Instruction(entry.key, words, None, entry.span)
    if isinstance(value, Scalar) and isinstance(value.value, str):
        return Instruction(entry.key, (), value.value, entry.span)
    return None
