"""Matchers of imports and mentions of a canonical name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from gto_rules.facts.patterns.model import Anchors, Context, Found, anchor_words
from gto_rules.facts.python.match import name_matches
from gto_rules.facts.python.mentions import mentions


@dataclass(frozen=True, eq=False)
class UseMatcher:
    """Any mention of a canonical name outside of imports: called, passed on, used as a decorator."""

    names: tuple[str, ...]

    @cached_property
    def anchors(self) -> Anchors:
        return (anchor_words(self.names),)

    def find(self, context: Context) -> list[Found]:
        return [Found.of(node) for _, node in mentions(context.module, self.names)]


@dataclass(frozen=True, eq=False)
class ImportMatcher:
    """Imports of a module, or of anything below it."""

    names: tuple[str, ...]

    @cached_property
    def anchors(self) -> Anchors:
        return (anchor_words(self.names),)

    def find(self, context: Context) -> list[Found]:
        return [
            Found.of(imported.node.parent or imported.node)
            for imported in context.module.imports
            if any(name_matches(imported.name, n) or imported.name.startswith(n + ".") for n in self.names)
        ]
