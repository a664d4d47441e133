"""Packs and rules after loading: plain values, the same in every process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Rule:
    """One rule file (or one row of a table file), validated and defaulted.

    Attributes:
        id: ``<pack>/<slug>``.
        kind: ``detector``, ``settings``, ``pattern``, ``audit``, ``item``, ``diagnosis``, ``remedy``,
            ``repair``, ``launcher``, ``trial``, ``hardware``, ``policy``, ``fragment``.
        pack: Name of the pack it belongs to.
        data: The file's content as plain dicts, lists and scalars, overrides applied.
        path: The rule file, relative to the folder that holds its pack.
        line: Line of the rule's ``id`` in that file.
    """

    id: str
    kind: str
    pack: str
    data: Mapping[str, Any]
    path: str
    line: int = 1

    @property
    def slug(self) -> str:
        return self.id.partition("/")[2]


@dataclass(frozen=True)
class Pack:
    """A folder of rules. ``uses`` names packs whose settings and items apply with this one."""

    name: str
    version: str
    path: str
    framework: str | None = None
    uses: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Rulebook:
    """All packs compiled. ``digest`` changes when any rule, the schemas or the engine changes."""

    packs: Mapping[str, Pack]
    rules: tuple[Rule, ...]
    digest: str

    def of(self, kind: str, packs: frozenset[str] | None = None) -> tuple[Rule, ...]:
        """Rules of one kind in id order, optionally only from some packs."""
        return tuple(r for r in self.rules if r.kind == kind and (packs is None or r.pack in packs))

    def get(self, rule_id: str) -> Rule:
        """The rule with this id; raises ``KeyError`` if there is none."""
        for rule in self.rules:
            if rule.id == rule_id:
                return rule
        raise KeyError(rule_id)

    def active(self, frameworks: tuple[str, ...]) -> frozenset[str]:
        """Names of the packs that apply to these frameworks: their own, what those use, and
        every pack without a framework."""
        names = {n for n, p in self.packs.items() if p.framework is None or p.framework in frameworks}
        todo = list(names)
        while todo:
            for used in self.packs[todo.pop()].uses:
                if used in self.packs and used not in names:
                    names.add(used)
                    todo.append(used)
        return frozenset(names)
