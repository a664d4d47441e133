"""Failed cases at a terminal: what was expected, what was got, and the lines of the input in question."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gto_rules.loop.case_suite import Lack, RanCase, SuiteResult
from gto_rules.loop.rule_cases import Mismatch
from gto_rules.report.text import clean

# (text, name of a colour) → text.
Paint = Callable[[str, str], str]

_INDENT = " " * 7
_CONTEXT = 2
_PLACE = re.compile(r"(?P<path>.+?):(?P<line>\d+)(:\d+)?$")


def render_suite(suite: SuiteResult, paint: Paint) -> str:
    """Every failure with its difference, every rule that lacks cases, and the counts."""
    parts = [*(render_failure(one, paint) for one in suite.of("failed")), *_rest(suite, paint), _summary(suite)]
    return "\n".join(parts) + "\n"


def render_failure(one: RanCase, paint: Paint) -> str:
    """One failed case, as it stands in the test file, with the difference and the input around it."""
    result = one.result
    lines = [f"{paint('FAILED', 'red')} {result.rule}: {clean(result.name)}", f"{_INDENT}{place_of(one)}"]
    for mismatch in result.mismatches:
        lines += [f"{_INDENT}{line}" for line in _difference(mismatch, paint)]
    for path, numbers in sorted(_questioned(result.mismatches, one.files).items()):
        lines += [f"{_INDENT}{line}" for line in _snippet(path, one.files[path], numbers, paint)]
    return "\n".join(lines) + "\n"


def place_of(one: RanCase) -> str:
    """``path:line`` of a case, from the current folder if it lies below it."""
    path = os.path.relpath(one.file.file)
    return f"{one.file.file if path.startswith('..') else path}:{one.line}"


def _rest(suite: SuiteResult, paint: Paint) -> Iterator[str]:
    for one in suite.of("closed"):
        yield f"{paint('CLOSED', 'red')} {one.result.rule}: {clean(one.result.name)}"
        yield f"{_INDENT}{place_of(one)}"
        yield f"{_INDENT}this known gap comes out right now: remove its 'gap'"
    for lack in suite.lacking:
        yield f"{paint('LACKS', 'yellow')}  {lack.rule.id}: {lacks(lack)}"


def lacks(lack: Lack) -> str:
    """What cases a rule needs, in words."""
    words = {"positive": "a case where it holds", "negative": "one where it does not"}
    wanted = [words[name] for name in lack.missing]
    return f"needs {' and '.join(wanted)}".replace("needs one where", "needs a case where")


def _summary(suite: SuiteResult) -> str:
    failed = len(suite.of("failed")) + len(suite.of("closed"))
    counts = f"{len(suite.of('passed'))} cases passed, {failed} failed, {len(suite.of('gap'))} known gaps"
    return f"{counts}, {len(suite.lacking)} rules lack cases"


def _difference(one: Mismatch, paint: Paint) -> Iterator[str]:
    yield f"{one.what}: {paint('- expected', 'red')}, {paint('+ got', 'green')}" + (
        f"  ({one.note})" if one.note else ""
    )
    for line in _marked(one.expected, one.got):
        name = {"-": "red", "+": "green"}.get(line[:1])
        yield "  " + (paint(clean(line), name) if name else clean(line))


def _marked(expected: Any, got: Any) -> Iterator[str]:
    """Lines marked ``-`` (only expected), ``+`` (only got) and `` `` (both)."""
    if isinstance(expected, str) and isinstance(got, str) and "\n" in expected + got:
        lines = difflib.unified_diff(expected.splitlines(), got.splitlines(), n=3, lineterm="")
        shown = [line for line in lines if not line.startswith(("--- ", "+++ "))]
        # Only the end of a line or of the file differs.
        yield from shown or (f"- {expected!r}", f"+ {got!r}")
    elif isinstance(expected, list) and isinstance(got, list):
        for line in difflib.ndiff([_shown(v) for v in expected], [_shown(v) for v in got]):
            if not line.startswith("?"):
                yield line
        if not expected:
            yield "- (none)"
        if not got:
            yield "+ (none)"
    else:
        yield f"- {_shown(expected)}"
        for line in _shown(got).split("\n"):
            yield f"+ {line}"


def _shown(value: Any) -> str:
    if value is None:
        return "(nothing)"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _questioned(mismatches: tuple[Mismatch, ...], files: Mapping[str, str]) -> dict[str, set[int]]:
    """The lines of the input that the mismatches speak of."""
    found: dict[str, set[int]] = {}
    for one in mismatches:
        for side in (one.expected, one.got):
            for value in side if isinstance(side, list) else [side]:
                place = _PLACE.match(value) if isinstance(value, str) and "\n" not in value else None
                if place and place["path"] in files:
                    found.setdefault(place["path"], set()).add(int(place["line"]))
    if found or not files:
        return found
    # Nothing points anywhere: the beginning of the first input at least says what it was about.
    return {next(iter(files)): set()}


def _snippet(path: str, content: str, numbers: set[int], paint: Paint) -> Iterator[str]:
    source = content.splitlines()
    wanted = {n for at in numbers or {1 + _CONTEXT} for n in range(at - _CONTEXT, at + _CONTEXT + 1)}
    yield paint(clean(path), "bold")
    last = 0
    for number in sorted(n for n in wanted if 0 < n <= len(source)):
        if number > last + 1 and last:
            yield "       ..."
        last = number
        mark = ">" if number in numbers else " "
        yield f"  {mark} {number:>3} | {clean(source[number - 1])}".rstrip()
    if any(number > len(source) for number in numbers):
        yield f"    (the file has {len(source)} lines)"
