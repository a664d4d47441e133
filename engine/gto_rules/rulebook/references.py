"""What only shows when all rules are read: names that point nowhere, scores that cannot be reached."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gto_rules.errors import Diagnostic
from gto_rules.rulebook.conditions import conditions, expressions
from gto_rules.rulebook.expressions import Names, check_expression
from gto_rules.rulebook.model import Rule
from gto_rules.rulebook.places import KeyPath, Placed

# Key → kind of rule that its ids name.
_ID_KEYS = {"remedies": "remedy", "conflicts": "remedy", "after": "remedy"}

# Roots of the small documents that some kinds evaluate besides the facts.
_EXTRA_ROOTS = frozenset(("thresholds", "policy", "trial"))


@dataclass(frozen=True, slots=True)
class Loaded:
    """A rule with the file that it came from."""

    rule: Rule
    placed: Placed


def declared_names(loaded: Iterable[Loaded]) -> Names:
    """Setting and pattern names of all packs."""
    settings: set[str] = set()
    patterns: set[str] = set()
    for one in loaded:
        if one.rule.kind in ("settings", "surface"):
            settings |= {str(name) for name in one.rule.data.get("settings") or {}}
        elif one.rule.kind == "pattern":
            patterns.add(one.rule.id)
    return Names(frozenset(settings), frozenset(patterns), _EXTRA_ROOTS)


def check_references(loaded: Sequence[Loaded]) -> Iterator[Diagnostic]:
    """Every broken reference, expression and score of all rules."""
    names = declared_names(loaded)
    by_kind: dict[str, set[str]] = {}
    for one in loaded:
        by_kind.setdefault(one.rule.kind, set()).add(one.rule.id)
    audits = {one.rule.id: one for one in loaded if one.rule.kind == "audit"}
    for one in loaded:
        yield from _ids(one, by_kind)
        yield from _surfaces(one, by_kind)
        yield from _conditions(one, names, by_kind)
        yield from _expressions(one, names)
        yield from _names(one, names)
        if one.rule.kind == "item":
            yield from _item(one, audits)
    for audit in audits.values():
        yield from _scores(audit, [o.rule for o in loaded if o.rule.data.get("audit") == audit.rule.id])


def _near(name: str, known: Iterable[str]) -> str | None:
    found = difflib.get_close_matches(name, sorted(known), n=1)
    return f"did you mean '{found[0]}'?" if found else None


def _ids(one: Loaded, by_kind: dict[str, set[str]]) -> Iterator[Diagnostic]:
    for key, kind in _ID_KEYS.items():
        for number, target in enumerate(one.rule.data.get(key) or ()):
            known = by_kind.get(kind, set())
            if target not in known:
                hint = _near(str(target), known)
                message = f"there is no {kind} '{target}'"
                yield one.placed.diagnostic(message, (key, number), hint=hint, rule=one.rule.id)


def _surfaces(one: Loaded, by_kind: dict[str, set[str]]) -> Iterator[Diagnostic]:
    """Surfaces that a finding reads, and what a surface includes."""
    surfaces = by_kind.get("surface", set())
    places = [("includes", surfaces | by_kind.get("settings", set()), one.rule.data.get("includes") or ())]
    for key in ("settings", "names") if one.rule.kind == "finding" else ():
        places.append((key, surfaces, (one.rule.data.get(key) or {}).get("surfaces") or ()))
    for key, known, wanted in places if one.rule.kind in ("finding", "surface") else ():
        for number, target in enumerate(wanted):
            if target not in known:
                at: KeyPath = (key, number) if key == "includes" else (key, "surfaces", number)
                message = f"there is no surface '{target}'"
                yield one.placed.diagnostic(message, at, hint=_near(str(target), known), rule=one.rule.id)


def _conditions(one: Loaded, names: Names, by_kind: dict[str, set[str]]) -> Iterator[Diagnostic]:
    known = {"setting": names.settings, "pattern": names.patterns, "fragment": by_kind.get("fragment", set())}
    for condition, at in conditions(dict(one.rule.data)):
        for key, allowed in known.items() if isinstance(condition, dict) else ():
            name = condition.get(key)
            if name is not None and name not in allowed:
                message = f"there is no {key} '{name}'"
                yield one.placed.diagnostic(message, (*at, key), hint=_near(str(name), allowed), rule=one.rule.id)


def _names(one: Loaded, names: Names) -> Iterator[Diagnostic]:
    """Settings and patterns that a rule names outside of conditions."""
    data = one.rule.data
    for number, signal in enumerate(data.get("signals") or () if one.rule.kind == "detector" else ()):
        for name, at in _pattern_names(signal, ("signals", number)):
            yield from _name(one, "pattern", name, at, names.patterns)
    if one.rule.kind == "diagnosis":
        for number, shown in enumerate(data.get("evidence") or ()):
            for key, known in (("pattern", names.patterns), ("setting", names.settings)):
                if isinstance(shown, dict) and key in shown:
                    yield from _name(one, key, shown[key], ("evidence", number, key), known)
    if one.rule.kind == "finding":
        yield from _finding_names(one, names)
    if one.rule.kind == "remedy":
        for name in data.get("set") or {}:
            yield from _name(one, "setting", name, ("set", name), names.settings)
        for number, edit in enumerate(data.get("edits") or ()):
            for name, at in _pattern_names(edit, ("edits", number)):
                yield from _name(one, "pattern", name, at, names.patterns)


def _finding_names(one: Loaded, names: Names) -> Iterator[Diagnostic]:
    """Settings and patterns that a finding names."""
    data = one.rule.data
    for number, name in enumerate((data.get("settings") or {}).get("at") or ()):
        yield from _name(one, "setting", name, ("settings", "at", number), names.settings)
    if isinstance(data.get("match"), str):
        yield from _name(one, "pattern", data["match"], ("match",), names.patterns)
    for number, edit in enumerate((data.get("fix") or {}).get("edits") or ()):
        for operation, options in edit.items():
            if isinstance(options, dict) and "setting" in options:
                at = ("fix", "edits", number, operation, "setting")
                yield from _name(one, "setting", options["setting"], at, names.settings)


def _pattern_names(data: Any, at: KeyPath) -> Iterator[tuple[str, KeyPath]]:
    if isinstance(data, dict):
        for key, value in data.items():
            if key == "pattern" and isinstance(value, str):
                yield value, (*at, key)
            else:
                yield from _pattern_names(value, (*at, key))


def _name(one: Loaded, what: str, name: Any, at: KeyPath, known: frozenset[str]) -> Iterator[Diagnostic]:
    if name not in known:
        hint = _near(str(name), known)
        key = at[-1] == name  # a setting that a remedy sets is itself the key
        yield one.placed.diagnostic(f"there is no {what} '{name}'", at, key=key, hint=hint, rule=one.rule.id)


def _expressions(one: Loaded, names: Names) -> Iterator[Diagnostic]:
    for text, at in expressions(dict(one.rule.data)):
        for error in check_expression(text, names):
            message = f"{error.message} in the expression {text!r} (character {error.offset + 1})"
            yield one.placed.diagnostic(message, at, expected=error.expected, hint=error.hint, rule=one.rule.id)


def _item(one: Loaded, audits: dict[str, Loaded]) -> Iterator[Diagnostic]:
    data = one.rule.data
    audit = audits.get(str(data.get("audit")))
    if audit is None:
        hint = _near(str(data.get("audit")), audits)
        yield one.placed.diagnostic(f"there is no audit '{data.get('audit')}'", ("audit",), hint=hint, rule=one.rule.id)
        return
    categories = {c["id"]: c for c in audit.rule.data.get("categories", ())}
    category = categories.get(data.get("category"))
    if category is None:
        message = f"the audit {audit.rule.id} has no category '{data.get('category')}'"
        expected = f"one of: {', '.join(categories)}"
        yield one.placed.diagnostic(message, ("category",), expected=expected, rule=one.rule.id)
        return
    group = data.get("group")
    groups = category.get("groups") or {}
    if group is not None and group not in groups:
        message = f"category {category['id']} of {audit.rule.id} has no group '{group}'"
        yield one.placed.diagnostic(message, ("group",), hint=_near(str(group), groups), rule=one.rule.id)


def _scores(audit: Loaded, items: Sequence[Rule]) -> Iterator[Diagnostic]:
    data = audit.rule.data
    total = sum(c["max"] for c in data.get("categories", ()))
    if total != data.get("max"):
        message = f"'max' is {data.get('max')}, but the categories add up to {total}"
        yield audit.placed.diagnostic(message, ("max",), rule=audit.rule.id)
    for number, category in enumerate(data.get("categories", ())):
        reachable = _reachable(category, [i for i in items if i.data.get("category") == category["id"]])
        if reachable < category["max"]:
            message = f"category {category['id']} gives at most {reachable:g} of its {category['max']:g} points"
            at: KeyPath = ("categories", number, "max")
            yield audit.placed.diagnostic(
                message, at, hint="raise the points of its items or groups", rule=audit.rule.id
            )


def _reachable(category: dict[str, Any], items: Sequence[Rule]) -> float:
    """The most points that the items of a category can give together."""
    groups = category.get("groups") or {}
    total = sum(float(i.data["points"]) for i in items if i.data.get("group") is None)
    for name, group in groups.items():
        points = [float(i.data["points"]) for i in items if i.data.get("group") == name]
        best = max(points, default=0.0) if group["mode"] == "best_of" else sum(points)
        total += min(best, float(group["max"]))
    return total
