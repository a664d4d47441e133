"""The Python of a project without running it: names, calls, classes, constant values."""

from gto_rules.facts.python.calls import Call
from gto_rules.facts.python.classes import Class
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.python.located import Item, Located
from gto_rules.facts.python.match import matches_any, name_matches
from gto_rules.facts.python.model import Argument, Value
from gto_rules.facts.python.module import PythonModule

__all__ = [
    "Argument",
    "Call",
    "Class",
    "Item",
    "Located",
    "PythonIndex",
    "PythonModule",
    "Value",
    "matches_any",
    "name_matches",
]
