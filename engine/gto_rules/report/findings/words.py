"""Text of a finding that may go anywhere: no control character of a project leaves this module."""

from __future__ import annotations

import re
from collections.abc import Mapping

# C0 and C1 controls (a tab too), marks that reorder text, and halves of surrogate pairs.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def visible(text: str) -> str:
    """Text with every character that could act on a terminal or a format written as an escape."""
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_escape, text)


def spoken(words: Mapping[str, str], lang: str) -> str:
    """One language of a text, made safe."""
    return visible(words.get(lang) or words["en"])
