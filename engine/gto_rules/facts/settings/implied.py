"""Settings that another setting switches on, as the tables declare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gto_rules.facts.model import Origin, SettingValue, ValueKind
from gto_rules.facts.settings.table import Implication, Spec


def with_implied(settings: Mapping[str, SettingValue], specs: Mapping[str, Spec]) -> dict[str, SettingValue]:
    """``settings`` with what they imply; a written value stands unless the implication is forced."""
    out = dict(settings)
    for name, spec in specs.items():
        for implication in spec.implies:
            if _holds(implication, out[name], out):
                _imply(implication, out[name], out)
    return out


def _holds(implication: Implication, value: SettingValue, settings: Mapping[str, SettingValue]) -> bool:
    if value.kind in ("computed", "unset") or value.value is None:
        return False
    if implication.equals and value.value not in implication.equals:
        return False
    for other, excluded in implication.unless.items():
        held = settings.get(other)
        if held is not None and held.value in excluded:
            return False
    return True


def _imply(implication: Implication, cause: SettingValue, settings: dict[str, SettingValue]) -> None:
    for name, value in implication.sets.items():
        held = settings.get(name)
        if held is None or held.value == value or (held.kind in ("literal", "computed") and not implication.force):
            continue
        origin = _origin(cause, value)
        kind: ValueKind = "default" if cause.kind == "default" else "literal"
        overridden = (held.origin, *held.overrides) if held.origin and held.kind != "default" else ()
        settings[name] = replace(held, value=value, kind=kind, origin=origin, overrides=overridden)


def _origin(cause: SettingValue, value: object) -> Origin:
    """The place of the setting that implies this one."""
    reason = f"implied by {cause.name} = {cause.value}"
    if cause.origin is None:
        return Origin("implied", None, None, value=value, reason=reason, key=cause.name)
    return replace(cause.origin, kind="implied", value=value, reason=reason, key=cause.origin.key or cause.name)
