"""Findings for people at a terminal: the line at fault with the place marked below it."""

from __future__ import annotations

from collections import Counter
from unicodedata import combining, east_asian_width

from gto_rules.check.model import CheckResult
from gto_rules.evaluate.finding import SEVERITIES, Finding
from gto_rules.report.findings.words import spoken, visible

_COLOURS = {"error": "31;1", "warning": "33;1", "info": "36", "place": "1", "rule": "2", "mark": "32;1"}
_TAB = 4
_WIDEST = 160
_WORDS = {
    "en": {"error": "error", "warning": "warning", "info": "info", "fix": "fix", "see": "see"},
    "zh": {"error": "错误", "warning": "警告", "info": "提示", "fix": "修复", "see": "参见"},
}


class _Paint:
    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, kind: str, text: str) -> str:
        return f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m" if self._colour else text


def render(result: CheckResult, lang: str, *, colour: bool = False) -> str:
    paint = _Paint(colour)
    parts = [_finding(one, lang, paint) for one in result.findings]
    parts.append("\n".join(_summary(result, lang)) + "\n")
    return "\n".join(parts) if result.findings else parts[-1]


def _finding(one: Finding, lang: str, paint: _Paint) -> str:
    words = _WORDS[lang]
    place = paint("place", f"{visible(one.path)}:{one.line}:{one.column}")
    lines = [
        f"{place}: {paint(one.severity, words[one.severity])}: {spoken(one.message, lang)} "
        f"{paint('rule', f'[{visible(one.rule)}]')}"
    ]
    shown, mark = underlined(one)
    if shown.strip():
        lines += [f"    {shown}", f"    {paint('mark', mark)}"]
    for other in one.related:
        where = f"{visible(other.path)}:{other.line}" if other.path else ""
        lines.append(f"  {words['see']}: {where} {visible(other.text)}".rstrip())
    if one.fix is not None:
        lines.append(f"  {words['fix']}: {spoken(one.fix.title, lang)}")
    return "\n".join(lines) + "\n"


def underlined(one: Finding) -> tuple[str, str]:
    """The source line as it is shown, and the line of marks below it."""
    source = one.source
    start = one.column - 1
    end = one.end_column - 1 if one.end_line == one.line else len(source)
    head, body = _drawn(source[:start], 0), ""
    body = _drawn(source[start:end], _width(head))
    tail = _drawn(source[end:], _width(head) + _width(body))
    shown = head + body + tail
    if _width(shown) > _WIDEST:
        return _cut(head, body, tail)
    return shown.rstrip(), " " * _width(head) + "^" + "~" * max(_width(body.rstrip()) - 1, 0)


def _cut(head: str, body: str, tail: str) -> tuple[str, str]:
    """A long line around its marked part."""
    before = head[-40:]
    dots = "..." if len(head) > len(before) else ""
    room = _WIDEST - 50
    marked = body[:room]
    shown = dots + before + marked + (tail[: room - len(marked)] + "..." if len(body) <= room else "...")
    return shown, " " * _width(dots + before) + "^" + "~" * max(_width(marked.rstrip()) - 1, 0)


def _drawn(text: str, at: int) -> str:
    """Text with tabs as spaces up to the next stop, counted from column ``at``."""
    if "\t" not in text:
        return visible(text)
    out = ""
    for char in text:
        out += " " * (_TAB - (at + _width(out)) % _TAB) if char == "\t" else visible(char)
    return out


def _width(text: str) -> int:
    """Columns that a terminal gives to a text."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _summary(result: CheckResult, lang: str) -> list[str]:
    counts = Counter(one.severity for one in result.findings)
    zh = lang == "zh"
    files = len({one.path for one in result.findings})
    if result.findings:
        parts = ", ".join(f"{counts[s]} {_WORDS[lang][s]}" for s in SEVERITIES if counts[s])
        if zh:
            head = f"{result.files} 个文件中的 {files} 个有 {len(result.findings)} 条发现（{parts}）"
        else:
            head = f"{_many(len(result.findings), 'finding')} ({parts}) in {files} of {_many(result.files, 'file')}"
    elif zh:
        head = f"已检查 {result.files} 个文件，未发现问题"
    else:
        head = f"no findings in {_many(result.files, 'file')}"
    fixable = sum(one.fix is not None for one in result.findings)
    lines = [head + "." * (not zh) + "。" * zh]
    if fixable:
        lines.append(f"{fixable} 条可自动修复（--show-fixes）。" if zh else f"{fixable} can be fixed (--show-fixes).")
    if result.suppressed:
        count = len(result.suppressed)
        lines.append(f"{count} 条已被抑制。" if zh else f"{_many(count, 'finding')} suppressed.")
    for reason, paths in _by_reason(result).items():
        first = ", ".join(visible(p) for p in paths[:3]) + (", ..." if len(paths) > 3 else "")
        if zh:
            lines.append(f"{len(paths)} 个文件未检查或未完整检查（{visible(reason)}）：{first}")
        else:
            lines.append(f"{_many(len(paths), 'file')} not checked, or not in full ({visible(reason)}): {first}")
    return lines


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _by_reason(result: CheckResult) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in result.skipped:
        found.setdefault(one.reason, []).append(one.place)
    return found
