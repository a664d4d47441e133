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
    Mapping,
    Node,
    Scalar,
    Sequence,
    SourceText,
    walk,
)
from gto_rules.location import Span

_INSTRUCTION = re.compile(r"\s*([A-Za-z]+)\s+((?:--\S+\s+)*)(.*)", re.S)
_HEREDOC = re.compile(r"<<-?[\"']?([A-Za-z_]\w*)[\"']?")
_ESCAPE = re.compile(rb"^#[ \t]*escape[ \t]*=[ \t]*`", re.I)
_COMMANDS = frozenset(("RUN", "CMD", "ENTRYPOINT", "SHELL"))
_COMPOSE_KEYS = frozenset(("command", "entrypoint", "environment"))
_KUBERNETES_KEYS = frozenset(("command", "args", "env"))


def read_dockerfile(source: SourceText) -> ContainerDocument:
    """RUN, CMD, ENTRYPOINT, ENV and the other instructions, continuation lines and here-documents joined."""
    instructions = []
    for text, span in _logical_lines(source):
        found = _INSTRUCTION.match(text)
        if found:
            name, rest = found[1].upper(), found[3].strip()
            words = _exec_form(rest) if name in _COMMANDS else None
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
    """Instructions without comments; a line that ends in the escape character goes on."""
    escape = "`" if _ESCAPE.match(source.text) else "\\"
    offset, start, parts = 0, 0, ""
    waiting: list[str] = []  # ends of here-documents
    for raw in source.text.splitlines(keepends=True):
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if not parts:
            start = offset
        offset += len(raw)
        if waiting:
            parts += "\n" + line
            if line.strip() == waiting[0]:
                waiting.pop(0)
            if waiting:
                continue
        elif line.lstrip().startswith("#") or (parts and not line.strip()):
            continue
        elif line.rstrip().endswith(escape):
            parts += line.rstrip()[:-1] + "\n"
            continue
        else:
            parts += line
            waiting = _HEREDOC.findall(parts) if parts.lstrip()[:4].upper() in ("RUN ", "COPY", "ADD ") else []
            if waiting:
                continue
        if parts.strip():
            yield parts, Span(start, offset - len(raw) + len(raw.rstrip(b"\r\n")))
        parts = ""
    if parts.strip():
        yield parts, Span(start, offset)


def read_compose(source: SourceText) -> ContainerDocument:
    """``command``, ``entrypoint`` and ``environment`` of every service."""
    return _from_data(source, "compose", read_yaml(source), _COMPOSE_KEYS)


def read_kubernetes(source: SourceText) -> ContainerDocument:
    """``command``, ``args`` and ``env`` of every container."""
    return _from_data(source, "kubernetes", read_yaml(source), _KUBERNETES_KEYS)


def _from_data(source: SourceText, kind: str, data: DataDocument, keys: frozenset[str]) -> ContainerDocument:
    found = [_instruction(entry) for root in data.roots for path, entry in walk(root) if path[-1] in keys]
    return ContainerDocument(source, kind, data.problems, instructions=tuple(i for i in found if i is not None))


def _instruction(entry: Entry) -> Instruction | None:
    value = entry.value
    if isinstance(value, Mapping):
        words = tuple(f"{e.key}={e.value.value}" for e in value.entries if isinstance(e.value, Scalar))
        return Instruction(entry.key, words, None, entry.span)
    if isinstance(value, Sequence):
        named = (_name_value(item) for item in value.items)
        return Instruction(entry.key, tuple(word for word in named if word is not None), None, entry.span)
    if isinstance(value, Scalar) and isinstance(value.value, str):
        return Instruction(entry.key, (), value.value, entry.span)
    return None


def _name_value(item: Node) -> str | None:
    """A word of a list; ``{name: N, value: V}`` as ``N=V``."""
    if isinstance(item, Scalar):
        return str(item.value)
    name, value = (item.get("name"), item.get("value")) if isinstance(item, Mapping) else (None, None)
    if name is None or value is None or not isinstance(name.value, Scalar) or not isinstance(value.value, Scalar):
        return None
    return f"{name.value.value}={value.value.value}"
