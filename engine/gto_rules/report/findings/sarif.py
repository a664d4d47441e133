"""Findings as SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gto_rules import __version__
from gto_rules.check.model import CheckResult, Skipped
from gto_rules.documents import source_from_bytes
from gto_rules.documents.model import SourceText
from gto_rules.evaluate.finding import Finding, FindingFix
from gto_rules.location import Evidence, Span
from gto_rules.report.findings.words import spoken, visible
from gto_rules.rulebook.model import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_BASE = "CHECKROOT"


def render(result: CheckResult, lang: str, *, colour: bool = False) -> str:
    sources = _sources(result.root)
    found = [*result.findings, *result.suppressed]
    rules = [rule for rule in result.rules if rule.kind == "finding"]
    index = {rule.id: number for number, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "gto-rules",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(rule, lang) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_BASE: {"uri": f"{result.root.as_uri().rstrip('/')}/"}},
        "invocations": [_invocation(result)],
        "results": [_result(one, index, lang, sources) for one in found],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _sources(root: Path) -> Any:
    @cache
    def read(path: str) -> SourceText | None:
        try:
            return source_from_bytes((root / path).read_bytes(), path)
        except (OSError, ValueError):
            return None

    return read


def _words(value: Any, lang: str) -> str:
    return spoken(value, lang) if isinstance(value, Mapping) else visible(str(value))


def _text(value: Any, lang: str) -> str:
    """Words of several lines: each line is made safe."""
    text = (value.get(lang) or value["en"]) if isinstance(value, Mapping) else str(value)
    return "\n".join(visible(line) for line in text.split("\n"))


def _rule(rule: Rule, lang: str) -> dict[str, Any]:
    data = rule.data
    out: dict[str, Any] = {
        "id": rule.id,
        "shortDescription": {"text": _words(data["title"], lang)},
        "fullDescription": {"text": _text(data["why"], lang)},
        "defaultConfiguration": {"level": _LEVELS[data["severity"]], "enabled": data.get("enabled", True)},
    }
    example = data.get("example") or {}
    if example:
        plain = _text(data["why"], lang)
        shown = "\n\n".join(f"{name}:\n\n{_text(code, lang)}" for name, code in example.items())
        fenced = "\n\n".join(f"{name}:\n\n```\n{_text(code, lang)}\n```" for name, code in example.items())
        out["help"] = {"text": f"{plain}\n\n{shown}", "markdown": f"{plain}\n\n{fenced}"}
    references = [r["url"] for r in data.get("references", ())]
    if references:
        out["helpUri"] = references[0]
    tags = [t for t in (rule.pack, data.get("priority")) if t]
    out["properties"] = {"tags": tags}
    return out


def _result(one: Finding, index: Mapping[str, int], lang: str, sources: Any) -> dict[str, Any]:
    region = {
        "startLine": one.line,
        "startColumn": one.column,
        "endLine": one.end_line,
        "endColumn": one.end_column,
        "snippet": {"text": visible(one.source)},
    }
    out: dict[str, Any] = {
        "ruleId": one.rule,
        "level": _LEVELS[one.severity],
        "message": {"text": spoken(one.message, lang)},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(one.path), "region": region}}],
        "partialFingerprints": {"gtoRules/v1": one.fingerprint},
    }
    if one.rule in index:
        out["ruleIndex"] = index[one.rule]
    if one.related:
        out["relatedLocations"] = [_related(e) for e in one.related]
    if one.fix is not None:
        fix = _fix(one, one.fix, lang, sources(one.path))
        if fix is not None:
            out["fixes"] = [fix]
    if one.suppression is not None:
        kind = "inSource" if one.suppression.kind == "inline" else "external"
        out["suppressions"] = [{"kind": kind, "justification": visible(one.suppression.reason)}]
    return out


def _artifact(path: str) -> dict[str, str]:
    uri = quote(path.encode("utf-8", "surrogateescape" if _is_bytes(path) else "surrogatepass"))
    return {"uri": uri, "uriBaseId": _BASE}


def _is_bytes(path: str) -> bool:
    return all(not 0xD800 <= ord(c) <= 0xDFFF or 0xDC80 <= ord(c) <= 0xDCFF for c in path)


def _related(evidence: Evidence) -> dict[str, Any]:
    out: dict[str, Any] = {"message": {"text": visible(evidence.text)}}
    if evidence.path:
        place: dict[str, Any] = {"artifactLocation": _artifact(evidence.path)}
        if evidence.line:
            place["region"] = {"startLine": evidence.line}
        out["physicalLocation"] = place
    return out


def _fix(one: Finding, fix: FindingFix, lang: str, source: SourceText | None) -> dict[str, Any] | None:
    if source is None or any(e.span.end > len(source.text) for e in fix.edits):
        return None
    replacements = [{"deletedRegion": _region(source, e.span), "insertedContent": {"text": e.text}} for e in fix.edits]
    return {
        "description": {"text": spoken(fix.title, lang)},
        "artifactChanges": [{"artifactLocation": _artifact(one.path), "replacements": replacements}],
    }


def _region(source: SourceText, span: Span) -> dict[str, int]:
    place = source.location(span)
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line or place.line,
        "endColumn": place.end_column or place.column,
    }


def _skipped_at(one: Skipped) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(one.path)}
    return place | {"region": {"startLine": one.line}} if one.line else place


def _invocation(result: CheckResult) -> dict[str, Any]:
    out: dict[str, Any] = {"executionSuccessful": True}
    if result.skipped:
        out["toolExecutionNotifications"] = [
            {
                "level": "warning",
                "message": {"text": f"not checked, or not in full: {visible(one.reason)}"},
                "locations": [{"physicalLocation": _skipped_at(one)}],
            }
            for one in result.skipped
        ]
    return out
