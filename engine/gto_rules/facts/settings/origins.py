"""Places of values that code holds."""

from __future__ import annotations

from gto_rules.facts.model import Origin, OriginKind
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.values import Located
from gto_rules.facts.settings.reading import Reading
from gto_rules.facts.settings.results import plain
from gto_rules.facts.settings.table import Spec
from gto_rules.facts.settings.typed import from_value
from gto_rules.location import Span


def expression_origin(
    kind: OriginKind, spec: Spec, key: str, where: Located, reading: Reading, anchor: Span | None
) -> Origin:
    """An origin for an expression: at the literal that decides, or at the expression when nobody knows.

    ``anchor`` (the call, the field) is kept when the deciding place lies inside it.
    """
    found = reading.flow.value(where)
    path, line, span = where.home.place(where.node)
    value, open_name = plain(found.value, spec.type, spec.choices)
    reason = found.reason or (f"depends on {open_name}" if open_name else None)
    if reason is not None:
        return Origin(kind, path, line, span, None, text_of(where.node), True, reason, key, anchor)
    return Origin(
        kind,
        found.path,
        found.line,
        found.span,
        from_value(value, spec.type),
        found.text,
        key=found.key or key,
        anchor=anchor if found.path == path and _within(found.span, anchor) else None,
    )


def _within(inner: Span | None, outer: Span | None) -> bool:
    return inner is not None and outer is not None and outer.start <= inner.start and inner.end <= outer.end
