"""Finders for what the launch says: flags, overrides, configuration files, environment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gto_rules.facts.model import Origin
from gto_rules.facts.settings.configs import ConfigFile, entry_origin, find_entry
from gto_rules.facts.settings.reading import Found, Reading
from gto_rules.facts.settings.table import Source, Spec
from gto_rules.facts.settings.typed import from_value
from gto_rules.facts.settings.words import flag_origin, normal, words_origin


def find_cli(source: Source, spec: Spec, spelling: str, reading: Reading) -> Iterator[Found]:
    """Flags of the program."""
    yield from _flags(source, spec, spelling, reading, launcher=False)


def find_launcher(source: Source, spec: Spec, spelling: str, reading: Reading) -> Iterator[Found]:
    """Flags of the launcher, when it is one of the source's ``launchers``."""
    wanted = source.options.get("launchers")
    if reading.launch is not None and (not wanted or reading.launch.launcher in wanted):
        yield from _flags(source, spec, spelling, reading, launcher=True)


def _flags(source: Source, spec: Spec, spelling: str, reading: Reading, *, launcher: bool) -> Iterator[Found]:
    name = normal(source.spelt(spelling))
    for flag in reading.flags_named(name, launcher=launcher):
        yield Found(flag_origin(flag, spec.type))
    if spec.type == "bool":
        for flag in reading.flags_named(f"no_{name}", launcher=launcher):
            yield Found(flag_origin(flag, spec.type, negative=True))


def find_override(source: Source, spec: Spec, spelling: str, reading: Reading) -> Iterator[Found]:
    """``key=value`` words."""
    wanted = source.spelt(spelling)
    for key, word in reading.overrides.items():
        if key.lstrip("+~") == wanted:
            value = word.text[len(key) + 1 :] if word.text.startswith(key + "=") else word.text
            yield Found(words_origin("override", (replace(word, text=value),), spec.type, key))


def find_config(source: Source, spec: Spec, spelling: str, reading: Reading) -> Iterator[Found]:
    """Keys of the configuration files that the launch names."""
    key = source.spelt(spelling)
    for config in reading.configs:
        if not serves(source, config):
            continue
        if config.document is None:
            if config.role == "program":
                yield Found(_missing(config, key), maybe=True)
            continue
        entry = find_entry(config.document, key)
        if entry is not None:
            yield Found(entry_origin("config", config.document, entry, key, spec.type), entry.value)


def serves(source: Source, config: ConfigFile) -> bool:
    """Whether a configuration file is one that this source reads."""
    if source.options.get("in", config.role) != config.role:
        return False
    flags = [normal(f) for f in source.options.get("flags", ())]
    if config.flag is not None:
        return config.flag in flags or not flags
    position = source.options.get("position")
    return position is None or config.position is None or config.position <= position


def _missing(config: ConfigFile, key: str) -> Origin:
    reason = f"{config.path} is named by the launch and cannot be read in the project"
    return Origin("config", None, None, computed=True, reason=reason, key=key)


def find_env(source: Source, spec: Spec, spelling: str, reading: Reading) -> Iterator[Found]:
    """Environment variables of the launch."""
    name = source.spelt(spelling)
    word = reading.env.get(name)
    if word is not None:
        text = word.text[len(name) + 1 :] if word.text.startswith(name + "=") else word.text
        yield Found(words_origin("env", (replace(word, text=text),), spec.type, name))


def find_launch(source: Source, spec: Spec, spelling: str, reading: Reading) -> Iterator[Found]:
    """A fact of the launch itself, such as its node count."""
    value = getattr(reading.launch, source.spelt(spelling), None)
    if value is None:
        return
    if value == "unknown":
        reason = "decided when the command runs"
        yield Found(Origin("cli", None, None, computed=True, reason=reason, key=source.name))
        return
    yield Found(Origin("cli", None, None, value=from_value(value, spec.type), text=str(value), key=source.name))
