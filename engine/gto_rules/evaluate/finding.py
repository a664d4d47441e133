"""Findings: what a lint rule says about one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gto_rules.location import Evidence, Span

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")  # the strongest first
Text = Mapping[str, str]  # language code -> text; "en" is always there


@dataclass(frozen=True, slots=True, order=True)
class TextEdit:
    """Replace ``span`` of the file's UTF-8 text (without its byte-order mark) by ``text``."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class FindingFix:
    """A mechanical change that removes the finding. Edits are in text order and do not overlap."""

    title: Text
    edits: tuple[TextEdit, ...]
    risk: str = "neutral"


@dataclass(frozen=True, slots=True)
class Suppression:
    """Why a finding is not reported.

    Attributes:
        kind: A comment in the file, a path of the configuration, or the baseline file.
        reason: What its author wrote, or "".
        line: Line of the comment, for ``inline``.
    """

    kind: Literal["inline", "path", "baseline"]
    reason: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding at one place. Lines and columns count from 1, columns in characters.

    Attributes:
        rule: Id of the rule, ``<pack>/<slug>``.
        severity: How bad it is.
        path: File, relative to the folder that the check runs in (POSIX separators).
        line: First line; ``column`` its first character.
        end_line: Line of the end; ``end_column`` points just past the text.
        span: Byte span in the file's UTF-8 text.
        message: One sentence, by language.
        source: The text of ``line``, without its ending.
        fingerprint: The same for the same fault after lines above it moved; unique within a check.
        fix: How to mend it mechanically, or None.
        related: Other places that the finding rests on (the setting it contradicts).
        suppression: Set when the finding is known and not to be reported.
    """

    rule: str
    severity: Severity
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    span: Span
    message: Text
    source: str = ""
    fingerprint: str = ""
    fix: FindingFix | None = None
    related: tuple[Evidence, ...] = ()
    suppression: Suppression | None = None

    def to_json(self, lang: str = "en") -> dict[str, Any]:
        """The finding as the JSON contract of ``check`` gives it."""
        fix = None
        if self.fix is not None:
            fix = {
                "title": self.fix.title.get(lang, self.fix.title["en"]),
                "risk": self.fix.risk,
                "edits": [{"start": e.span.start, "end": e.span.end, "text": e.text} for e in self.fix.edits],
            }
        return {
            "rule": self.rule,
            "severity": self.severity,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
            "message": self.message.get(lang, self.message["en"]),
            "fingerprint": self.fingerprint,
            "related": [e.to_json() for e in self.related],
            "fix": fix,
        }
