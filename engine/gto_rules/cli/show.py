"""Text for terminals: clean of control characters, coloured only where someone looks."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from gto_rules.report.text import clean

_COLOURS = {"green": "32", "yellow": "33", "red": "31", "bold": "1", "dim": "2"}


def say(text: object, limit: int = 160) -> str:
    """Project text on one line, cut to ``limit``."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def evidence_line(evidence: Mapping[str, Any]) -> str:
    """``path:line text`` of one piece of evidence."""
    path, line, text = evidence.get("path"), evidence.get("line"), evidence.get("text")
    place = f"{clean(path)}:{line}" if path and line else clean(path or "")
    return f"{place} {say(text or '', 100)}".strip()


def colour(text: str, name: str) -> str:
    """``text`` in colour on a terminal, plain elsewhere and with NO_COLOR set."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"\x1b[{_COLOURS[name]}m{text}\x1b[0m"
