"""INI (setup.cfg, *.cfg, *.ini) → data nodes: sections of keys, continuation lines joined."""

from __future__ import annotations

import re

from gto_rules.documents.model import DataDocument, Entry, Mapping, Problem, Scalar, SourceText
from gto_rules.location import Span

_SECTION = re.compile(r"\[([^\]]+)\]")
_PAIR = re.compile(r"([^=:\s][^=:]*?)\s*[=:]\s*")


def read_ini(source: SourceText) -> DataDocument:
    """One root mapping of sections; keys before the first section stand at the root."""
    sections: dict[str, tuple[Span, int, list[Entry]]] = {}
    loose: list[Entry] = []
    current = loose
    problems = list(source.problems)
    offset = 0
    for number, raw in enumerate(source.text.splitlines(keepends=True), 1):
        start, offset = offset, offset + len(raw)
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if not line.strip() or line.lstrip()[0] in "#;":
            continue
        header = _SECTION.match(line)
        pair = _PAIR.match(line)
        if header:
            current = []
            end = start + len(line.encode())
            sections[header[1]] = (Span(start, end), end, current)
        elif line[0] in " \t" and current:
            _continue(current, line, start + len(line.encode()))
        elif pair:
            current.append(_entry(line, pair, start))
        else:
            problems.append(Problem(source.path, "is neither a [section] nor a 'key = value' line", number))
    entries = [
        Entry(name, span, Mapping(tuple(items), Span(span.start, items[-1].span.end if items else end)), span)
        for name, (span, end, items) in sections.items()
    ]
    root = Mapping((*loose, *entries), Span(0, len(source.text)))
    return DataDocument(source, "ini", tuple(problems), roots=(root,))


def _entry(line: str, pair: re.Match[str], start: int) -> Entry:
    key_end = start + len(pair[1].encode())
    value_start = start + len(line[: pair.end()].encode())
    end = start + len(line.rstrip().encode())
    value = Scalar(line[pair.end() :].strip(), Span(min(value_start, end), end))
    return Entry(pair[1].strip(), Span(start, key_end), value, Span(start, end))


def _continue(entries: list[Entry], line: str, end: int) -> None:
    last = entries[-1]
    if isinstance(last.value, Scalar):
        joined = f"{last.value.value}\n{line.strip()}"
        value = Scalar(joined, Span(last.value.span.start, end))
        entries[-1] = Entry(last.key, last.key_span, value, Span(last.span.start, end))
