"""YAML 1.1 scalars as PyYAML's safe loader reads them, without loading PyYAML for the plain ones.

The patterns are those of the YAML 1.1 type repository (https://yaml.org/type/) in the form that
PyYAML implements; a test compares both on generated and real input.
"""

from __future__ import annotations

import re
from typing import Any

from gto_rules.documents.model import JsonScalar

_BOOL = {
    word: value
    for value, words in ((True, ("yes", "true", "on")), (False, ("no", "false", "off")))
    for base in words
    for word in (base, base.capitalize(), base.upper())
}
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_INT = re.compile(
    r"[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+"
)
_FLOAT = re.compile(
    r"[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)


def plain(text: str) -> JsonScalar:
    """The value of a plain (unquoted) scalar on one line."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if text[0] in "-+.0123456789":
        if _INT.fullmatch(text):
            return _integer(text)
        if _FLOAT.fullmatch(text):
            return _real(text)
    return text


def through_loader(text: str) -> Any:
    """The value of any scalar by PyYAML itself (escapes, folding, block scalars); the text if it fails."""
    import yaml

    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return text
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _integer(text: str) -> JsonScalar:
    digits = text.replace("_", "")
    sign = -1 if digits[0] == "-" else 1
    digits = digits.lstrip("+-")
    try:
        if digits.startswith("0b"):
            return sign * int(digits[2:], 2)
        if digits.startswith("0x"):
            return sign * int(digits[2:], 16)
        if digits[0] == "0" and len(digits) > 1:
            return sign * int(digits, 8)
        if ":" in digits:
            return sign * _sexagesimal([int(part) for part in digits.split(":")])
        return sign * int(digits)
    except ValueError:
        return text


def _real(text: str) -> float:
    digits = text.replace("_", "").lower()
    sign = -1.0 if digits[0] == "-" else 1.0
    digits = digits.lstrip("+-")
    if digits == ".inf":
        return sign * float("inf")
    if digits == ".nan":
        return float("nan")
    if ":" in digits:
        whole = 0.0
        for part in digits.split(":"):
            whole = whole * 60 + float(part)
        return sign * whole
    return sign * float(digits)


def _sexagesimal(parts: list[int]) -> int:
    value = 0
    for part in parts:
        value = value * 60 + part
    return value
