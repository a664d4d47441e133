"""Rule data → matchers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from gto_rules.errors import Diagnostic, RulebookError
from gto_rules.facts.patterns.calls import ArgumentTests, AssignMatcher, CallMatcher, MethodMatcher
from gto_rules.facts.patterns.code import CodeMatcher
from gto_rules.facts.patterns.combine import (
    AnyMatcher,
    FilteredMatcher,
    NamedMatcher,
    QueryMatcher,
    Relation,
)
from gto_rules.facts.patterns.errors import PatternError
from gto_rules.facts.patterns.model import Anchors, Matcher, anchor_words
from gto_rules.facts.patterns.regions import BlockMatcher, ClassMatcher, FunctionMatcher, LoopMatcher
from gto_rules.facts.patterns.uses import ImportMatcher, UseMatcher
from gto_rules.facts.patterns.value_tests import compile_test, needs_value
from gto_rules.location import Location
from gto_rules.rulebook.model import Rule

Data = Mapping[str, Any]
_RELATIONS = ("inside", "has", "follows", "precedes", "with", "also")
_ARGUMENTS = ("keywords", "positions", "positional", "arguments")
_OPTIONS: dict[str, tuple[str, ...]] = {
    "call": _ARGUMENTS,
    "method": ("of", "receiver", *_ARGUMENTS),
    "assign": ("value",),
    "code": ("where",),
    "query": (),
    "use": (),
    "import": (),
    "block": (),
    "function": (),
    "class": (),
    "loop": (),
    "any": (),
    "all": (),
}


@dataclass(frozen=True)
class Pattern:
    """A compiled rule.

    ``anchors`` are the rule's own, or those that its matcher implies; ``classes`` those of them
    that name a class whose subclasses count too. A ``fragment`` only serves other patterns.
    """

    id: str
    matcher: Matcher
    anchors: Anchors
    classes: frozenset[bytes] = frozenset()
    fragment: bool = False


def compile_patterns(rules: Iterable[Rule]) -> dict[str, Pattern]:
    """Matchers of all pattern rules by id.

    Raises:
        RulebookError: with every rule that cannot be compiled.
    """
    compiler = _Compiler({rule.id: rule for rule in rules})
    return _compiled(compiler, compiler.rules)


def _compiled(compiler: _Compiler, wanted: Iterable[str]) -> dict[str, Pattern]:
    diagnostics: list[Diagnostic] = []
    out: dict[str, Pattern] = {}
    for rule_id in wanted:
        rule = compiler.rules[rule_id]
        try:
            out[rule.id] = compiler.pattern(rule.id)
        except PatternError as error:
            place = ".".join(("match", *error.where))
            location = Location(rule.path, rule.line)
            diagnostics.append(Diagnostic(f"{place}: {error.message}", location, rule.id, error.expected))
    if diagnostics:
        raise RulebookError(diagnostics)
    return out


def compile_selected(rules: Iterable[Rule], wanted: Iterable[str]) -> dict[str, Pattern]:
    """The matchers of the rules with these ids; of the others only what they refer to.

    Raises:
        RulebookError: with every wanted rule that cannot be compiled.
    """
    return _compiled(_Compiler({rule.id: rule for rule in rules}), wanted)


class _Compiler:
    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.rules = rules
        self._done: dict[str, Pattern] = {}
        self._open: list[str] = []
        self._classes: set[bytes] = set()

    def pattern(self, rule_id: str) -> Pattern:
        if rule_id not in self._done:
            if rule_id in self._open:
                raise PatternError(f"patterns refer to each other in a ring: {' → '.join((*self._open, rule_id))}")
            self._open.append(rule_id)
            try:
                self._done[rule_id] = self._compiled(rule_id)
            finally:
                self._open.pop()
        return self._done[rule_id]

    def _compiled(self, rule_id: str) -> Pattern:
        data = self.rules[rule_id].data
        matcher = self.matcher(data.get("match"))
        own = data.get("anchors") or ()
        groups = own if own and isinstance(own[0], list) else [own] if own else []
        anchors = tuple(dict.fromkeys((*matcher.anchors, *(frozenset(w.encode() for w in g) for g in groups))))
        classes = frozenset(w for group in anchors for w in group if w in self._classes)
        return Pattern(rule_id, matcher, anchors, classes, bool(data.get("fragment", False)))

    def matcher(self, data: Any) -> Matcher:
        if isinstance(data, str):
            return self._named(data)
        if isinstance(data, list):
            return AnyMatcher(tuple(self._at(str(n), d) for n, d in enumerate(data)))
        if not isinstance(data, Mapping):
            raise PatternError(f"a matcher was expected, not {data!r}", expected=", ".join(_OPTIONS))
        heads = [key for key in _OPTIONS if key in data]
        if len(heads) != 1:
            raise PatternError(f"one of {', '.join(_OPTIONS)} was expected", expected="exactly one of them")
        base, relations = self._base(heads[0], data), self._relations(heads[0], data)
        return FilteredMatcher(base, tuple(relations)) if relations else base

    def _at(self, where: str, data: Any) -> Matcher:
        try:
            return self.matcher(data)
        except PatternError as error:
            raise error.within(where) from error

    def _named(self, rule_id: str) -> Matcher:
        if rule_id not in self.rules:
            near = get_close_matches(rule_id, self.rules, 1)
            raise PatternError(f"there is no pattern '{rule_id}'", expected=near[0] if near else "the id of a pattern")
        found = self.pattern(rule_id)
        return NamedMatcher(rule_id, found.matcher, found.anchors)

    def _base(self, head: str, data: Data) -> Matcher:
        try:
            return _BUILDERS[head](self, data)
        except re.error as error:
            raise PatternError(f"wrong regular expression: {error}").within(head) from error
        except PatternError as error:
            raise error.within(head) from error

    def _relations(self, head: str, data: Data) -> Iterable[Relation]:
        found: list[Relation] = []
        for key, value in data.items():
            if key == head or key in _OPTIONS[head] or key == "within":
                continue
            doubt, negated = key.startswith("unsure_"), key.startswith("not_")
            kind = key.removeprefix("not_").removeprefix("unsure_")
            if key == "not":
                kind, negated = "also", True
            if key == "without":
                kind, negated = "with", True
            if kind not in _RELATIONS:
                known = (*_OPTIONS[head], *_RELATIONS, "not_inside", "unsure_inside", "not", "without", "within")
                raise PatternError(f"unknown word '{key}' beside '{head}'", expected=", ".join(known))
            within = data.get("within", "function")
            if within not in ("loop", "function", "module"):
                raise PatternError(f"'within: {within}'", expected="loop, function or module")
            found.append(Relation(kind, negated, self._at(key, value), within, doubt))  # type: ignore[arg-type]
        return found

    def call(self, data: Data) -> Matcher:
        names = _words(data["call"])
        self._classes |= {w for w in anchor_words(names) if w[:1].isupper()}
        return CallMatcher(names, self.arguments(data))

    def method(self, data: Data) -> Matcher:
        receiver = compile_test(data["receiver"]) if "receiver" in data else None
        return MethodMatcher(
            frozenset(_words(data["method"])), _words(data.get("of", ())), receiver, self.arguments(data)
        )

    def arguments(self, data: Data) -> ArgumentTests:
        counts, keywords, positions = (data.get(key, {}) for key in ("arguments", "keywords", "positions"))
        return ArgumentTests(
            {k: compile_test(v) for k, v in keywords.items()},
            positions,
            {int(k): compile_test(v) for k, v in data.get("positional", {}).items()},
            counts.get("min", 0),
            counts.get("max"),
            frozenset(k for k, v in keywords.items() if k not in positions and needs_value(v)),
        )

    def assign(self, data: Data) -> Matcher:
        return AssignMatcher(_words(data["assign"]), compile_test(data["value"]) if "value" in data else None)

    def code(self, data: Data) -> Matcher:
        matcher = CodeMatcher(data["code"], {k: compile_test(v) for k, v in data.get("where", {}).items()})
        matcher.shape  # noqa: B018  (raises if it is not Python)
        return matcher

    def query(self, data: Data) -> Matcher:
        matcher = QueryMatcher(data["query"])
        matcher.check()
        return matcher

    def use(self, data: Data) -> Matcher:
        names = _words(data["use"])
        if any("*" in n for n in names):
            raise PatternError("'use' needs whole names", expected="import: [...] for all of a package")
        return UseMatcher(names)

    def imports(self, data: Data) -> Matcher:
        return ImportMatcher(_words(data["import"]))

    def block(self, data: Data) -> Matcher:
        inner = data["block"]
        _only(inner, ("kind", "head", "not_head", "holding", "value"))
        holding = self._at("holding", inner["holding"]) if "holding" in inner else None
        value = compile_test(inner["value"]) if "value" in inner else None
        return BlockMatcher(_words(inner["kind"]), _regex(inner, "head"), _regex(inner, "not_head"), holding, value)

    def function(self, data: Data) -> Matcher:
        inner = data["function"]
        _only(inner, ("named", "decorated"))
        decorated = self._at("decorated", inner["decorated"]) if "decorated" in inner else None
        return FunctionMatcher(_regex(inner, "named"), decorated)

    def klass(self, data: Data) -> Matcher:
        _only(data["class"], ("of",))
        names = _words(data["class"]["of"])
        self._classes |= anchor_words(names)
        return ClassMatcher(names)

    def loop(self, data: Data) -> Matcher:
        inner = data["loop"]
        _only(inner, ("reaching", "unless"))
        unless = self._at("unless", inner["unless"]) if "unless" in inner else None
        return LoopMatcher(self._at("reaching", inner["reaching"]), unless)

    def any(self, data: Data) -> Matcher:
        return AnyMatcher(tuple(self._at(str(n), d) for n, d in enumerate(data["any"])))

    def all(self, data: Data) -> Matcher:
        first, *rest = [self._at(str(n), d) for n, d in enumerate(data["all"])]
        return FilteredMatcher(first, tuple(Relation("also", False, m) for m in rest))


_BUILDERS: dict[str, Callable[[_Compiler, Data], Matcher]] = {
    "call": _Compiler.call,
    "method": _Compiler.method,
    "assign": _Compiler.assign,
    "code": _Compiler.code,
    "query": _Compiler.query,
    "use": _Compiler.use,
    "import": _Compiler.imports,
    "block": _Compiler.block,
    "function": _Compiler.function,
    "class": _Compiler.klass,
    "loop": _Compiler.loop,
    "any": _Compiler.any,
    "all": _Compiler.all,
}


def _words(data: Any) -> tuple[str, ...]:
    words = (data,) if isinstance(data, str) else tuple(data)
    if not all(isinstance(w, str) for w in words):
        raise PatternError(f"a name or a list of names was expected, not {data!r}")
    return words


def _regex(data: Data, key: str) -> re.Pattern[str] | None:
    return re.compile(data[key]) if key in data else None


def _only(data: Any, known: tuple[str, ...]) -> None:
    if not isinstance(data, Mapping):
        raise PatternError(f"a mapping was expected, not {data!r}", expected=", ".join(known))
    for key in data:
        if key not in known:
            raise PatternError(f"unknown word '{key}'", expected=", ".join(known))
