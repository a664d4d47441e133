"""What following an expression gives, and what the rules that follow it may ask."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from gto_rules.facts.model import Origin, SettingValue
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Block
from gto_rules.facts.python.values import Home, Located
from gto_rules.facts.settings.arguments import Arguments, Declared
from gto_rules.facts.settings.code import Code
from gto_rules.location import Span


@dataclass(frozen=True, slots=True)
class Result:
    """A known value with its place, or the reason why it is only known at run time.

    ``key`` is how the launch spells it (``--lr``), empty for code.
    """

    value: Any
    path: str | None
    line: int | None
    span: Span | None
    text: str
    reason: str | None = None
    key: str = ""

    @property
    def known(self) -> bool:
        return self.reason is None

    @property
    def plain(self) -> bool:
        """Known, and a value that can be worked with."""
        return self.reason is None and not isinstance(self.value, Symbol)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A library's name whose value is not looked into (``lib.kind``, an enum's member)."""

    name: str

    @property
    def last(self) -> str:
        return self.name.rpartition(".")[2]


class Follower(Protocol):
    """What the rules for single expressions need of the whole."""

    code: Code
    arguments: Arguments
    environment: Callable[[str], Origin | None]
    setting: Callable[[str], SettingValue | None]

    def value(self, where: Located, depth: int = 0) -> Result: ...
    def argument(self, declared: Declared, depth: int = 0) -> Result: ...
    def truth(self, blocks: Iterable[Block], home: Home, depth: int = 0) -> bool | None: ...


Rule = Callable[[Follower, Located, int], Result]


def here(where: Located, value: Any) -> Result:
    """A value worked out from an expression, at the expression."""
    path, line, span = where.home.place(where.node)
    return Result(value, path, line, span, text_of(where.node))


def unknown(where: Located, what: str) -> Result:
    """A value that depends on ``what``."""
    path, line, span = where.home.place(where.node)
    shown = " ".join(what.split())
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    return Result(None, path, line, span, text_of(where.node), f"depends on {shown}")


def agreed(where: Located, results: list[Result], what: str) -> Result:
    """The one value that all results give; else the first that is open, else unknown because of ``what``."""
    if not results:
        return unknown(where, text_of(where.node))
    first = results[0]
    if all(r.known and same(r.value, first.value) for r in results):
        return first
    return next((r for r in results if not r.known), None) or unknown(where, what)


def same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b


def from_origin(origin: Origin) -> Result:
    """What the launch or a file says, as a result."""
    reason = (origin.reason or "decided at run time") if origin.computed else None
    return Result(origin.value, origin.path, origin.line, origin.span, origin.text, reason, origin.key)


def plain(value: Any, spec_type: str, choices: tuple[Any, ...] = ()) -> tuple[Any, str | None]:
    """A value without symbols, and the name that stands in the way if it cannot be had.

    A library's name is a value only for a setting of type ``name`` (``lib.half`` → ``half``,
    an enum's ``STEPS`` → ``steps``) or when its last part is one of the choices.
    """
    if isinstance(value, Symbol):
        if value.last in choices:
            return value.last, None
        if spec_type == "name":
            return value.last.lower() if value.last.isupper() else value.last, None
        return None, value.name
    if isinstance(value, list | tuple | set | frozenset):
        return _all(list(value), spec_type, choices)
    if isinstance(value, dict):
        held, open_name = _all(list(value.values()), "name" if spec_type == "dict" else spec_type, choices)
        return (None, open_name) if open_name else (dict(zip(map(str, value), held, strict=True)), None)
    return (value if isinstance(value, str | int | float | bool | None) else str(value)), None


def _all(values: list[Any], spec_type: str, choices: tuple[Any, ...]) -> tuple[Any, str | None]:
    out: list[Any] = []
    for value in values:
        held, open_name = plain(value, spec_type, choices)
        if open_name:
            return None, open_name
        out.append(held)
    return out, None
