"""The finding rules that are in force, sorted by what they look at, with the words that a file must hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gto_rules.evaluate.finding import SEVERITIES
from gto_rules.facts.patterns.compile import Pattern, compile_selected
from gto_rules.facts.prefilter import words_of
from gto_rules.facts.settings.surface import Surface, read_surfaces
from gto_rules.rulebook.model import Rule, Rulebook

Words = Collection[bytes]
Groups = tuple[frozenset[bytes], ...]


@dataclass(frozen=True)
class Selection:
    """Which findings are wanted.

    Attributes:
        select: Prefixes of rule ids, or names of packs; empty means every rule that is enabled.
        ignore: Prefixes of rule ids that are left out.
        severity: The weakest severity that is wanted.
        priorities: Only rules of these priorities; empty means all.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: str = "info"
    priorities: tuple[str, ...] = ()

    def wants(self, rule: Rule) -> bool:
        named = any(starts(rule.id, prefix) for prefix in self.select)
        if self.select and not named:
            return False
        if not rule.data.get("enabled", True) and not named:
            return False
        if any(starts(rule.id, prefix) for prefix in self.ignore):
            return False
        if self.priorities and rule.data.get("priority") not in self.priorities:
            return False
        return SEVERITIES.index(rule.data["severity"]) <= SEVERITIES.index(self.severity)


def starts(rule_id: str, prefix: str) -> bool:
    """Whether a rule is meant by an id, the beginning of one, or the name of a pack."""
    return rule_id == prefix or rule_id.startswith(prefix if "/" in prefix else f"{prefix}/")


@dataclass(frozen=True)
class RuleSet:
    """Finding rules by what they look at.

    Attributes:
        code: Rules over Python.
        places: Rules over settings that are written together.
        comments: Rules over suppressions.
        rulebook: Where patterns and surfaces come from.
    """

    code: tuple[Rule, ...]
    places: tuple[Rule, ...]
    comments: tuple[Rule, ...]
    rulebook: Rulebook
    _compiled: dict[str, Pattern] = field(default_factory=dict, compare=False, repr=False)

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(sorted((*self.code, *self.places, *self.comments), key=lambda r: r.id))

    @cached_property
    def patterns(self) -> Mapping[str, Pattern]:
        """The matcher of every code rule."""
        wanted = [rule.id for rule in self.code]
        return compile_selected((*self.rulebook.of("pattern"), *self.code), wanted)

    @cached_property
    def surfaces(self) -> Mapping[str, Surface]:
        wanted = {name for rule in self.places for name in _trigger(rule)["surfaces"]}
        rules = (*self.rulebook.of("surface"), *self.rulebook.of("settings"))
        return read_surfaces(rules, sorted(wanted))

    @cached_property
    def anchors(self) -> Mapping[str, tuple[Groups, frozenset[bytes]]]:
        """Groups of words by code rule, of each of which a file must hold one, and which of them are classes."""
        return {name: (tuple(p.anchors), p.classes) for name, p in self.patterns.items()}

    @cached_property
    def call_words(self) -> frozenset[bytes]:
        """Last words of the calls that take a surface's names."""
        names = (name.rpartition(".")[2] for s in self.surfaces.values() for name in s.calls)
        return frozenset(name.encode() for name in names)

    @cached_property
    def named_words(self) -> frozenset[bytes]:
        """Last words of every name that the rules look for: only files that hold one can lead to such a name."""
        patterns = {rule.id: rule.data for rule in self.rulebook.of("pattern")}
        names: set[str] = set()
        seen: set[str] = set()
        for rule in self.code:
            _collect_names(rule.data["match"], patterns, seen, names)
        # A plain word such as save or backward stands in every other file, and hardly ever means the library's there.
        words = {n.rpartition(".")[2] for n in names if "*" not in n}
        return frozenset(w.encode() for w in words if "_" in w or not w.islower()) | self.call_words

    @cached_property
    def command_words(self) -> tuple[frozenset[bytes], ...]:
        """For each kind of command the words that its text must hold."""
        commands = [c for s in self.surfaces.values() for c in s.commands]
        names = {name for c in commands for name in (*c.programs, *c.modules, *c.launchers)}
        names |= {name for s in self.surfaces.values() if any(c.environment for c in s.commands) for name in s.specs}
        return tuple(frozenset(words_of(name.encode())) for name in sorted(names))

    def code_rules(self, words: Words) -> list[Pattern]:
        """The patterns that a Python file with these words can match."""
        held = words if isinstance(words, frozenset | set) else frozenset(words)
        return [
            self.patterns[name]
            for name, (groups, _) in self.anchors.items()
            if all(any(_holds(held, word) for word in group) for group in groups)
        ]


# Keys of a matcher whose value is one canonical name or several.
_NAMING = frozenset(("call", "use", "assign", "of", "import", "name"))


def _collect_names(data: Any, patterns: Mapping[str, Any], seen: set[str], names: set[str]) -> None:
    """Every canonical name that a matcher, or a pattern that it refers to, looks for."""
    if isinstance(data, str):
        if data in patterns and data not in seen:
            seen.add(data)
            _collect_names(patterns[data].get("match"), patterns, seen, names)
    elif isinstance(data, list):
        for item in data:
            _collect_names(item, patterns, seen, names)
    elif isinstance(data, Mapping):
        for key, value in data.items():
            if key in _NAMING:
                names.update([value] if isinstance(value, str) else value)
            else:
                _collect_names(value, patterns, seen, names)


def _holds(words: frozenset[bytes] | set[bytes], word: bytes) -> bool:
    return word in words or (not word.isalnum() and words.issuperset(words_of(word)))


def _trigger(rule: Rule) -> Mapping[str, tuple[str, ...]]:
    trigger: Mapping[str, tuple[str, ...]] = rule.data.get("settings") or rule.data["names"]
    return trigger


def rule_set(rulebook: Rulebook, selection: Selection, rules: Iterable[Rule] | None = None) -> RuleSet:
    """The finding rules of a rulebook that a selection wants."""
    wanted = [r for r in (rulebook.of("finding") if rules is None else rules) if selection.wants(r)]
    return RuleSet(
        tuple(r for r in wanted if "match" in r.data),
        tuple(r for r in wanted if "settings" in r.data or "names" in r.data),
        tuple(r for r in wanted if "suppressions" in r.data),
        rulebook,
    )
