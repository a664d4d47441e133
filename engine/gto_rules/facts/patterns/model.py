"""What matchers work on and give."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeAlias

from tree_sitter import Node

from gto_rules.facts.prefilter import words_of
from gto_rules.facts.python.calls import Call
from gto_rules.facts.python.grammar import captures, compile_query
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.python.model import Function
from gto_rules.facts.python.module import PythonModule

# Every group must have at least one of its words in a file, or the file cannot match.
Anchors: TypeAlias = tuple[frozenset[bytes], ...]


def anchor_words(names: Iterable[str]) -> frozenset[bytes]:
    """The last plain word of each canonical name: code that reaches the name must hold it."""
    return frozenset(next(w for w in reversed(n.split(".")) if "*" not in w).encode() for n in names)


@dataclass(frozen=True, slots=True)
class Found:
    """One match.

    Attributes:
        node: The matched node.
        start: Start of the stretch that ``inside`` looks at (a loop's body, not its head).
        end: End of it.
        certain: False when something that decides is only known at run time.
        captures: Nodes by metavariable.
    """

    node: Node
    start: int
    end: int
    certain: bool = True
    captures: Mapping[str, Node] = field(default_factory=dict)

    @classmethod
    def of(cls, node: Node, certain: bool = True, captures: Mapping[str, Node] | None = None) -> Found:
        return cls(node, node.start_byte, node.end_byte, certain, captures or {})

    @property
    def key(self) -> tuple[int, int]:
        return self.node.start_byte, self.node.end_byte


class Matcher(Protocol):
    """Finds matches in one module."""

    @property
    def anchors(self) -> Anchors: ...
    def find(self, context: Context) -> Sequence[Found]: ...


class Context:
    """One module being matched; every matcher's answer is kept for the others that refer to it."""

    def __init__(
        self, module: PythonModule, index: PythonIndex, heirs: Mapping[bytes, frozenset[bytes]] | None = None
    ) -> None:
        """``heirs``: names of possible subclasses by the last word of a class, which count as its anchor words."""
        self.module = module
        self.index = index
        self._heirs = heirs or {}
        self._nodes: dict[str, list[Node]] = {}
        self._found: dict[int, tuple[Matcher, Sequence[Found]]] = {}
        self._lineages: dict[str, tuple[str, ...]] = {}

    def find(self, matcher: Matcher) -> Sequence[Found]:
        held = self._found.get(id(matcher))
        if held is None:
            held = (matcher, matcher.find(self) if self._can_match(matcher.anchors) else ())
            self._found[id(matcher)] = held
        return held[1]

    def _can_match(self, anchors: Anchors) -> bool:
        return all(any(self._holds(word) for word in group) for group in anchors)

    def _holds(self, word: bytes) -> bool:
        return not self._words.isdisjoint(self._heirs.get(word, ())) or self._words.issuperset(words_of(word))

    @cached_property
    def _words(self) -> frozenset[bytes]:
        return frozenset(words_of(self.module.text))

    def nodes(self, kind: str) -> list[Node]:
        """All nodes of one type, in source order."""
        if kind not in self._nodes:
            self._nodes[kind] = captures(compile_query(f"({kind}) @match"), self.module.root).get("match", [])
        return self._nodes[kind]

    def lineage(self, name: str) -> tuple[str, ...]:
        """A canonical name with, if it is a class of the project, the names of its bases."""
        held = self._lineages.get(name)
        if held is None:
            own = self.index.layout.locate(name) is not None
            held = tuple(self.index.bases(name)) if own else (name,)
            self._lineages[name] = held
        return held

    @cached_property
    def functions(self) -> dict[str, Function]:
        """Functions and methods of the module by canonical name."""
        return {self.module.qualified(f.qualname): f for f in self.module.functions}

    @cached_property
    def calls_by_last(self) -> dict[str, list[Call]]:
        """Calls by the last word of what is called, as written."""
        out: dict[str, list[Call]] = {}
        for call in self.module.calls:
            out.setdefault(call.last, []).append(call)
        return out

    @cached_property
    def renaming_calls(self) -> dict[str, list[Call]]:
        """Calls by canonical name, where it may end in another word than is written: aliases, classes, ``__init__``."""
        out: dict[str, list[Call]] = {}
        plain = self._plain_names
        for last, calls in self.calls_by_last.items():
            renames = last[:1].isupper() or last == "__init__"
            for call in calls:
                if call.receiver is None and last in plain:
                    continue
                if (renames or call.receiver is None) and call.name is not None:
                    out.setdefault(call.name, []).append(call)
        return out

    @cached_property
    def _plain_names(self) -> frozenset[str]:
        """Names that mean the same everywhere in the module, and end as they are written: builtins, foreign imports."""
        bindings = self.module.scope.bindings
        plain = {name for name in dir(builtins) if name not in bindings}
        for one in self.module.imports:
            held = bindings.get(one.alias, ())
            kept = one.name.rpartition(".")[2] == one.alias and all(b.kind == "import" for b in held)
            if kept and self.index.layout.locate(one.name) is None:
                plain.add(one.alias)
        local = {name for scope in self.module.scopes for name in scope.bindings if scope is not self.module.scope}
        return frozenset(plain - local)

    @cached_property
    def callers(self) -> dict[str, list[Call]]:
        """Calls in the module by canonical name."""
        out: dict[str, list[Call]] = {}
        for call in self.module.calls:
            if call.name is not None:
                out.setdefault(call.name, []).append(call)
        return out


def both(*verdicts: bool | None) -> bool | None:
    """Three-valued and."""
    if any(v is False for v in verdicts):
        return False
    return None if any(v is None for v in verdicts) else True


def either(*verdicts: bool | None) -> bool | None:
    """Three-valued or."""
    if any(v is True for v in verdicts):
        return True
    return None if any(v is None for v in verdicts) else False
