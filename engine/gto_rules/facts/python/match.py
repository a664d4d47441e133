"""Comparing canonical names with the names that rules write."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache


@lru_cache(maxsize=65536)
def name_matches(found: str, wanted: str) -> bool:
    """True if a canonical name means what a rule names.

    ``*`` stands for any text. A class may be named by the module that re-exports it: ``pkg.Thing``
    also matches ``pkg.inner.module.Thing`` (same first and last word, words in order).
    """
    if found == wanted:
        return True
    if "*" in wanted:
        return fnmatchcase(found, wanted)
    theirs, ours = wanted.split("."), found.split(".")
    if theirs[-1] != ours[-1] or theirs[0] != ours[0] or not theirs[-1][:1].isupper() or len(theirs) >= len(ours):
        return False
    rest = iter(ours)
    return all(word in rest for word in theirs)


def matches_any(found: str | None, wanted: Iterable[str]) -> bool:
    return found is not None and any(name_matches(found, w) for w in wanted)
