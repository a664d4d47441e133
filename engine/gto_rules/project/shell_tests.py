"""Decides ``[ ... ]``, ``[[ ... ]]`` and ``(( ... ))`` where everything in them is known."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable

from gto_rules.project.shell_arithmetic import evaluate
from gto_rules.project.shell_expand import Expander
from gto_rules.project.shell_values import Field
from gto_rules.project.shell_words import RawWord, WordReader

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def decide(expander: Expander, start: int, end: int) -> bool | None:
    """Whether the test at ``[start, end)`` holds; None when that is decided at run time."""
    raw = expander.text.text[start:end].strip()
    if raw.startswith(b"(("):
        return _arithmetic(expander, expander.text.slice(start, end).strip()[2:-2])
    if raw.startswith(b"[["):
        first, last, glob = start + 2, end - 2, True
    elif raw.startswith(b"["):
        first, last, glob = start + 1, end - 1, False
    else:
        first, last, glob = start, end, False
    inside = re.sub(rb"'[^']*'|\"[^\"]*\"", b"", expander.text.text[first:last])
    if re.search(rb"&&|\|\||\s-[ao]\s|=~|[()<>]", inside):
        return None
    return decide_words(expander, list(WordReader(expander.text.text, first, last).words(False)), glob)


def decide_words(expander: Expander, raw: list[RawWord], glob: bool) -> bool | None:
    """The same for the words of a test."""
    negated = bool(raw) and expander.text.slice(raw[0].start, raw[0].end) == "!"
    raw = raw[1:] if negated else raw
    answer = _plain(expander, raw, glob)
    return answer if answer is None else answer != negated


def _plain(expander: Expander, raw: list[RawWord], glob: bool) -> bool | None:
    if len(raw) == 2:
        operator = expander.text.slice(raw[0].start, raw[0].end)
        return _unary(expander, operator, raw[1])
    words = [_one(expander, word) for word in raw]
    if len(words) == 1:
        return bool(words[0].text) if words[0].known else None
    if len(words) != 3 or not (words[0].known and words[2].known):
        return None
    left, operator, right = (word.text for word in words)
    if operator in ("=", "==", "!="):
        same = fnmatch.fnmatchcase(left, right) if glob else left == right
        return same == (operator != "!=")
    if operator in _COMPARE and re.fullmatch(r"-?\d{1,18}", left) and re.fullmatch(r"-?\d{1,18}", right):
        return _COMPARE[operator](int(left), int(right))
    return None


def _unary(expander: Expander, operator: str, word: RawWord) -> bool | None:
    if operator not in ("-z", "-n"):
        return None
    value = _one(expander, word)
    if not value.known:
        return None
    return (not value.text) == (operator == "-z")


def defaulted(expander: Expander, start: int, end: int) -> str | None:
    """The unset variable that the test at ``[start, end)`` asks for in order to give it a default.

    A branch that then sets it is read as ``${NAME:-default}`` would be.
    """
    match = re.fullmatch(r"\[\[?\s+-z\s+\"?\$\{?(\w+)(?::?-)?\}?\"?\s+\]\]?", expander.text.slice(start, end).strip())
    return match.group(1) if match and expander.lookup(match.group(1)) is None else None


def _one(expander: Expander, word: RawWord) -> Field:
    place, _ = expander.text.place(word.start, word.end)
    return Field(expander.value(word.parts), place)


def _arithmetic(expander: Expander, expression: str) -> bool | None:
    parts = re.split(r"(<=|>=|==|!=|<|>)", expression)
    sides = [evaluate(_bare(part), expander.known_text) for part in parts[::2]]
    if len(parts) == 1 and sides[0] is not None:
        return sides[0] != 0
    if len(parts) != 3 or sides[0] is None or sides[1] is None:
        return None
    return _COMPARE[parts[1]](sides[0], sides[1])


def _bare(expression: str) -> str:
    """``$NAME`` and ``${NAME}`` as plain names, as arithmetic reads them."""
    return re.sub(r"\$\{?(\w+|#)\}?", r"\1", expression)
