"""From a rule and a place to a finding."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from gto_rules.documents.model import SourceText
from gto_rules.evaluate.finding import Finding, FindingFix, Text
from gto_rules.location import Evidence, Span
from gto_rules.rulebook.model import Rule

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w.]*)\}")
# A match may be a whole loop: what is shown and marked is its head.
_LONGEST_LINE = 400


@dataclass(frozen=True, slots=True)
class Place:
    """A span of a file's text."""

    source: SourceText
    span: Span


def text(value: Any) -> Text:
    """Words of a rule as a mapping by language."""
    return value if isinstance(value, Mapping) else {"en": str(value)}


def finding(
    rule: Rule,
    place: Place,
    words: Mapping[str, str],
    fix: FindingFix | None = None,
    related: tuple[Evidence, ...] = (),
) -> Finding:
    """A finding of ``rule`` at ``place``; ``words`` fill the placeholders of its message."""
    source, span = place.source, place.span
    line, column = source.position(span.start)
    end_line, end_column = source.position(span.end)
    return Finding(
        rule=rule.id,
        severity=rule.data["severity"],
        path=source.path,
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        span=span,
        message=filled(rule.data["message"], words),
        source=source.line_text(line)[:_LONGEST_LINE],
        fix=fix,
        related=related,
    )


def filled(message: Any, words: Mapping[str, str]) -> Text:
    """A message with its placeholders replaced; one that nothing fills stays as it is."""
    return {language: _PLACEHOLDER.sub(lambda m: words.get(m[1], m[0]), one) for language, one in text(message).items()}


def with_fingerprints(findings: list[Finding], path: str) -> list[Finding]:
    """Findings of one file in order, each with a fingerprint that lines above it do not change.

    It is taken over the file, the rule, the line's text without its white space, and how often
    the same occurred above.
    """
    seen: dict[tuple[str, str], int] = {}
    out = []
    for one in sorted(findings, key=lambda f: (f.span.start, f.span.end, f.rule)):
        key = (one.rule, "".join(one.source.split()))
        number = seen[key] = seen.get(key, -1) + 1
        digest = blake2b("\0".join((path, *key, str(number))).encode("utf-8", "surrogatepass"), digest_size=12)
        out.append(replace(one, path=path, fingerprint=digest.hexdigest()))
    return out
