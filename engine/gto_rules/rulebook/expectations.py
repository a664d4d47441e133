"""What a case may expect of a rule, by kind: a misspelt expectation would hold whatever happens."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from gto_rules.errors import Diagnostic
from gto_rules.rulebook.places import KeyPath, Placed

# Kind → keys of `expect`. Cases of settings and launchers expect names of the rule's own.
EXPECTED: dict[str, tuple[str, ...]] = {
    "item": ("status", "line", "evidence"),
    "pattern": ("hits", "unknown"),
    "finding": ("findings", "message", "fixed"),
    "detector": ("framework", "not", "inference"),
    "remedy": ("files", "command", "refused"),
    "diagnosis": ("found", "evidence"),
    "repair": ("matches",),
}


def check_expectation(kind: str, expect: Any, at: KeyPath, placed: Placed) -> Iterator[Diagnostic]:
    """Keys that mean nothing for rules of this kind, and expectations that say nothing."""
    known = EXPECTED.get(kind)
    if known is None or not isinstance(expect, Mapping):
        return
    for key in expect:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else None
            message = f"a case of kind '{kind}' cannot expect '{key}'"
            expected = f"one of: {', '.join(known)}"
            yield placed.diagnostic(message, (*at, key), key=True, expected=expected, hint=hint)
    if not expect:
        yield placed.diagnostic("the case expects nothing", at, expected=f"one of: {', '.join(known)}")
