"""Find, validate, check, compile and cache packs of rules."""

from gto_rules.rulebook.load import load
from gto_rules.rulebook.model import Pack, Rule, Rulebook

__all__ = ["Pack", "Rule", "Rulebook", "load"]
