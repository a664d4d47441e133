"""Code patterns declared by rules, matched by canonical name, by code with holes, or by tree-sitter query."""

from gto_rules.facts.patterns.compile import Pattern, compile_patterns
from gto_rules.facts.patterns.model import Context, Found
from gto_rules.facts.patterns.run import match_patterns

__all__ = ["Context", "Found", "Pattern", "compile_patterns", "match_patterns"]
