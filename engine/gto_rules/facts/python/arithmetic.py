"""Arithmetic on constants of scanned files, bounded so that no expression costs memory or time."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

_LONGEST = 10_000  # characters of a computed string; longer ones are no setting
UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}


def arithmetic(sign: str, a: Any, b: Any) -> Any:
    """``a sign b`` for the signs that settings are written with.

    Raises:
        ValueError: the result would be too large.
        TypeError: not arithmetic on these types.
    """
    if sign == "**":
        if not (isinstance(a, int | float) and isinstance(b, int | float) and abs(a) <= 1024 and abs(b) <= 64):
            raise ValueError("too large")
        return a**b
    if sign == "*" and not (isinstance(a, int | float) and isinstance(b, int | float)):
        raise TypeError("repetition is not followed")
    if sign == "%" and not isinstance(a, int | float):
        raise TypeError("formatting is not followed")
    if sign not in _BINARY:
        raise TypeError("not arithmetic")
    result = _BINARY[sign](a, b)
    if (isinstance(result, str) and len(result) > _LONGEST) or (isinstance(result, int) and result.bit_length() > 128):
        raise ValueError("too large")
    return result
