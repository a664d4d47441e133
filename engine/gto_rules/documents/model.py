"""What reading a file gives: text with exact positions, and a tree where there is a grammar."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from gto_rules.location import Location, Span

if TYPE_CHECKING:
    from tree_sitter import Tree

JsonScalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that kept a file, or part of it, from being read. ``line`` is None for a whole file."""

    path: str
    message: str
    line: int | None = None


@dataclass(frozen=True)
class SourceText:
    """The bytes of one file, decoded once.

    Attributes:
        path: Relative POSIX path, as it appears in every location.
        raw: The bytes on disk.
        text: The content as UTF-8 without a byte-order mark. All spans index these bytes;
            line endings are kept as they are.
        encoding: The Python codec that ``raw`` was decoded with (``utf-8``, ``latin-1``, ``utf-16-le``...).
        bom: The byte-order mark that ``raw`` starts with, or ``b""``.
        problems: What could not be read.
    """

    path: str
    raw: bytes
    text: bytes
    encoding: str = "utf-8"
    bom: bytes = b""
    problems: tuple[Problem, ...] = ()

    @cached_property
    def _line_starts(self) -> list[int]:
        starts, at = [0], 0
        while (at := self.text.find(b"\n", at) + 1) > 0:
            starts.append(at)
        return starts

    def line(self, offset: int) -> int:
        """The 1-based line of a byte offset into ``text``; cheaper than ``position`` on long lines."""
        return bisect_right(self._line_starts, offset)

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based (line, column in characters) of a byte offset into ``text``."""
        line = self.line(offset)
        start = self._line_starts[line - 1]
        return line, len(self.text[start:offset].decode("utf-8", "replace")) + 1

    def location(self, span: Span) -> Location:
        line, column = self.position(span.start)
        end_line, end_column = self.position(span.end)
        return Location(self.path, line, column, end_line, end_column)

    def line_text(self, line: int) -> str:
        """Line number ``line`` (from 1) without its line ending."""
        starts = self._line_starts
        end = starts[line] if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].decode("utf-8", "replace").rstrip("\r\n")

    def slice(self, span: Span) -> str:
        return self.text[span.start : span.end].decode("utf-8", "replace")

    def encode(self, text: bytes) -> bytes:
        """New UTF-8 ``text`` as the bytes to write: the file's own encoding and byte-order mark."""
        if self.encoding == "utf-8":
            return self.bom + text
        return self.bom + text.decode("utf-8").encode(self.encoding)


@dataclass(frozen=True)
class Document:
    """A file that was read. ``kind`` names the reader (``python``, ``yaml``, ``shell``...)."""

    source: SourceText
    kind: str
    problems: tuple[Problem, ...] = ()

    @property
    def path(self) -> str:
        return self.source.path


@dataclass(frozen=True)
class PythonDocument(Document):
    """A Python file; ``tree`` comes from tree-sitter-python and keeps going after syntax errors."""

    tree: Tree = field(default=None, kw_only=True)  # type: ignore[assignment]


@dataclass(frozen=True)
class ShellDocument(Document):
    """A shell script; ``tree`` comes from tree-sitter-bash."""

    tree: Tree = field(default=None, kw_only=True)  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A leaf of a data document. ``value`` is what the format's own loader gives (YAML 1.1 as PyYAML)."""

    value: JsonScalar
    span: Span
    style: str = "plain"  # plain | single | double | literal | folded


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a mapping. ``span`` runs from the key to the end of the value."""

    key: str
    key_span: Span
    value: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Mapping:
    entries: tuple[Entry, ...]
    span: Span
    flow: bool = False  # {a: 1} rather than block style

    def get(self, key: str) -> Entry | None:
        """The deciding (last) entry with this key."""
        for entry in reversed(self.entries):
            if entry.key == key:
                return entry
        return None


@dataclass(frozen=True, slots=True)
class Sequence:
    items: tuple[Node, ...]
    span: Span
    flow: bool = False


Node: TypeAlias = Scalar | Mapping | Sequence


def to_python(node: Node) -> Any:
    """The plain value of a node, as the format's own loader would give it."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [to_python(item) for item in node.items]
    return {entry.key: to_python(entry.value) for entry in node.entries}


def walk(node: Node, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Entry]]:
    """Every mapping entry below ``node`` with its key path; list positions appear as numbers."""
    if isinstance(node, Mapping):
        for entry in node.entries:
            path = (*prefix, entry.key)
            yield path, entry
            yield from walk(entry.value, path)
    elif isinstance(node, Sequence):
        for at, item in enumerate(node.items):
            yield from walk(item, (*prefix, str(at)))


@dataclass(frozen=True)
class DataDocument(Document):
    """YAML, JSON, TOML or INI: one root per document in the file (YAML may hold several)."""

    roots: tuple[Node, ...] = field(default=(), kw_only=True)

    def find(self, *path: str) -> Entry | None:
        """The entry at a key path in the first root that has it."""
        for root in self.roots:
            node: Node = root
            entry: Entry | None = None
            for key in path:
                entry = node.get(key) if isinstance(node, Mapping) else None
                if entry is None:
                    break
                node = entry.value
            if entry is not None:
                return entry
        return None


@dataclass(frozen=True, slots=True)
class Requirement:
    """One declared dependency. ``name`` is normalised (PEP 503); ``specifier`` as written, e.g. ``>=4.40,<5``."""

    name: str
    specifier: str
    span: Span
    marker: str = ""
    extras: tuple[str, ...] = ()


@dataclass(frozen=True)
class RequirementsDocument(Document):
    """requirements/constraints, setup.py, setup.cfg, pyproject, conda environment or lock file."""

    requirements: tuple[Requirement, ...] = field(default=(), kw_only=True)
    includes: tuple[str, ...] = field(default=(), kw_only=True)  # -r other.txt


@dataclass(frozen=True, slots=True)
class Cell:
    """One code cell of a notebook, as Python with magics blanked out (same length, so offsets hold).

    ``offsets[i]`` is the byte offset in the notebook file of byte ``i`` of ``document``'s text.
    """

    index: int
    document: PythonDocument
    offsets: tuple[int, ...]


@dataclass(frozen=True)
class NotebookDocument(Document):
    cells: tuple[Cell, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One Dockerfile instruction, or one command/args list of a compose or Kubernetes file.

    ``words`` is the exec form; ``shell`` the text of the shell form (one of the two is set).
    """

    name: str
    words: tuple[str, ...]
    shell: str | None
    span: Span


@dataclass(frozen=True)
class ContainerDocument(Document):
    instructions: tuple[Instruction, ...] = field(default=(), kw_only=True)
