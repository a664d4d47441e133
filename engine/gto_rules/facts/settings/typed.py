"""Text of a command line, or a plain value, as the type that a table declares."""

from __future__ import annotations

import re
from typing import Any

_TRUE = frozenset({"true", "t", "yes", "y", "1", "on"})
_FALSE = frozenset({"false", "f", "no", "n", "0", "off"})
_NULL = frozenset({"none", "null", "~"})


_PLACEHOLDER = re.compile(r"<[A-Za-z][\w ./-]*>.*|(TO_?BE_?FILLED|TO_?DO|FIX_?ME|CHANGE_?ME|FILL_?ME|X{3,})", re.I)


def is_placeholder(text: str) -> bool:
    """Text that a reader is meant to replace: ``<MODEL_ROOT>/x``, ``TO_BE_FILLED``."""
    return _PLACEHOLDER.fullmatch(text) is not None


def is_bool_word(text: str) -> bool:
    return text.lower() in _TRUE or text.lower() in _FALSE


def from_text(text: str, kind: str) -> Any:
    """``text`` as ``kind`` (``bool``, ``int``, ``float``, ``str``, ``list``, ``dict``, ``any``).

    Text that does not fit the type stays text: a wrong value is the program's business, not ours.
    """
    if kind != "str" and text.lower() in _NULL:
        return None
    if kind == "bool" and is_bool_word(text):
        return text.lower() in _TRUE
    if kind in ("int", "float"):
        return _number(text)
    if kind in ("list", "dict", "any"):
        return _plain(text)
    return text


def _number(text: str) -> Any:
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def _plain(text: str) -> Any:
    """A value as a YAML loader would read it, plus ``True`` and ``1e-5`` that YAML 1.1 leaves as text."""
    number = _number(text)
    if not isinstance(number, str):
        return number
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text[:1] in "[{":
        import yaml

        try:
            return yaml.safe_load(text)
        except yaml.YAMLError:
            return text
    return text


def from_value(value: Any, kind: str) -> Any:
    """A value out of a data file or Python literal, as ``kind``; only text is converted."""
    if isinstance(value, str) and kind not in ("str", "any"):
        return from_text(value, kind)
    return value
