"""Comparing canonical names with the names that rules write."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=4096)
def _glob(wanted: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*|^\*(?=\.)|\*)", wanted)
    return re.compile("".join(_part(p, first=n == 1 and not parts[0]) for n, p in enumerate(parts)))


def _part(part: str, *, first: bool) -> str:
    if part == "*":
        return ".*" if first else r"[^.]*"
    return ".*" if part == "**" else re.escape(part)


@lru_cache(maxsize=65536)
def name_matches(found: str, wanted: str) -> bool:
    """True if a canonical name means what a rule names.

    ``*`` stands for any text without a dot, ``**`` (or ``*`` as the first word) for any text. A
    class may be named by the module that re-exports it: ``pkg.Thing`` also matches
    ``pkg.inner.module.Thing`` (same first and last word, words in order).
    """
    if found == wanted:
        return True
    if "*" in wanted:
        return _glob(wanted).fullmatch(found) is not None
    theirs, ours = wanted.split("."), found.split(".")
    if theirs[-1] != ours[-1] or theirs[0] != ours[0] or not theirs[-1][:1].isupper() or len(theirs) >= len(ours):
        return False
    rest = iter(ours)
    return all(word in rest for word in theirs)


def matches_any(found: str | None, wanted: Iterable[str]) -> bool:
    return found is not None and any(name_matches(found, w) for w in wanted)
