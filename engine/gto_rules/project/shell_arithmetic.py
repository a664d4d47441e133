"""Integer arithmetic of the shell, for expressions whose names are all known."""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable

_LIMIT = 10**18
_NAME = re.compile(r"(?<![\w$])[A-Za-z_]\w*")
_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def evaluate(expression: str, lookup: Callable[[str], str | None]) -> int | None:
    """The value of ``expression``, or None when it cannot be known.

    Args:
        lookup: Gives the text of a variable, or None when that is not known.
    """
    text = fill(expression, lookup)
    if re.fullmatch(r"[\d\s()+\-*/%]+", text) is None or len(text) > 400:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval")
        return _value(tree.body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def fill(expression: str, lookup: Callable[[str], str | None]) -> str:
    """``expression`` with the names that are known replaced by their values."""

    def known(match: re.Match[str]) -> str:
        text = lookup(match.group())
        return match.group() if text is None else text

    return _NAME.sub(known, expression)


def _value(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = _value(node.operand)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp):
        return _binary(node.op, _value(node.left), _value(node.right))
    raise ValueError("not an integer expression")


def _binary(kind: ast.operator, left: int, right: int) -> int:
    if isinstance(kind, (ast.Div, ast.FloorDiv, ast.Mod)):
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return left - quotient * right if isinstance(kind, ast.Mod) else quotient
    if isinstance(kind, ast.Pow) and abs(left) < 100 and 0 <= right < 64:
        return int(left**right)
    if type(kind) not in _BINARY or max(abs(left), abs(right)) > _LIMIT:
        raise ValueError("not an integer expression")
    return _BINARY[type(kind)](left, right)
