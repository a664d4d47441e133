"""Findings as JUnit XML: a suite for each file, a failed case for each finding."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from gto_rules.check.model import CheckResult
from gto_rules.evaluate.finding import Finding
from gto_rules.report.findings.terminal import underlined
from gto_rules.report.findings.words import spoken, visible


def render(result: CheckResult, lang: str, *, colour: bool = False) -> str:
    suites: dict[str, list[Finding]] = {}
    for one in result.findings:
        suites.setdefault(one.path, []).append(one)
    total, quiet = len(result.findings), not result.findings
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuites name="gto-rules" tests="{total or 1}" failures="{total}" errors="0">',
    ]
    for path, own in suites.items():
        name = quoteattr(visible(path))
        lines.append(f'  <testsuite name={name} tests="{len(own)}" failures="{len(own)}" errors="0">')
        for one in own:
            title = quoteattr(f"{one.rule}:{one.line}:{one.column}")
            lines.append(f"    <testcase classname={name} name={title} file={name} line={quoteattr(str(one.line))}>")
            message = quoteattr(spoken(one.message, lang))
            shown, mark = underlined(one)
            body = escape(f"{visible(path)}:{one.line}:{one.column}\n{shown}\n{mark}\n")
            lines.append(f"      <failure type={quoteattr(one.severity)} message={message}>{body}</failure>")
            lines.append("    </testcase>")
        lines.append("  </testsuite>")
    if quiet:  # readers take a report without a case for a broken one
        lines.append('  <testsuite name="gto-rules" tests="1" failures="0" errors="0">')
        lines.append(f'    <testcase classname="gto-rules" name="{result.files} files"/>')
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return "\n".join(lines) + "\n"
