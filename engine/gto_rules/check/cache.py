"""Results by content, so that an unchanged file is not checked again.

One file holds the results for one set of rules: plain data, sealed by a digest (``rulebook.cache``). An entry
counts only while the file, every project file that decided something, and the declared versions are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

from gto_rules import __version__
from gto_rules.check.file import FileResult
from gto_rules.check.model import Skipped
from gto_rules.check.ruleset import RuleSet
from gto_rules.evaluate.finding import Finding, FindingFix, Suppression, TextEdit
from gto_rules.location import Evidence, Span
from gto_rules.rulebook.cache import read_cache, write_cache

# Results kept besides those of the last run.
_KEPT = 50_000

Plain = tuple[Any, ...]
DigestOf = Callable[[str], str]


def digest_of(raw: bytes) -> str:
    return blake2b(raw, digest_size=12).hexdigest()


def rules_key(rules: RuleSet) -> str:
    """What identifies the rules in force, the engine and the form of the entries."""
    ids = "\n".join(rule.id for rule in rules.rules)
    return blake2b(f"check 2 {__version__} {rules.rulebook.digest}\n{ids}".encode(), digest_size=16).hexdigest()


class ResultCache:
    """Results of one set of rules. Any damage to its file counts as an empty cache."""

    def __init__(self, key: str) -> None:
        self._key = key
        stored = read_cache(key)
        self._held: dict[str, Plain] = stored if isinstance(stored, dict) else {}
        self._new: dict[str, Plain] = {}
        self._used: dict[str, Plain] = {}

    def get(self, key: str, digest: DigestOf) -> FileResult | None:
        """The result under ``key`` if the files that it rests on are the same.

        Args:
            key: Of the file: its path, content and surroundings.
            digest: Gives the digest of another project file; "" for one that is not there.
        """
        plain = self._held.get(key)
        if plain is None:
            return None
        try:
            result, rests_on = plain
            if any(digest(path) != wanted for path, wanted in rests_on.items()):
                return None
            found = thaw(result)
        except (TypeError, ValueError, KeyError, AttributeError):
            return None
        self._used[key] = plain
        return found

    def put(self, key: str, result: Plain, rests_on: Mapping[str, str]) -> None:
        self._new[key] = (result, dict(rests_on))

    def save(self) -> None:
        """Write what is new; the oldest results go when there are too many."""
        if not self._new:
            return
        fresh = {**self._used, **self._new}
        old = [(k, v) for k, v in self._held.items() if k not in fresh][-_KEPT:]
        write_cache(self._key, {**dict(old), **fresh})


def freeze(result: FileResult) -> Plain:
    """A result as plain data."""
    return (
        tuple(_finding(f) for f in result.findings),
        tuple(_finding(f) for f in result.suppressed),
        tuple((s.path, s.reason, s.line) for s in result.skipped),
    )


def thaw(plain: Plain) -> FileResult:
    """The result that ``freeze`` took apart."""
    findings, suppressed, skipped = plain
    return FileResult(
        tuple(_thawed(f) for f in findings),
        tuple(_thawed(f) for f in suppressed),
        tuple(Skipped(*s) for s in skipped),
    )


def _finding(one: Finding) -> Plain:
    fix = None
    if one.fix is not None:
        edits = tuple((e.span.start, e.span.end, e.text) for e in one.fix.edits)
        fix = (dict(one.fix.title), edits, one.fix.risk)
    hidden = one.suppression
    return (
        one.rule,
        one.severity,
        one.path,
        (one.line, one.column, one.end_line, one.end_column, one.span.start, one.span.end),
        dict(one.message),
        one.source,
        one.fingerprint,
        fix,
        tuple((e.path, e.line, e.text) for e in one.related),
        (hidden.kind, hidden.reason, hidden.line) if hidden is not None else None,
    )


def _thawed(plain: Plain) -> Finding:
    rule, severity, path, place, message, source, fingerprint, fix, related, hidden = plain
    line, column, end_line, end_column, start, end = place
    mended = None
    if fix is not None:
        title, edits, risk = fix
        mended = FindingFix(title, tuple(TextEdit(Span(s, e), new) for s, e, new in edits), risk)
    return Finding(
        rule,
        severity,
        path,
        line,
        column,
        end_line,
        end_column,
        Span(start, end),
        message,
        source,
        fingerprint,
        mended,
        tuple(Evidence(*e) for e in related),
        Suppression(*hidden) if hidden is not None else None,
    )
