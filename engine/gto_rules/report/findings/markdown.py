"""Findings as Markdown, for comments and job summaries."""

from __future__ import annotations

from gto_rules.check.model import CheckResult
from gto_rules.evaluate.finding import Finding
from gto_rules.report.findings.words import spoken, visible
from gto_rules.report.text import cell, code, speaker, table


def render(result: CheckResult, lang: str, *, colour: bool = False) -> str:
    say = speaker(lang)
    count = len(result.findings)
    lines = [f"## gto-rules: {count} {say('findings', '条发现')}", ""]
    files: dict[str, list[Finding]] = {}
    for one in result.findings:
        files.setdefault(one.path, []).append(one)
    for path, own in files.items():
        lines += [f"### {code(visible(path))}", "", _table(own, lang), ""]
    if result.suppressed:
        lines += [f"{len(result.suppressed)} {say('suppressed', '条已抑制')}", ""]
    if result.skipped:
        rows = [(code(visible(s.place)), cell(visible(s.reason))) for s in result.skipped]
        lines += [say("### Not checked", "### 未检查"), "", table((say("file", "文件"), say("why", "原因")), rows), ""]
    return "\n".join(lines)


def _table(own: list[Finding], lang: str) -> str:
    say = speaker(lang)
    head = (say("line", "行"), say("severity", "级别"), say("what", "内容"), say("rule", "规则"), say("code", "代码"))
    rows = [
        (one.line, one.severity, _plain(spoken(one.message, lang)), code(one.rule), code(visible(one.source.strip())))
        for one in own
    ]
    return table(head, rows)


def _plain(text: str) -> str:
    """Text in which Markdown and HTML mean nothing."""
    for mark in "\\`*_[]<>":
        text = text.replace(mark, "\\" + mark)
    return cell(text)
