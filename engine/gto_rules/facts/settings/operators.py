"""Operators and conversions that are followed, with bounds: a scanned file must not cost time or memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MOST = 10_000
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
    "is": lambda a, b: a is b or a == b,
    "is not": lambda a, b: not (a is b or a == b),
}
CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "builtins.int": int,
    "builtins.float": float,
    "builtins.str": str,
    "builtins.bool": bool,
    "builtins.list": list,
    "builtins.tuple": list,
    "builtins.len": len,
}


def combine(sign: str, left: Any, right: Any) -> tuple[Any, bool]:
    """``left sign right``, and whether that could be worked out."""
    function = _BINARY.get(sign)
    if function is None or not _small(left, right):
        return None, False
    if sign in ("*", "%", "<", ">", "<=", ">=", "-", "/", "//") and not _numbers(left, right):
        return None, False
    try:
        return function(left, right), True
    except (TypeError, ValueError, ArithmeticError, KeyError):
        return None, False


def _numbers(*values: Any) -> bool:
    return all(isinstance(v, int | float) for v in values)


def _small(*values: Any) -> bool:
    for value in values:
        if isinstance(value, str | list | tuple | dict | set) and len(value) > _MOST:
            return False
        if isinstance(value, int) and abs(value) > 10**18:
            return False
    return True
