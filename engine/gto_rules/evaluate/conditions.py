"""Conditions: true, false or unknown, with the places that made them so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gto_rules.facts.model import Facts, SettingValue
from gto_rules.location import Evidence
from gto_rules.rulebook.expressions import evaluate_expression, referenced

EVIDENCE_LIMIT = 8


@dataclass(frozen=True, slots=True)
class Truth:
    """A three-valued answer.

    Attributes:
        value: True, False, or None when the facts do not say.
        evidence: Places that the answer rests on.
        reason: Why it is unknown, in one clause.
    """

    value: bool | None
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Context:
    """Facts as conditions see them, with the fragments that they may name."""

    facts: Facts
    fragments: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def document(self) -> dict[str, Any]:
        return {**self.facts.document(), **self.extra}


def judge(condition: Any, context: Context) -> Truth:
    """The truth of a condition (see ``docs/architecture.md`` for the grammar). Never raises."""
    if isinstance(condition, bool):
        return Truth(condition)
    if isinstance(condition, str):
        return _expression(condition, context)
    if not isinstance(condition, Mapping):
        return Truth(None, (), f"{condition!r} is not a condition")
    return _all(judge_part(condition, context))


def judge_part(condition: Mapping[str, Any], context: Context) -> Iterable[Truth]:
    """The truths of the keys of one mapping; all of them must hold."""
    for key, judge_key in _KEYS.items():
        if key in condition:
            yield judge_key(condition, context)


def _all(truths: Iterable[Truth]) -> Truth:
    parts = list(truths)
    failed = [t for t in parts if t.value is False]
    if failed:
        return Truth(False, _joined(failed), failed[0].reason)
    unknown = [t for t in parts if t.value is None]
    if unknown:
        return Truth(None, _joined(unknown), unknown[0].reason)
    return Truth(True, _joined(parts))


def _any(truths: Iterable[Truth]) -> Truth:
    parts = list(truths)
    held = [t for t in parts if t.value is True]
    if held:
        return Truth(True, _joined(held))
    unknown = [t for t in parts if t.value is None]
    if unknown:
        return Truth(None, _joined(unknown), unknown[0].reason)
    return Truth(False, _joined(parts), parts[0].reason if parts else "")


def _joined(truths: Iterable[Truth]) -> tuple[Evidence, ...]:
    seen: dict[Evidence, None] = {}
    for truth in truths:
        seen.update(dict.fromkeys(truth.evidence))
    return tuple(seen)[:EVIDENCE_LIMIT]


def _expression(text: str, context: Context) -> Truth:
    value = evaluate_expression(text, context.document)
    settings = [context.facts.settings[n] for n in referenced(text, "settings") if n in context.facts.settings]
    evidence = tuple(s.evidence for s in settings)
    computed = next((s for s in settings if s.kind == "computed"), None)
    if computed is not None:
        return Truth(None, evidence, _why_computed(computed))
    if value is None:
        return Truth(None, evidence, f"{text} is not known")
    return Truth(bool(value), evidence)


def _why_computed(setting: SettingValue) -> str:
    why = setting.origin.reason if setting.origin and setting.origin.reason else "is decided at run time"
    return f"{setting.name}: {why}"


def _setting(condition: Mapping[str, Any], context: Context) -> Truth:
    name = condition["setting"]
    setting = context.facts.settings.get(name)
    if setting is None:
        return _compare(None, condition, (), unset=True)
    if "given" in condition:
        given = setting.kind == "computed" or (setting.kind == "literal" and setting.value is not None)
        return Truth(given is condition["given"], (setting.evidence,))
    if setting.kind == "computed" and "set" not in condition:
        return Truth(None, (setting.evidence,), _why_computed(setting))
    unset = setting.kind in ("default", "unset")
    return _compare(setting.value, condition, (setting.evidence,), unset=unset)


def _compare(value: Any, condition: Mapping[str, Any], evidence: tuple[Evidence, ...], *, unset: bool) -> Truth:
    if "given" in condition:
        return Truth(condition["given"] is False, evidence)
    tests = [test(value, condition[key]) for key, test in _TESTS.items() if key in condition]
    if "set" in condition:
        tests.append(unset is not condition["set"])
    if not tests:
        tests = [value not in (None, False, "", 0, "no", "none")]
    return Truth(all(tests), evidence)


def same(value: Any, wanted: Any) -> bool:
    """Equality as configuration files mean it: text ignores case, true is not 1."""
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, str) and isinstance(wanted, str):
        return value.strip().lower() == wanted.strip().lower()
    return bool(value == wanted)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _at_least(value: Any, limit: Any) -> bool:
    number = _number(value)
    return number is not None and number >= float(limit)


def _at_most(value: Any, limit: Any) -> bool:
    number = _number(value)
    return number is not None and number <= float(limit)


_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "equals": same,
    "not_equals": lambda value, wanted: not same(value, wanted),
    "in": lambda value, wanted: any(same(value, one) for one in wanted),
    "not_in": lambda value, wanted: not any(same(value, one) for one in wanted),
    "min": _at_least,
    "max": _at_most,
    "matches": lambda value, wanted: value is not None and re.search(wanted, str(value)) is not None,
}


def _pattern(condition: Mapping[str, Any], context: Context) -> Truth:
    name = condition["pattern"]
    hits = context.facts.patterns.get(name, ())
    if hits:
        return Truth(True, tuple(Evidence(h.path, h.line, _line(h.text)) for h in hits[:EVIDENCE_LIMIT]))
    unsure = context.facts.unknown_patterns.get(name, ())
    if unsure:
        places = tuple(Evidence(h.path, h.line, _line(h.text)) for h in unsure[:EVIDENCE_LIMIT])
        return Truth(None, places, "the arguments of a call are put together at run time")
    return Truth(False)


def _line(text: str) -> str:
    first = text.strip().split("\n", 1)[0].strip()
    return first if len(first) <= 120 else first[:117] + "..."


def _import(condition: Mapping[str, Any], context: Context) -> Truth:
    wanted = condition["import"]
    for name, evidence in context.facts.imports.items():
        if name == wanted or name.startswith(wanted + "."):
            return Truth(True, evidence[:EVIDENCE_LIMIT])
    return Truth(False)


def _dependency(condition: Mapping[str, Any], context: Context) -> Truth:
    found = context.facts.dependencies.get(condition["dependency"])
    if found is None:
        return Truth(False if "version" not in condition else None, (), f"{condition['dependency']} is not declared")
    evidence = (Evidence(found.path, found.line, f"{found.name}{found.specifier}"),)
    if "version" not in condition:
        return Truth(True, evidence)
    if found.version is not None:
        answer = evaluate_expression("version_in(v, s)", {"v": found.version, "s": condition["version"]})
    else:
        answer = decided_by_range(found.specifier, condition["version"])
    if answer is None:
        return Truth(None, evidence, f"the version of {found.name} is not pinned")
    return Truth(bool(answer), evidence)


def decided_by_range(declared: str, wanted: str) -> bool | None:
    """Whether every version that ``declared`` allows is in ``wanted`` (True), or none is (False).

    Only what bounds from below (``>=5``) or above (``<5``) decides; anything else stays unknown.
    """
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import Version

    try:
        allowed, tests = list(SpecifierSet(declared)), list(SpecifierSet(wanted))
    except InvalidSpecifier:
        return None
    lows = [Version(s.version) for s in allowed if s.operator in (">=", ">", "~=")]
    highs = [Version(s.version) for s in allowed if s.operator in ("<", "<=")]
    verdicts: list[bool | None] = []
    for test in tests:
        edge = Version(test.version.removesuffix(".*"))
        if test.operator in (">=", ">"):
            holds = any(low > edge or (low == edge and test.operator == ">=") for low in lows)
            fails = any(high <= edge for high in highs)
        elif test.operator in ("<", "<="):
            holds = any(high < edge or (high == edge and test.operator == "<") for high in highs)
            fails = any(low >= edge for low in lows) and test.operator == "<"
        else:
            holds = fails = False
        verdicts.append(True if holds else False if fails else None)
    if False in verdicts:
        return False
    return None if None in verdicts or not verdicts else True


def _launch(condition: Mapping[str, Any], context: Context) -> Truth:
    launch = context.facts.launch
    if launch is None:
        return Truth(None, (), "the launch command is not known")
    evidence = (Evidence(None, None, str(launch.get("command", ""))),)
    truths = [_field(launch.get(key), wanted, key) for key, wanted in condition["launch"].items()]
    joined = _all(truths)
    return Truth(joined.value, evidence, joined.reason)


def _field(value: Any, wanted: Any, name: str) -> Truth:
    """One field of the launch or the hardware against a value, a list of values, or a range."""
    if value is None or value == "unknown":
        return Truth(None, (), f"{name} is not known")
    if isinstance(wanted, Mapping):
        if _number(value) is None:
            return Truth(None, (), f"{name} is {value!r}")
        return _compare(value, wanted, (), unset=False)
    if isinstance(wanted, list):
        return Truth(any(same(value, one) for one in wanted))
    return Truth(same(value, wanted))


def _hardware(condition: Mapping[str, Any], context: Context) -> Truth:
    hardware = context.facts.hardware
    if hardware is None:
        return Truth(None, (), "the hardware is not known")
    joined = _all(_hardware_field(hardware, key, wanted) for key, wanted in condition["hardware"].items())
    return Truth(joined.value, (), joined.reason)


def _hardware_field(hardware: Mapping[str, Any], key: str, wanted: Any) -> Truth:
    """``min_x``/``max_x`` compare the probe's figure ``x``; anything else is compared as it is."""
    for prefix, test in (("min_", _at_least), ("max_", _at_most)):
        if key.startswith(prefix) and key not in hardware:
            name = key[len(prefix) :]
            value = hardware.get(name, hardware.get(f"min_{name}"))
            if value is None and hardware.get("cuda") is False:
                return Truth(False, (), "there is no GPU in this machine")
            return Truth(None, (), f"{name} is not known") if value is None else Truth(test(value, wanted))
        if key.startswith(prefix) and key in hardware and hardware[key] is not None:
            return Truth(test(hardware[key], wanted))
    if hardware.get(key) is None and hardware.get("cuda") is False:
        return Truth(False, (), "there is no GPU in this machine")
    return _field(hardware.get(key), wanted, key)


