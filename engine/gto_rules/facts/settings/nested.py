"""Finders for settings that live inside what another setting names, or follow from its value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from gto_rules.documents.model import DataDocument
from gto_rules.facts.model import Origin, SettingValue
from gto_rules.facts.python.values import mapping
from gto_rules.facts.settings.configs import entry_origin, find_entry
from gto_rules.facts.settings.origins import expression_origin
from gto_rules.facts.settings.reading import Found, Reading
from gto_rules.facts.settings.table import Source, Spec
from gto_rules.facts.settings.typed import from_value

Lookup = Callable[[str], SettingValue | None]


def find_nested(source: Source, spec: Spec, reading: Reading, lookup: Lookup) -> Iterator[Found]:
    """A key of the file or mapping that another setting holds.

    ``auto`` there means that the setting named by the source's ``auto`` option decides.
    """
    outer = lookup(source.name)
    if outer is None or outer.origin is None or outer.kind in ("default", "unset"):
        return
    for found in _inside(source, spec, outer, reading):
        other = source.options.get("auto")
        if found.origin.value == "auto" and other:
            yield from _follow(found, lookup(str(other)))
        else:
            yield found


def _inside(source: Source, spec: Spec, outer: SettingValue, reading: Reading) -> Iterator[Found]:
    origin, key = outer.origin, str(source.options["key"])
    assert origin is not None
    if isinstance(outer.value, dict):
        yield from _inline(origin, outer.value, key, spec, reading)
    elif origin.computed and (placed := _in_code(origin, key, spec, reading)) is not None:
        yield Found(placed)
    elif origin.computed:
        reason = f"stands in the file that {outer.name} names, which is decided at run time"
        yield Found(replace(origin, kind="nested", reason=reason, key=key), maybe=True)
    elif isinstance(outer.value, str) and ("/" in outer.value or "." in outer.value):
        yield from _in_file(outer.value, origin, key, spec, reading)


def _in_file(written: str, origin: Origin, key: str, spec: Spec, reading: Reading) -> Iterator[Found]:
    path = reading.find_file(written)
    document = reading.data(path) if path else None
    if document is None:
        reason = f"{written} is not in the project"
        yield Found(replace(origin, kind="nested", value=None, computed=True, reason=reason, key=key), maybe=True)
        return
    entry = find_entry(document, key)
    if entry is not None:
        yield Found(entry_origin("nested", document, entry, key, spec.type), entry.value)


def _inline(origin: Origin, value: dict[str, Any], key: str, spec: Spec, reading: Reading) -> Iterator[Found]:
    document = reading.data(origin.path) if origin.path and origin.kind in ("config", "nested") else None
    entry = _entry_within(document, origin, key) if document else None
    if document is not None and entry is not None:
        yield Found(entry_origin("nested", document, entry, key, spec.type), entry.value)
        return
    placed = _in_code(origin, key, spec, reading)
    if placed is not None:
        yield Found(placed)
        return
    inner: Any = value
    for part in key.split("."):
        if not isinstance(inner, dict) or part not in inner:
            return
        inner = inner[part]
    yield Found(replace(origin, kind="nested", value=from_value(inner, spec.type), text=str(inner), key=key))


def _in_code(origin: Origin, key: str, spec: Spec, reading: Reading) -> Origin | None:
    """The item at ``key`` of a mapping that stands in code as a literal."""
    module = reading.index.module(origin.path) if origin.path and origin.span else None
    if module is None or origin.span is None or module.path.endswith(".ipynb"):
        return None
    node = module.root.descendant_for_byte_range(origin.span.start, origin.span.end)
    where = module.located(node) if node is not None else None
    for part in key.split("."):
        items = mapping(where) if where is not None else None
        item = next((i for i in reversed(items or ()) if i.key == part), None)
        if item is None:
            return None
        where = item.value
    return expression_origin("nested", spec, key, where, reading, None) if where is not None else None


def _entry_within(document: DataDocument, origin: Origin, key: str) -> Any:
    return find_entry(document, f"{origin.key}.{key}")


def _follow(found: Found, other: SettingValue | None) -> Iterator[Found]:
    """What ``auto`` stands for: the other setting's value at the other setting's place."""
    if other is None:
        yield Found(replace(found.origin, value=None, computed=True, reason="auto: nothing here decides it"))
    elif other.origin is None:
        reason = f"auto: {other.name} decides, by default"
        yield Found(replace(found.origin, value=other.value, reason=reason))
    else:
        yield Found(other.origin)
        yield found


def find_setting(source: Source, spec: Spec, lookup: Lookup) -> Iterator[Found]:
    """A value that follows from another setting's value through the source's ``map``."""
    other = lookup(source.name)
    if other is None or other.origin is None or not isinstance(other.value, str | int | bool):
        return
    table = source.options.get("map", {})
    if other.value in table:
        yield Found(replace(other.origin, value=table[other.value]))
