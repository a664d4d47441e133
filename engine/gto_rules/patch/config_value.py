"""Values as configuration formats write them, so that each format's own loader reads them back."""

from __future__ import annotations

import json
import math
import re

from gto_rules.errors import PatchError

# Words that YAML 1.1 would read as something else than text.
_YAML_WORDS = re.compile(r"(?i)(true|false|yes|no|on|off|null|~|[-+]?[\d.].*|)$")
_YAML_PLAIN = re.compile(r"[A-Za-z0-9_./+](?:[A-Za-z0-9_./+@ -]*[A-Za-z0-9_./+@-])?$")
# Not allowed raw in a quoted string of YAML or TOML, or folded there as a line ending.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_TOML_BARE = re.compile(r"[A-Za-z0-9_-]+$")


def render(kind: str, value: object, style: str = "plain") -> str:
    """A value as the format writes it, in the quotes that stood there before.

    Raises:
        PatchError: the format has no way to write the value.
    """
    if kind == "yaml":
        return _yaml(value, style)
    if kind == "toml":
        return _toml(value)
    _finite(value)
    return json.dumps(value, ensure_ascii=False)


def render_key(kind: str, key: str) -> str:
    """A mapping's key as the format writes it."""
    if kind == "yaml":
        return _yaml(key, "plain")
    if kind == "toml":
        return key if _TOML_BARE.match(key) else _quoted(key)
    return json.dumps(key, ensure_ascii=False)


def _quoted(text: str) -> str:
    """Double quotes with the escapes that JSON, YAML and TOML share."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _finite(value: object) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise PatchError(f"JSON cannot write {value}")
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            _finite(one)


def _yaml(value: object, style: str) -> str:
    if isinstance(value, str):
        return _yaml_text(value, style)
    if isinstance(value, float):
        if not math.isfinite(value):
            return ".nan" if value != value else ".inf" if value > 0 else "-.inf"
        text = repr(value)
        # Without a dot YAML 1.1 reads 1e-05 as text.
        return text if "." in text or "e" not in text else text.replace("e", ".0e", 1)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_yaml(str(k), 'flow')}: {_yaml(v, 'flow')}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_yaml(one, "flow") for one in value) + "]"
    return json.dumps(value)


def _yaml_text(value: str, style: str) -> str:
    if style == "single" and not _UNPRINTABLE.search(value) and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if style in ("single", "double") or _YAML_WORDS.match(value) or not _YAML_PLAIN.match(value):
        return _quoted(value)
    return value


def _toml(value: object) -> str:
    if value is None:
        raise PatchError("TOML cannot write an empty value")
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{render_key('toml', str(k))} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)  # inf, -inf and nan are TOML's own words
    return json.dumps(value)
