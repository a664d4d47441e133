"""Settings with their origin, resolved as the packs' tables declare."""

from gto_rules.facts.settings.render import settings_json
from gto_rules.facts.settings.resolve import resolve_settings

__all__ = ["resolve_settings", "settings_json"]
