"""Findings in settings: values that contradict each other, and names or values that do not exist."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from gto_rules.check.build import Place, finding, text
from gto_rules.check.declared import Declared
from gto_rules.check.fix_settings import remove_written, rename_written, set_written
from gto_rules.documents.model import SourceText
from gto_rules.evaluate.conditions import Context, judge
from gto_rules.evaluate.finding import Finding, FindingFix, TextEdit
from gto_rules.facts.model import Facts
from gto_rules.facts.settings.groups import Group, Written, settings_of
from gto_rules.facts.settings.surface import Versions
from gto_rules.facts.settings.table import Spec
from gto_rules.facts.settings.versions import Known, allowed
from gto_rules.location import Evidence
from gto_rules.rulebook.model import Rule


def place_findings(
    groups: Iterable[Group], source: SourceText, rules: Iterable[Rule], declared: Declared
) -> list[Finding]:
    """What the rules say about the settings of one file."""
    rules = tuple(rules)
    found: list[Finding] = []
    for group in groups:
        own = [r for r in rules if group.surface.id in (r.data.get("settings") or r.data["names"])["surfaces"]]
        facts = Facts({}, None, {}, declared.around(source.path), settings=settings_of(group, source.path))
        for rule in own:
            if "settings" in rule.data:
                found += _contradiction(rule, group, source, facts)
            else:
                found += _names(rule, group, source, declared)
    return found


def _contradiction(rule: Rule, group: Group, source: SourceText, facts: Facts) -> Iterator[Finding]:
    trigger = rule.data["settings"]
    if judge(trigger["when"], Context(facts)).value is not True:
        return
    accused = [w for name in trigger["at"] for w in _written_as(group, name)]
    if not accused:
        return
    first = accused[0]
    related = tuple(Evidence(source.path, w.line, f"{w.name} = {_shown(w)}") for w in accused[1:])
    words = {name: _value(facts, name) for name in facts.settings}
    fix = _fix(rule, group, source) if "fix" in rule.data else None
    yield finding(rule, Place(source, first.whole), words, fix, related)


def _written_as(group: Group, name: str) -> Iterator[Written]:
    """Where a setting is written, under whatever name."""
    for written in group.written.values():
        spec = group.surface.spelt.get(written.name)
        if (spec.name if spec else written.name) == name:
            yield written


def _value(facts: Facts, name: str) -> str:
    value = facts.settings[name].value
    return "unset" if value is None else str(value)


def _shown(written: Written) -> str:
    return written.text if written.text else str(written.value)


def _fix(rule: Rule, group: Group, source: SourceText) -> FindingFix | None:
    data = rule.data["fix"]
    edits: list[TextEdit] = []
    for operation in data["edits"]:
        (name, options), *_ = operation.items()
        targets = list(_written_as(group, options.get("setting", "")))
        if len(targets) != 1:
            return None
        if name == "remove_setting":
            made = remove_written(group, targets[0], source)
        elif name == "set_setting":
            made = set_written(group, targets[0], options["value"], source)
        else:
            return None
        if made is None:
            return None
        edits += made
    return FindingFix(text(data.get("title", rule.data["title"])), tuple(sorted(edits)), data.get("risk", "neutral"))


# How alike two names are, from 0 to 1: for a suggestion, and to be called a misspelling where versions are not known.
_CLOSE = 0.75
_MISSPELT = 0.9

_Problem = Callable[[Group, Written, "Spec | None", Known], "Mapping[str, str] | None"]


def _names(rule: Rule, group: Group, source: SourceText, declared: Declared) -> Iterator[Finding]:
    trigger = rule.data["names"]
    if declared.holds_package(source.path, group.surface.packages):
        return
    problem = _PROBLEMS[trigger["problem"]]
    let_pass = frozenset(trigger.get("except", ()))
    for written in group.written.values():
        if written.name in let_pass or _inside_unlisted(group, written.name):
            continue
        spec = group.surface.spelt.get(written.name)
        versions = group.surface.versions[spec.name] if spec is not None else Versions(None)
        known = declared.known(source.path, versions.version_of, versions.verified)
        words = problem(group, written, spec, known)
        if words is None:
            continue
        words = {"name": written.name, "value": _shown(written), **words}
        span = written.key if trigger["problem"] in ("unknown", "removed", "renamed") else written.span
        fix = None
        if "fix" in rule.data and words.get("nearest"):
            edits = rename_written(group, written, words["nearest"], source)
            data = rule.data["fix"]
            if edits:
                fix = FindingFix(text(data.get("title", rule.data["title"])), edits, data.get("risk", "neutral"))
        yield finding(rule, Place(source, span), words, fix)


def _inside_unlisted(group: Group, name: str) -> bool:
    """Whether a dotted name lies inside a mapping about which the surface says nothing more."""
    surface = group.surface
    if surface.accepts_unlisted(name) or "*" in group.extra or name in group.extra:
        return True
    head = name
    while "." in head:
        head = head.rpartition(".")[0]
        if surface.accepts_unlisted(head) or surface.accepts_unlisted(head + ".*") or head in group.extra:
            return True
        inner = head + "."
        if head in surface.spelt and not any(known.startswith(inner) for known in surface.specs):
            return True
        if head not in surface.spelt and not any(known.startswith(inner) for known in surface.specs):
            return True  # the mapping itself is what is unknown
    return False


def _unknown(group: Group, written: Written, spec: Spec | None, known: Known) -> Mapping[str, str] | None:
    surface = group.surface
    if spec is not None or any(name.startswith(written.name + ".") for name in surface.specs):
        return None
    if group.kind == "command" and written.name.startswith("no_") and written.name[3:] in surface.spelt:
        return None
    certain = surface.strict or known.pinned
    parent, last = written.name.rpartition(".")[0], written.name.count(".")
    beside = [n for n in surface.specs if n.rpartition(".")[0] == parent and n.count(".") == last]
    near = get_close_matches(written.name, beside, n=1, cutoff=_CLOSE if certain else _MISSPELT)
    if not near and not certain:
        return None
    return {"nearest": near[0] if near else "", "hint": f" Did you mean '{near[0]}'?" if near else ""}


def _removed(group: Group, written: Written, spec: Spec | None, known: Known) -> Mapping[str, str] | None:
    if spec is None or not _gone(spec, written.name, known):
        return None
    assumed = known.assumed or ""
    late = spec.since is not None and allowed(assumed, f"<{spec.since}")
    came_or_went = f" It came with {spec.since}." if late else f" It went with {spec.removed}."
    instead = f" Use {spec.replaced_by} instead." if spec.replaced_by and not late else ""
    return {"version": assumed, "hint": came_or_went + instead, "nearest": ""}


def _gone(spec: Spec, spelling: str, known: Known) -> bool:
    """Whether no version that the project allows has the name."""
    versions = known.possible or ((known.assumed,) if known.assumed else ())
    return bool(versions) and all(spec.name == spelling and not spec.exists_in(v) for v in versions)


def _renamed(group: Group, written: Written, spec: Spec | None, known: Known) -> Mapping[str, str] | None:
    if spec is None or written.name not in spec.was:
        return None
    specifier = spec.was[written.name]
    versions = known.possible or ((known.assumed,) if known.assumed else ())
    if not versions or any(allowed(v, specifier) for v in versions):
        return None
    return {"nearest": spec.name, "version": specifier, "hint": ""}


_TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "name": (str,),
    "list": (list, tuple, str),
    "dict": (dict, str),
}


_SAID = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "name": "text",
    "list": "a list",
    "dict": "a mapping",
}


def _wrong_type(group: Group, written: Written, spec: Spec | None, known: Known) -> Mapping[str, str] | None:
    if spec is None or not written.known or written.value is None:
        return None
    if written.value == "auto" or any(
        _fits(written.value, s) for s in (spec, *group.surface.others.get(spec.name, ()))
    ):
        return None
    return {"expected": _SAID.get(spec.type, spec.type), "nearest": "", "hint": ""}


def _fits(value: Any, spec: Spec) -> bool:
    if spec.type not in _TYPES or any(value is c or value == c for c in spec.choices):
        return True
    if isinstance(value, bool) and spec.type in ("int", "float"):
        return False
    return isinstance(value, _TYPES[spec.type]) or (spec.type == "int" and isinstance(value, float) and value % 1 == 0)


def _wrong_choice(group: Group, written: Written, spec: Spec | None, known: Known) -> Mapping[str, str] | None:
    if spec is None or not spec.choices or not written.known or written.value is None:
        return None
    value: Any = written.value
    specs = (spec, *group.surface.others.get(spec.name, ()))
    if isinstance(value, list | dict) or any(not s.choices or str(value) in map(str, s.choices) for s in specs):
        return None
    near = get_close_matches(str(value), [str(c) for c in spec.choices], n=1)
    if isinstance(value, str) and not near and not group.surface.strict and not known.pinned:
        return None  # another version may have it
    hint = f" Did you mean '{near[0]}'?" if near else ""
    return {"expected": ", ".join(str(c) for c in spec.choices), "nearest": "", "hint": hint}


_PROBLEMS: dict[str, _Problem] = {
    "unknown": _unknown,
    "removed": _removed,
    "renamed": _renamed,
    "type": _wrong_type,
    "choice": _wrong_choice,
}
