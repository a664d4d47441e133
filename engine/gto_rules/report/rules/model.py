"""A rule as a page in one language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# (English, Chinese) → the text of the page's language.
Say = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a list, ``depth`` levels deep; code stands in backticks."""

    depth: int
    text: str


@dataclass(frozen=True, slots=True)
class Sample:
    """A piece of code, configuration or output with what it shows. ``language`` names its syntax."""

    label: str
    language: str
    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """Where a claim comes from."""

    url: str
    proves: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A rule in one language.

    Attributes:
        id: Id of the rule; ``kind``, ``pack``, ``path`` and ``line`` say what it is and where it stands.
        title: Its title.
        summary: What it says, one paragraph each.
        facts: Label → value: severity, priority, points, risk...
        why: Why it matters.
        conditions: (label, lines) of when it holds, applies, is recommended.
        exact: The condition as it stands in the rule, where words would lose some of it.
        samples: What it looks like: first what is at fault, then how it should be.
        fix: What to do, one line each.
        gain: What that is expected to bring.
        false_alarms: Known cases in which the rule is wrong.
        references: Where its claims come from.
        related: Ids of rules that it names.
        cases: (name, whether the rule holds) of the cases beside it.
    """

    id: str
    kind: str
    pack: str
    path: str
    line: int
    title: str
    summary: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    why: str = ""
    conditions: tuple[tuple[str, tuple[Line, ...]], ...] = ()
    exact: str = ""
    samples: tuple[Sample, ...] = ()
    fix: tuple[Line, ...] = ()
    gain: str = ""
    gain_source: str = ""
    false_alarms: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    related: tuple[str, ...] = ()
    cases: tuple[tuple[str, bool], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The page as plain data."""
        return {
            "id": self.id,
            "kind": self.kind,
            "pack": self.pack,
            "path": self.path,
            "line": self.line,
            "title": self.title,
            "what": list(self.summary),
            "facts": dict(self.facts),
            "why": self.why or None,
            "conditions": {
                label: [{"depth": one.depth, "text": one.text} for one in lines] for label, lines in self.conditions
            },
            "exact": self.exact or None,
            "example": [
                {"label": one.label, "language": one.language, "path": one.path or None, "text": one.text}
                for one in self.samples
            ],
            "fix": [one.text for one in self.fix],
            "gain": {"text": self.gain, "source": self.gain_source or None} if self.gain else None,
            "false_alarms": list(self.false_alarms),
            "references": [
                {"url": one.url, "proves": one.proves or None, "version": one.version or None}
                for one in self.references
            ],
            "cases": [{"name": name, "holds": holds} for name, holds in self.cases],
        }
