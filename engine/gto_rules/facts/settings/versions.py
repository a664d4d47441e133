"""Which version of a distribution a table is read for, and what is said when nobody knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version


@lru_cache(maxsize=1024)
def _specifiers(text: str) -> SpecifierSet | None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        return SpecifierSet(text, prereleases=True)
    except InvalidSpecifier:
        return None


@lru_cache(maxsize=1024)
def _version(text: str) -> Version | None:
    from packaging.version import InvalidVersion, Version

    try:
        return Version(text)
    except InvalidVersion:
        return None


def allowed(version: str, specifier: str) -> bool:
    """Whether ``version`` satisfies ``specifier`` (``<5,>=4.46``). Unreadable text allows everything."""
    specifiers, parsed = _specifiers(specifier), _version(version)
    return specifiers is None or parsed is None or parsed in specifiers


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about the version in use.

    Attributes:
        assumed: The version that the table is read for; None when the table names none.
        possible: Every verified version that the project allows, oldest first.
        pinned: The project pins ``assumed`` exactly.
    """

    assumed: str | None
    possible: tuple[str, ...] = ()
    pinned: bool = False


def known_version(pinned: str | None, specifier: str, verified: Iterable[str]) -> Known:
    """The version to read a table for.

    A pinned version decides. Otherwise the newest verified version that the requirement allows is
    assumed, and the others are kept so that a disagreement between them can be said.
    """
    if pinned is not None:
        return Known(pinned, (pinned,), pinned=True)
    parsed = [(version, text) for text in verified for version in [_version(text)] if version is not None]
    ordered = [text for _, text in sorted(parsed)]
    possible = tuple(v for v in ordered if allowed(v, specifier)) or tuple(ordered)
    return Known(possible[-1] if possible else None, possible)
