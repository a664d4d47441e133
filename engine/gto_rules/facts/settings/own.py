"""The program's own arguments: what no table knows, read with the types that the code declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gto_rules.facts.model import Origin, SettingValue, ValueKind
from gto_rules.facts.settings.configs import entry_origin, leaves
from gto_rules.facts.settings.python_sources import declared_default, disagreement
from gto_rules.facts.settings.reading import Reading
from gto_rules.facts.settings.words import Flag, flag_origin, words_origin


def own_settings(reading: Reading, settings: Mapping[str, SettingValue]) -> dict[str, SettingValue]:
    """Arguments, overrides and configuration keys that ``settings`` does not hold, strongest first."""
    found: dict[str, list[Origin]] = {}
    for name, origin in _origins(reading, settings):
        if name not in settings:
            found.setdefault(name, []).append(origin)
    one_program = reading.launch is not None
    return {name: _value(name, origins, one_program=one_program) for name, origins in found.items()}


def _origins(reading: Reading, settings: Mapping[str, SettingValue]) -> Iterator[tuple[str, Origin]]:
    for flag in reversed(reading.program_flags):
        name, kind = _declared(flag, reading)
        yield name, flag_origin(flag, kind)
    for key, word in reading.overrides.items():
        value = word.text[len(key) + 1 :] if word.text.startswith(key + "=") else word.text
        yield key.lstrip("+~"), words_origin("override", (replace(word, text=value),), "any", key)
    for config in reading.configs:
        # A file that a known setting names is that setting's business (its nested keys have their own tables).
        if config.document is None or config.role != "program" or config.guessed:
            continue
        if config.flag not in settings:
            for name, entry in leaves(config.document):
                yield name, entry_origin("config", config.document, entry, name, "any")
    for declared in reading.arguments.deciding(list(reading.arguments.all)):
        default = declared_default(declared, reading)
        if default is not None:
            yield declared.name, default


def _declared(flag: Flag, reading: Reading) -> tuple[str, str]:
    """A flag's own name and type: as the code declares them, else from how it is written."""
    for declared in reading.arguments.all:
        if flag.name in declared.spellings:
            return declared.name, declared.type
    return flag.name, "list" if len(flag.values) > 1 and not flag.attached else "any"


def _value(name: str, origins: list[Origin], *, one_program: bool) -> SettingValue:
    """The strongest origin decides; without a launch, scripts that disagree leave the value open."""
    first = origins[0]
    other = next((o for o in origins if o.computed or o.value != first.value), None)
    if not one_program and other is not None and not first.computed:
        first = disagreement(first, other)
        origins = [first, *origins]
    kind: ValueKind = "computed" if first.computed else "default" if first.kind == "default" else "literal"
    return SettingValue(name, first.value, kind, first, tuple(origins[1:]))
