"""Matchers of calls by canonical name, by method, and of assignments to a canonical name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from tree_sitter import Node

from gto_rules.facts.patterns.model import Anchors, Context, Found, anchor_words, both
from gto_rules.facts.patterns.value_tests import SPLAT, Given, Test, from_items
from gto_rules.facts.python.calls import Call
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.match import matches_any
from gto_rules.facts.python.model import Argument

_PARTIAL = "functools.partial"


@dataclass(frozen=True)
class ArgumentTests:
    """Conditions on the arguments of a call.

    Attributes:
        keywords: Tests by keyword.
        positions: Place at which a keyword may stand without its name.
        positional: Tests by place.
        least: Fewest arguments.
        most: Most arguments, or None.
        required: Keywords that must be written for the tests to hold.
    """

    keywords: Mapping[str, Test] = field(default_factory=dict)
    positions: Mapping[str, int] = field(default_factory=dict)
    positional: Mapping[int, Test] = field(default_factory=dict)
    least: int = 0
    most: int | None = None
    required: frozenset[str] = frozenset()

    @property
    def anchors(self) -> Anchors:
        """Keywords that must be written."""
        return tuple(frozenset({name.encode()}) for name in sorted(self.required))

    def judge(self, context: Context, call: Call, arguments: Sequence[Argument], *, open_ended: bool) -> bool | None:
        """``open_ended``: other code may add arguments (``functools.partial``)."""
        counted = sum(a.kind in ("positional", "keyword") for a in arguments)
        splat = open_ended or any(a.kind in ("list_splat", "dict_splat") for a in arguments)
        enough: bool | None = counted >= self.least or (None if splat else False)
        few: bool | None = self.most is None or (counted <= self.most and (None if splat else True))
        verdicts = [enough, few]
        for name, test in self.keywords.items():
            given = self._given(context, call, arguments, name)
            verdicts.append(test(context, SPLAT if given is None and open_ended else given))
        for index, test in self.positional.items():
            verdicts.append(test(context, _at(context, call, arguments, index)))
        return both(*verdicts)

    def _given(self, context: Context, call: Call, arguments: Sequence[Argument], name: str) -> Given | str:
        for argument in arguments:
            if argument.kind == "keyword" and argument.name == name:
                return context.module.located(argument.value, call.scope)
        if name in self.positions:
            given = _at(context, call, arguments, self.positions[name])
            if given is not None:
                return given
        for argument in arguments:
            if argument.kind == "dict_splat":
                given = from_items(context.module.mapping(argument.value, call.scope), name)
                if given is not None:
                    return given
        return None


def _at(context: Context, call: Call, arguments: Sequence[Argument], index: int) -> Given | str:
    place = 0
    for argument in arguments:
        if argument.kind == "list_splat":
            return SPLAT
        if argument.kind == "positional":
            if place == index:
                return context.module.located(argument.value, call.scope)
            place += 1
    return None


@dataclass(frozen=True, eq=False)
class CallMatcher:
    """Calls of a canonical name; for a class also those of its subclasses and ``super().__init__``."""

    names: tuple[str, ...]
    tests: ArgumentTests

    @cached_property
    def anchors(self) -> Anchors:
        return (anchor_words(self.names),)

    def find(self, context: Context) -> list[Found]:
        found = {}
        for call in self._candidates(context):
            verdict = self._judge(context, call)
            if verdict is not False:
                found[call.node.start_byte, call.node.end_byte] = Found.of(call.node, verdict is True)
        return [found[key] for key in sorted(found)]

    def _candidates(self, context: Context) -> Iterable[Call]:
        if any("*" in word for word in self._words):
            return context.module.calls
        direct = (call for word in self._words for call in context.calls_by_last.get(word, ()))
        renamed = (
            call
            for name, calls in context.renaming_calls.items()
            if name == _PARTIAL or self._means(context, name)
            for call in calls
        )
        return chain(direct, renamed, context.calls_by_last.get("partial", ()))

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(n.rpartition(".")[2] for n in self.names)

    def _judge(self, context: Context, call: Call) -> bool | None:
        name, arguments = call.name, call.arguments if call.name else ()
        if name is None:
            return False
        partial = name == _PARTIAL and bool(arguments) and arguments[0].kind == "positional"
        if partial:
            name, arguments = context.module.canonical(arguments[0].value, call.scope), arguments[1:]
        if name is None or not self._means(context, name):
            return False
        return self.tests.judge(context, call, arguments, open_ended=partial)

    def _means(self, context: Context, name: str) -> bool:
        if matches_any(name, self.names):
            return True
        if name.endswith(".__init__"):
            return any(matches_any(n, self.names) for n in context.lineage(name[: -len(".__init__")]))
        bases = context.lineage(name)
        if len(bases) == 1 or not any(matches_any(base, self.names) for base in bases[1:]):
            return False
        # A class with its own __init__ decides the arguments in its super().__init__(...), which is matched itself.
        return not any(_defines_init(context, base) for base in bases)


def _defines_init(context: Context, name: str) -> bool:
    found = context.index.class_named(name)
    return found is not None and found.scope is not None and "__init__" in found.scope.bindings


@dataclass(frozen=True, eq=False)
class MethodMatcher:
    """Method calls ``x.name(...)``; with ``of`` only on objects known to be of these classes."""

    methods: frozenset[str]
    of: tuple[str, ...]
    receiver: Test | None
    tests: ArgumentTests

    @cached_property
    def anchors(self) -> Anchors:
        return (frozenset(m.encode() for m in self.methods), *self.tests.anchors)

    def find(self, context: Context) -> list[Found]:
        found = []
        for call in (c for method in self.methods for c in context.calls_by_last.get(method, ())):
            verdict = self._judge(context, call, call.receiver) if call.receiver is not None else False
            if verdict is not False:
                found.append(Found.of(call.node, verdict is True, {"RECEIVER": call.receiver or call.node}))
        return sorted(found, key=lambda f: f.key)

    def _judge(self, context: Context, call: Call, receiver: Node) -> bool | None:
        if self.of:
            cls = context.module.instance_of(receiver, call.scope) or (call.name or "").rpartition(".")[0]
            if not any(matches_any(name, self.of) for name in context.lineage(cls)):
                return False
        verdict = self.tests.judge(context, call, call.arguments, open_ended=False)
        if self.receiver is not None:
            verdict = both(verdict, self.receiver(context, context.module.located(receiver, call.scope)))
        return verdict


@dataclass(frozen=True, eq=False)
class AssignMatcher:
    """Assignments to an attribute with a canonical name: ``lib.flags.x = value``."""

    names: tuple[str, ...]
    value: Test | None

    @cached_property
    def anchors(self) -> Anchors:
        return (anchor_words(self.names),)

    def find(self, context: Context) -> list[Found]:
        return list(self._find(context))

    def _find(self, context: Context) -> Iterator[Found]:
        words = {n.rpartition(".")[2] for n in self.names}
        for one in context.module.attribute_assignments:
            if one.attribute not in words or one.augmented:
                continue
            owner = context.module.canonical(one.object, one.scope) or text_of(one.object)
            if not matches_any(f"{owner}.{one.attribute}", self.names):
                continue
            verdict = self.value(context, context.module.located(one.value, one.scope)) if self.value else True
            if verdict is not False:
                yield Found.of(one.node, verdict is True, {"VALUE": one.value})
