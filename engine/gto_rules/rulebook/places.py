"""YAML of a rule file → plain data, with the place of every key and value, within limits.

Loading is safe (no tags that build objects) and bounded, so that a pack cannot hang or fill the
memory of the machine that reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

from gto_rules.errors import Diagnostic
from gto_rules.location import Location

KeyPath: TypeAlias = tuple[str | int, ...]

SIZE_LIMIT = 4_000_000
DEPTH_LIMIT = 40
NODE_LIMIT = 400_000
ALIAS_LIMIT = 100


@dataclass(frozen=True)
class Placed:
    """A rule file as data.

    Attributes:
        data: Its content, or None if it could not be loaded.
        places: (line, column) of the value at each key path; the key's own place for mapping keys
            under the path with ``"<key>"`` appended.
        lines: The file's lines, for showing.
        diagnostics: What is wrong with it.
        changed: Top-level keys that another file overrides: that file, and the key path there.
    """

    path: str
    data: Any = None
    places: Mapping[KeyPath, tuple[int, int]] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    changed: Mapping[str, tuple[Placed, KeyPath]] = field(default_factory=dict)

    def written(self, at: KeyPath) -> str:
        """The plain word that stands at a key path, as it is written; "" if the place is not known."""
        line, column = self.places.get(at, (0, 0))
        word = _WORD.match(self.lines[line - 1], column - 1) if 0 < line <= len(self.lines) else None
        return word[0] if word else ""

    def diagnostic(
        self,
        message: str,
        at: KeyPath,
        *,
        key: bool = False,
        expected: str | None = None,
        hint: str | None = None,
        rule: str | None = None,
    ) -> Diagnostic:
        """A diagnostic at a key path (or the nearest enclosing place that is known)."""
        if at and at[0] in self.changed:
            other, prefix = self.changed[str(at[0])]
            return other.diagnostic(message, (*prefix, *at), key=key, expected=expected, hint=hint, rule=rule)
        path: KeyPath = (*at, "<key>") if key else at
        while path and path not in self.places:
            path = path[:-1]
        line, column = self.places.get(path, (1, 1))
        shown = self.lines[line - 1] if 0 < line <= len(self.lines) else None
        return Diagnostic(message, Location(self.path, line, column), rule, expected, hint, shown)


def load_placed(text: str, path: str) -> Placed:
    """Load one YAML document; everything wrong with it becomes a diagnostic with its place."""
    lines = tuple(text.splitlines())
    if len(text) > SIZE_LIMIT:
        return _failed(path, lines, f"the file is larger than {SIZE_LIMIT:,} characters", 1, 1)
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        return _failed(path, lines, _syntax_message(error, lines, line), line, column)
    except (yaml.YAMLError, RecursionError) as error:
        return _failed(path, lines, f"the file is not YAML: {error}", 1, 1)
    if root is None:
        return _failed(path, lines, "the file is empty", 1, 1)
    builder = _Builder(path, lines)
    data = builder.build(root, (), 0)
    return Placed(path, data, builder.places, lines, tuple(builder.diagnostics))


def _syntax_message(error: yaml.MarkedYAMLError, lines: tuple[str, ...], line: int) -> str:
    shown = lines[line - 1] if 0 < line <= len(lines) else ""
    if "\t" in shown[: len(shown) - len(shown.lstrip())]:
        return "YAML does not allow tabs for indentation; use spaces"
    context = f"{error.context}, " if error.context else ""
    return f"YAML syntax error: {context}{error.problem}"


def _failed(path: str, lines: tuple[str, ...], message: str, line: int, column: int) -> Placed:
    shown = lines[line - 1] if 0 < line <= len(lines) else None
    return Placed(path, None, {}, lines, (Diagnostic(message, Location(path, line, column), source_line=shown),))


class _Builder:
    def __init__(self, path: str, lines: tuple[str, ...]) -> None:
        self.path = path
        self.lines = lines
        self.places: dict[KeyPath, tuple[int, int]] = {}
        self.diagnostics: list[Diagnostic] = []
        self.nodes = 0
        self.visits: dict[int, int] = {}
        self.construct = yaml.SafeLoader("")

    def complain(self, node: yaml.Node, message: str, **more: Any) -> None:
        line, column = node.start_mark.line + 1, node.start_mark.column + 1
        shown = self.lines[line - 1] if line <= len(self.lines) else None
        self.diagnostics.append(Diagnostic(message, Location(self.path, line, column), source_line=shown, **more))

    def build(self, node: yaml.Node, at: KeyPath, depth: int) -> Any:
        self.nodes += 1
        self.visits[id(node)] = self.visits.get(id(node), 0) + 1
        if depth > DEPTH_LIMIT or self.nodes > NODE_LIMIT or self.visits[id(node)] > ALIAS_LIMIT:
            if len(self.diagnostics) < 3:
                self.complain(node, f"nested deeper than {DEPTH_LIMIT}, larger than allowed, or aliased without end")
            return None
        self.places[at] = (node.start_mark.line + 1, node.start_mark.column + 1)
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, at, depth)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*at, number), depth + 1) for number, item in enumerate(node.value)]
        return self.scalar(node)

    def mapping(self, node: yaml.MappingNode, at: KeyPath, depth: int) -> dict[Any, Any]:
        merged: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _MERGE:
                merged |= self.merge(value_node, at, depth)
        # What is merged stands elsewhere; the mapping and its own keys stand here.
        self.places[at] = (node.start_mark.line + 1, node.start_mark.column + 1)
        out: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _MERGE:
                continue
            key = self.key(key_node)
            if key in out:
                self.complain(key_node, f"the key '{key}' stands twice", hint="remove one of them")
                continue
            place = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            named: KeyPath = (*at, key, "<key>")
            self.places[named] = place
            out[key] = self.build(value_node, (*at, key), depth + 1)
        return {**merged, **out}

    def merge(self, node: yaml.Node, at: KeyPath, depth: int) -> dict[Any, Any]:
        """The keys that ``<<`` brings in; keys written beside it win."""
        parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
        built = [self.build(part, at, depth + 1) for part in reversed(parts)]
        if not all(isinstance(part, yaml.MappingNode) for part in parts):
            self.complain(node, "'<<' takes a mapping, or a list of mappings")
        return {key: value for part in built if isinstance(part, dict) for key, value in part.items()}

    def key(self, node: yaml.Node) -> Any:
        """A key as text; YAML 1.1 reads ``on`` and ``no`` as booleans, which no rule key is meant to be."""
        if not isinstance(node, yaml.ScalarNode):
            self.complain(node, "a key must be a plain word")
            return str(node.start_mark.index)
        value = self.value(node)
        if isinstance(value, bool) and str(node.value).lower() not in ("true", "false"):
            self.complain(
                node,
                f"YAML reads the bare key '{node.value}' as {str(value).lower()}",
                hint=f'write it in quotes: "{node.value}"',
            )
            return str(node.value)
        return value

    def scalar(self, node: yaml.Node) -> Any:
        value = self.value(node)
        self.warn_of_traps(node, value)
        return value

    def value(self, node: yaml.Node) -> Any:
        try:
            value = self.construct.construct_object(node)
        except (yaml.YAMLError, ValueError, LookupError, AttributeError) as error:
            # The last two: what PyYAML makes of a tag that its text does not fit, e.g. !!bool maybe.
            why = getattr(error, "problem", None) or f"'{node.value}' is no {str(node.tag).rpartition(':')[2]}"
            self.complain(node, f"this value cannot be read: {why}")
            return None
        if isinstance(value, str | int | float | bool) or value is None:
            return value
        return str(node.value)  # dates and the like stay as they are written

    def warn_of_traps(self, node: yaml.Node, value: Any) -> None:
        """Complain about a bare word that YAML 1.1 reads as something else than it looks like."""
        written = str(node.value)
        odd_word = isinstance(value, bool) and written.lower() not in ("true", "false")
        odd_number = type(value) is int and _ODD_NUMBER.match(written) is not None
        if odd_word or odd_number:
            shown = str(value).lower()
            self.complain(node, f"YAML reads the bare word '{written}' as {shown}", hint=_choose(written, shown))


def _choose(written: str, shown: str) -> str:
    return f'write {shown}, or "{written}" in quotes'


_MERGE = "tag:yaml.org,2002:merge"
_WORD = re.compile(r"[^\s,\[\]{}#'\"]+")
# Octal 010, and minutes and seconds 1:30, which become 8 and 90.
_ODD_NUMBER = re.compile(r"[-+]?(0[0-7_]+|\d[\d_]*(:[0-5]?\d)+)$")
_NUMBER_LIKE = re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+$")


def type_hint(value: Any, wanted: str, written: str) -> str | None:
    """What YAML did to a value, when that explains a wrong type."""
    if isinstance(value, bool) and wanted == "string":
        return f'YAML reads the bare word as {str(value).lower()}; write it in quotes, e.g. "{written or "on"}"'
    if isinstance(value, str) and wanted in ("number", "integer") and _NUMBER_LIKE.match(value):
        return f"YAML 1.1 reads {value} as text; write it with a dot and a sign, e.g. 1.0e-5"
    if isinstance(value, float) and wanted == "string":
        return f'a version such as 1.10 must be in quotes: "{written or value}"'
    if isinstance(value, int) and wanted == "string":
        return f'write it in quotes: "{written or value}"'
    return None