def _metric(condition: Mapping[str, Any], context: Context) -> Truth:
    name = condition["metric"]
    value = (context.facts.metrics or {}).get(name)
    if value is None:
        return Truth(None, (), f"{name} was not measured")
    return _compare(value, condition, (Evidence(None, None, f"{name} = {value:.4g}"),), unset=False)


def _framework(condition: Mapping[str, Any], context: Context) -> Truth:
    detection = context.facts.detection
    if detection is None:
        return Truth(None, (), "the framework is not known")
    wanted = condition["framework"]
    found = detection.get("framework") in (wanted if isinstance(wanted, list) else [wanted])
    return Truth(found, tuple(Evidence(**one) for one in detection.get("evidence", ())[:1]) if found else ())


def _inference(condition: Mapping[str, Any], context: Context) -> Truth:
    detection = context.facts.detection
    if detection is None:
        return Truth(None, (), "the inference engine is not known")
    return Truth(bool(detection.get("inference", {}).get(condition["inference"])))


def _fragment(condition: Mapping[str, Any], context: Context) -> Truth:
    name = condition["fragment"]
    return judge(context.fragments[name], context) if name in context.fragments else Truth(None, (), f"no {name}")


def _not(condition: Mapping[str, Any], context: Context) -> Truth:
    inner = judge(condition["not"], context)
    return Truth(None if inner.value is None else not inner.value, inner.evidence, inner.reason)


_KEYS: dict[str, Callable[[Mapping[str, Any], Context], Truth]] = {
    "all": lambda condition, context: _all(judge(one, context) for one in condition["all"]),
    "any": lambda condition, context: _any(judge(one, context) for one in condition["any"]),
    "not": _not,
    "setting": _setting,
    "pattern": _pattern,
    "import": _import,
    "dependency": _dependency,
    "launch": _launch,
    "hardware": _hardware,
    "metric": _metric,
    "framework": _framework,
    "inference": _inference,
    "fragment": _fragment,
}
