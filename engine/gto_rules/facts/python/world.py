"""What modules ask about the rest of the project."""

from __future__ import annotations

from typing import Protocol

from gto_rules.facts.python.located import Located
from gto_rules.facts.python.names import ProjectNames


class World(ProjectNames, Protocol):
    """The names, constants and class fields of all project files."""

    def constant(self, dotted: str) -> Located | None:
        """The expression that a canonical project name is assigned to once and for all."""

    def field_default(self, cls: str, name: str) -> tuple[Located | None, int] | None:
        """A field's default expression (None if it has none) and its position among the fields."""
