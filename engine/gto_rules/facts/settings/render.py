"""Resolved settings as the JSON of ``gto-rules settings``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gto_rules.facts.model import SettingValue


def settings_json(settings: Mapping[str, SettingValue]) -> dict[str, Any]:
    """``{"settings": {NAME: {"value", "kind", "path", "line", "overrides", ...}}}``, names sorted."""
    return {"settings": {name: settings[name].to_json() for name in sorted(settings)}}
