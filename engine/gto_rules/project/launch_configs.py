"""Configuration files and ``key=value`` words of a command."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence

from gto_rules.project.launch_files import NamedFiles
from gto_rules.project.launch_flags import after
from gto_rules.project.launch_unwrap import Reading
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.model import Word
from gto_rules.project.shell_values import Field

_OVERRIDE = re.compile(r"[+~]{0,2}([A-Za-z_][\w.@/:-]*)=")


def config_words(reading: Reading, hints: Sequence[LauncherSpec], named: NamedFiles) -> tuple[str, ...]:
    """Configuration files that the launcher or the program is given, in order, as written."""
    if reading.opaque:
        return ()
    found: list[str] = []
    level, rest = reading.level, reading.rest
    specs = [*hints, level.spec]
    for flag in level.options.flags if level.spec.role != "program" else ():
        if flag.value is not None and _is_config(flag.name, flag.value.text, specs, named):
            found.append(flag.value.text)
    words = level.words[rest:]
    for at, word in enumerate(words):
        text = _config(words, at, specs, named)
        if text is not None:
            found.append(text)
        elif at == 0 and level.spec.config_operands and not word.text.startswith("-") and "=" not in word.text:
            found.append(word.text)
    return tuple(dict.fromkeys(found))


def _config(words: Sequence[Field], at: int, specs: Sequence[LauncherSpec], named: NamedFiles) -> str | None:
    """The configuration file that this word is or holds."""
    text = words[at].text
    name, equals, value = text.partition("=")
    if text.startswith("-") and equals:
        return value if value and _is_config(name, value, specs, named) else None
    if text.startswith("-") or _OVERRIDE.match(text):
        return None
    if at and words[at - 1].text.startswith("-") and "=" not in words[at - 1].text:
        return text if _is_config(words[at - 1].text, text, specs, named) else None
    return text if _ends(text, specs) and _data_free(text) else None


def _is_config(flag: str, value: str, specs: Sequence[LauncherSpec], named: NamedFiles) -> bool:
    """Whether ``value``, given to ``flag``, is a configuration file."""
    plain = "--" + flag[2:].replace("-", "_") if flag.startswith("--") else flag
    if any(_fits(plain, spec.config_flags) for spec in specs):
        return True
    if any(_fits(plain, spec.loose_config_flags) for spec in specs):
        return _ends(value, specs) or named.find(value) is not None
    return _ends(value, specs) and _data_free(value)


def _fits(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _ends(text: str, specs: Sequence[LauncherSpec]) -> bool:
    return any(text.endswith(spec.config_endings) for spec in specs if spec.config_endings)


def _data_free(text: str) -> bool:
    """JSON files given to options of any name are data far more often than configuration."""
    return not text.endswith(".json")


def override_words(arguments: Sequence[Field]) -> Mapping[str, Word]:
    """``key=value`` words by key; the last one counts."""
    found: dict[str, Word] = {}
    for word in arguments:
        match = _OVERRIDE.match(word.text)
        if match and not word.text.startswith("-"):
            found[match.group(1)] = after(word, match.end()).word()
    return found
