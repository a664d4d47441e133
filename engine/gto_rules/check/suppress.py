"""Suppressions in the files themselves: ``# gto-rules: ignore[rule, ...] until DATE: reason``.

Behind code the comment speaks for the statement of its line; alone on a line for the next line of code. With
``ignore-file`` it speaks for the whole file. Text in strings and prose is no comment, and suppresses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches

from gto_rules.check.build import Place, finding
from gto_rules.check.ruleset import starts
from gto_rules.documents.model import SourceText
from gto_rules.evaluate.finding import Finding, Suppression
from gto_rules.facts.python.module import PythonModule
from gto_rules.location import Span
from gto_rules.rulebook.model import Rule

MARK = b"gto-rules:"
_DIRECTIVE = re.compile(r"#[ \t]*gto-rules:[ \t]*(?P<body>[^\r\n]*)")
_BODY = re.compile(
    r"(?P<what>ignore|ignore-file)\[(?P<rules>[^\]]*)\]"
    r"(?:[ \t]+until[ \t]+(?P<until>\d{4}-\d{2}-\d{2}))?"
    r"(?:[ \t]*(?::|--|-|—)[ \t]*(?P<reason>.*?))?[ \t]*"
)
_RULE = re.compile(r"[a-z0-9_]+(/[a-z0-9][a-z0-9._-]*)?")


@dataclass(frozen=True, slots=True)
class Directive:
    """One suppression comment.

    Attributes:
        span: The comment.
        line: Its line.
        first: First line that it speaks for.
        last: Last line.
        rules: Ids or beginnings of ids.
        until: Last day on which it holds, or None.
        reason: Why, in the author's words.
        wrong: What is wrong with it; it then suppresses nothing.
    """

    span: Span
    line: int
    first: int
    last: int
    rules: tuple[str, ...] = ()
    until: date | None = None
    reason: str = ""
    wrong: str = ""

    def covers(self, found: Finding) -> bool:
        if self.wrong or not any(starts(found.rule, one) for one in self.rules):
            return False
        return self.first <= found.line <= self.last


def read_directives(source: SourceText, module: PythonModule | None) -> list[Directive]:
    """Every suppression comment of a file. ``module`` is its Python, where it is Python."""
    if MARK not in source.text:
        return []
    comments = _python_comments(module) if module is not None else _hash_comments(source)
    statements = _statement_lines(module) if module is not None else {}
    found = []
    for span in comments:
        match = _DIRECTIVE.fullmatch(source.slice(span).rstrip())
        if match is not None:
            found.append(_directive(match["body"].strip(), span, source, statements))
    return found


def _directive(body: str, span: Span, source: SourceText, statements: Mapping[int, int]) -> Directive:
    line, column = source.position(span.start)
    alone = not source.line_text(line)[: column - 1].strip()
    first = _next_code(source, line) if alone else statements.get(line, line)
    last = first
    match = _BODY.fullmatch(body)
    if match is None:
        wrong = f"'{body}' is no suppression; write ignore[rule-id]: reason"
        return Directive(span, line, first, last, wrong=wrong)
    rules = tuple(one.strip() for one in match["rules"].split(",") if one.strip())
    wrong = "" if rules else "no rule is named; write ignore[rule-id]: reason"
    for one in rules:
        if _RULE.fullmatch(one) is None:
            wrong = f"'{one}' is no rule id"
    until = None
    if match["until"]:
        try:
            until = date.fromisoformat(match["until"])
        except ValueError:
            wrong = f"{match['until']} is no date"
    if match["what"] == "ignore-file":
        first, last = 1, source.line(len(source.text))
    elif alone or statements:
        last = max([first, *(end for end, start in statements.items() if start == first)])
    return Directive(span, line, first, last, rules, until, match["reason"] or "", wrong)


def _next_code(source: SourceText, line: int) -> int:
    """The first line below that is neither empty nor a comment."""
    total = source.line(len(source.text))
    for number in range(line + 1, total + 1):
        text = source.line_text(number).strip()
        if text and not text.startswith("#"):
            return number
    return line


def _python_comments(module: PythonModule) -> Iterator[Span]:
    from gto_rules.facts.python.grammar import captures, compile_query

    for node in captures(compile_query("(comment) @match"), module.root).get("match", []):
        yield module.span(node)


def _statement_lines(module: PythonModule) -> dict[int, int]:
    """For every line of a simple statement or of a head that spans several: its first line, by its line."""
    from gto_rules.facts.python.grammar import captures, compile_query

    query = "[(expression_statement) (return_statement) (assert_statement) (delete_statement) (raise_statement)] @match"
    lines: dict[int, int] = {}
    for node in captures(compile_query(query), module.root).get("match", []):
        span = module.span(node)
        start, end = module.source.line(span.start), module.source.line(max(span.end - 1, span.start))
        for number in range(start, end + 1):
            lines.setdefault(number, start)
    return lines


def _hash_comments(source: SourceText) -> Iterator[Span]:
    """Comments of YAML, TOML and shell: a ``#`` at the start of a line or behind white space, outside of quotes."""
    at = 0
    for line in source.text.split(b"\n"):
        start = _comment_start(line)
        if start is not None and MARK in line[start:]:
            yield Span(at + start, at + len(line.rstrip(b"\r")))
        at += len(line) + 1


