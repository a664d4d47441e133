"""A rule's page at a terminal: wrapped to its width, headings and code told apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from unicodedata import east_asian_width

from gto_rules.report.rules.model import Line, Page, Sample, Say
from gto_rules.report.text import clean

# (text, name of a colour) → text.
Paint = Callable[[str, str], str]

_INDENT = "  "
# A word, or one wide character: lines break between any two of those.
_PIECE = re.compile(r"`[^`]+`[^\s`]*|[^\s\u2e80-\uffef]+|[\u2e80-\uffef]|\s+")
_CLOSING = "，。、；：！？）》」』”’％"


def render_page(page: Page, kind_name: str, say: Say, width: int, paint: Paint) -> str:
    """The page as text, at most ``width`` columns wide where words allow it."""
    parts = [f"{paint(clean(page.title), 'bold')}", paint(f"{page.id} · {kind_name}", "dim")]
    parts += ["", *_facts(page, paint)] if page.facts else []
    for text in page.summary:
        parts += ["", *wrapped(text, width)]
    sections: list[tuple[str, list[str]]] = [
        (say("Why", "原因"), list(wrapped(page.why, width, _INDENT)) if page.why else []),
        (say("What is looked at", "检查内容"), _conditions(page, width)),
        (say("Example", "示例"), _samples(page.samples, paint)),
        (say("How to fix it", "修复方法"), _fix(page, say, width)),
        (say("Known false alarms", "已知误报"), _list([Line(0, text) for text in page.false_alarms], width)),
        (say("Sources", "来源"), _sources(page, width)),
    ]
    for heading, lines in sections:
        if lines:
            parts += ["", paint(heading, "bold"), *lines]
    parts += ["", paint(f"{page.path}:{page.line}", "dim")]
    return "\n".join(line.rstrip() for line in parts) + "\n"


def _facts(page: Page, paint: Paint) -> Iterator[str]:
    longest = max(columns(label) for label, _ in page.facts)
    for label, value in page.facts:
        yield f"{_INDENT}{label}{' ' * (longest - columns(label))}  {clean(value)}"


def _conditions(page: Page, width: int) -> list[str]:
    out: list[str] = []
    for label, lines in page.conditions:
        if len(lines) == 1:
            out += wrapped(f"{label}: {lines[0].text}", width, _INDENT)
        else:
            out += [f"{_INDENT}{label}:", *_list(lines, width, _INDENT * 2)]
    out += [f"{_INDENT * 2}{line}" for line in clean(page.exact).splitlines()]
    return out


def _samples(samples: tuple[Sample, ...], paint: Paint) -> list[str]:
    out: list[str] = []
    for sample in samples:
        path = f" ({clean(sample.path)})" if sample.path else ""
        out += [""] if out else []
        out.append(f"{_INDENT}{sample.label}{path}:")
        colours = {"+": "green", "-": "red"} if sample.language == "diff" else {}
        for line in clean(sample.text.rstrip("\n")).splitlines():
            colour = colours.get(line[:1])
            out.append(_INDENT * 2 + (paint(line, colour) if colour else line))
    return out


def _fix(page: Page, say: Say, width: int) -> list[str]:
    out = _list(page.fix, width)
    if page.gain:
        out += wrapped(say("What that brings: ", "预期收益：") + page.gain, width, _INDENT)
    return out


def _sources(page: Page, width: int) -> list[str]:
    out: list[str] = []
    for one in page.references:
        version = f" ({one.version})" if one.version else ""
        out += [f"{_INDENT}{clean(one.url)}", *wrapped(f"{one.proves}{version}", width, _INDENT * 2)]
    return out


def _list(lines: list[Line] | tuple[Line, ...], width: int, indent: str = _INDENT) -> list[str]:
    out: list[str] = []
    for line in lines:
        lead = indent + _INDENT * line.depth
        out += wrapped(line.text, width, lead + "- ", lead + "  ")
    return out


def columns(text: str) -> int:
    """Columns on a terminal: full-width characters take two."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def wrapped(text: str, width: int, first: str = "", rest: str | None = None) -> Iterator[str]:
    """``text`` in lines of at most ``width`` columns; longer words stay whole."""
    line, lead = first, first if rest is None else rest
    started = False
    for piece in _PIECE.findall(clean(text)):
        if piece.isspace():
            line += " " if started else ""
            continue
        if started and columns(line) + columns(piece) > width and piece not in _CLOSING:
            yield line.rstrip()
            line = lead
        line += piece
        started = True
    if started:
        yield line.rstrip()
