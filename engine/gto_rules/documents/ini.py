"""INI (setup.cfg, *.cfg, *.ini) → data nodes: sections of keys, continuation lines joined."""

from __future__ import annotations

import re

from gto_rules.documents.model import DataDocument, Entry, Mapping, Problem, Scalar, SourceText
from gto_rules.location import Span

_SECTION = re.compile(r"\[([^\]]+)\]")
_MARK = re.compile(r"[=:]")


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
        mark = _MARK.search(line)
        if header:
            current = []
            end = start + len(line.encode())
            sections[header[1]] = (Span(start, end), end, current)
        elif line[0] in " \t" and current:
            _continue(current, line, start + len(line.encode()))
        elif mark and line[: mark.start()].strip():
            current.append(_entry(line, mark, start))
        else:
            problems.append(Problem(source.path, "is neither a [section] nor a 'key = value' line", number))
    entries = [
        Entry(name, span, Mapping(tuple(items), Span(span.start, items[-1].span.end if items else end)), span)
        for name, (span, end, items) in sections.items()
    ]
    root = Mapping((*loose, *entries), Span(0, len(source.text)))
    return DataDocument(source, "ini", tuple(problems), roots=(root,))


def _entry(line: str, mark: re.Match[str], start: int) -> Entry:
    """``key = value``; all spans without the space around."""
    written = line.rstrip()
    before, after = line[: mark.start()], line[mark.end() :]
    key = before.strip()
    key_start = start + _bytes(before) - _bytes(before.lstrip())
    end = start + _bytes(written)
    value_start = start + _bytes(line) - _bytes(after.lstrip())
    value = Scalar(after.strip(), Span(min(value_start, end), end))
    return Entry(key, Span(key_start, key_start + _bytes(key)), value, Span(key_start, end))


def _bytes(text: str) -> int:
    return len(text.encode())


def _continue(entries: list[Entry], line: str, end: int) -> None:
    last = entries[-1]
    if isinstance(last.value, Scalar):
        joined = f"{last.value.value}\n{line.strip()}"
        value = Scalar(joined, Span(last.value.span.start, end))
        entries[-1] = Entry(last.key, last.key_span, value, Span(last.span.start, end))