def _comment_start(line: bytes) -> int | None:
    quote = 0
    for number, byte in enumerate(line):
        if quote:
            quote = 0 if byte == quote else quote
        elif byte in (0x22, 0x27) and (number == 0 or line[number - 1 : number] in b" \t=:[{,("):
            quote = byte
        elif byte == 0x23 and (number == 0 or line[number - 1 : number].isspace()):
            return number
    return None


def apply_directives(
    findings: Iterable[Finding],
    directives: Iterable[Directive],
    today: date,
    rules: Iterable[Rule],
    looked_for: frozenset[str],
    known: frozenset[str],
    source: SourceText,
) -> tuple[list[Finding], list[Finding]]:
    """Findings to report, and those that a comment suppresses.

    Args:
        findings: What the rules found in the file.
        directives: Its suppression comments.
        today: The day that an ``until`` is held against.
        rules: Rules about suppressions themselves.
        looked_for: Ids of the rules that were in force.
        known: Ids of all finding rules.
        source: The file.
    """
    used: set[Directive] = set()
    kept: list[Finding] = []
    suppressed: list[Finding] = []
    directives = tuple(directives)
    for one in findings:
        covering = [d for d in directives if d.covers(one)]
        used.update(covering)
        valid = next((d for d in covering if d.until is None or d.until >= today), None)
        if valid is None:
            kept.append(one)
        else:
            suppressed.append(replace(one, suppression=Suppression("inline", valid.reason, valid.line)))
    for directive in directives:
        checked = replace(directive, wrong=directive.wrong or _stranger(directive, known))
        unused = directive not in used and _looked_for(directive, looked_for)
        kept += _faults(checked, unused, today, rules, source)
    return kept, suppressed


def _stranger(directive: Directive, known: frozenset[str]) -> str:
    """The first rule of a directive that there is not, in words."""
    for prefix in directive.rules:
        if not any(starts(one, prefix) for one in known):
            near = get_close_matches(prefix, known, n=1)
            return f"there is no rule '{prefix}'" + (f"; did you mean '{near[0]}'?" if near else "")
    return ""


def _faults(
    directive: Directive, unused: bool, today: date, rules: Iterable[Rule], source: SourceText
) -> Iterator[Finding]:
    """What is wrong with one suppression."""
    for rule in rules:
        what = rule.data["suppressions"]
        words: dict[str, str] | None = None
        if what == "malformed" and directive.wrong:
            words = {"hint": directive.wrong}
        elif directive.wrong:
            continue
        elif what == "expired" and directive.until is not None and directive.until < today:
            words = {"value": directive.until.isoformat()}
        elif what == "unexplained" and not directive.reason:
            words = {}
        elif what == "unused" and unused:
            words = {"name": ", ".join(directive.rules)}
        if words is not None:
            yield finding(rule, Place(source, directive.span), words)


def _looked_for(directive: Directive, looked_for: frozenset[str]) -> bool:
    """Whether every rule that a directive names was in force, so that its silence means something."""
    return all(any(starts(one, prefix) for one in looked_for) for prefix in directive.rules)
