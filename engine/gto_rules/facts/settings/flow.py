"""What an expression is worth in this run: constants, and what the launch feeds into arguments.

The Python room evaluates what stands in the code alone. Here the arguments of the program, parameters with known
callers, environment variables and conditions are followed too. What stays open is said with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tree_sitter import Node

from gto_rules.facts.model import Origin, SettingValue
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Block
from gto_rules.facts.python.values import Home, Located, evaluate
from gto_rules.facts.settings.arguments import Arguments, Declared
from gto_rules.facts.settings.code import Code
from gto_rules.facts.settings.flow_attributes import ATTRIBUTE_RULES
from gto_rules.facts.settings.flow_names import NAME_RULES
from gto_rules.facts.settings.flow_operators import OPERATOR_RULES
from gto_rules.facts.settings.results import Result, from_origin, unknown

_DEPTH = 40
_RULES = {**NAME_RULES, **ATTRIBUTE_RULES, **OPERATOR_RULES}


class Flow:
    """Evaluates expressions for one launch."""

    def __init__(
        self,
        code: Code,
        arguments: Arguments,
        given: Callable[[Declared], Origin | None],
        environment: Callable[[str], Origin | None],
        setting: Callable[[str], SettingValue | None],
    ) -> None:
        """
        Args:
            code: What runs.
            arguments: The arguments that it declares.
            given: What the launch says about a declared argument.
            environment: What the launch sets an environment variable to.
            setting: A setting of the tables by name, for fields that a library's class holds.
        """
        self.code = code
        self.arguments = arguments
        self.environment = environment
        self.setting = setting
        self._given = given
        self._known: dict[tuple[int, int, int, str], Result] = {}

    def value(self, where: Located, depth: int = 0) -> Result:
        """The value of an expression in this run. Answers are remembered; what leads back to itself is unknown."""
        key = (id(where.home), where.node.start_byte, where.node.end_byte, where.node.type)
        held = self._known.get(key)
        if held is not None:
            return held
        if depth > _DEPTH:
            return unknown(where, "a chain of names that is too long")
        self._known[key] = unknown(where, text_of(where.node))
        self._known[key] = found = self._value(where, depth)
        return found

    def _value(self, where: Located, depth: int) -> Result:
        if not self._may_be_fed(where):
            constant = evaluate(where)
            if constant.known:
                return Result(constant.value, constant.path, constant.line, constant.span, constant.text)
        rule = _RULES.get(where.node.type)
        return rule(self, where, depth) if rule is not None else unknown(where, text_of(where.node))

    def _may_be_fed(self, where: Located) -> bool:
        """An attribute that an argument of the program may stand behind is not taken as a constant."""
        named = where.node.child_by_field_name("attribute") if where.node.type == "attribute" else None
        return named is not None and text_of(named) in self.arguments.names

    def argument(self, declared: Declared, depth: int = 0) -> Result:
        """A declared argument: what the launch gives, else its default."""
        given = self._given(declared)
        if given is not None:
            return from_origin(given)
        if declared.default is not None:
            return self.value(declared.default, depth + 1)
        if declared.implicit is not None:
            path, line, span = declared.site.home.place(declared.site.node)
            return Result(declared.implicit, path, line, span, "")
        return unknown(declared.site, f"the argument {declared.name}")

    def truth(self, blocks: Iterable[Block], home: Home, depth: int = 0) -> bool | None:
        """Whether all conditions around a statement hold; None when one is open."""
        sure = True
        for block in blocks:
            held = self._block_holds(block, home, depth)
            if held is False:
                return False
            sure = sure and held is True
        return True if sure else None

    def _block_holds(self, block: Block, home: Home, depth: int) -> bool | None:
        """Whether the branch that a block is runs: its own test holds and none before it does."""
        if block.kind not in ("if", "elif", "else"):
            return None
        before = _earlier_tests(block.statement) if block.kind != "if" else []
        own = [block.statement] if block.kind != "else" else []
        sure = True
        for statement, wanted in [*((s, False) for s in before), *((s, True) for s in own)]:
            held = self._test(statement, block, home, depth)
            if held is not None and held != wanted:
                return False
            sure = sure and held is not None
        return True if sure and (before or own) else None

    def _test(self, statement: Node, block: Block, home: Home, depth: int) -> bool | None:
        condition = statement.child_by_field_name("condition")
        if condition is None:
            return None
        found = self.value(Located(condition, block.scope, home), depth + 1)
        return bool(found.value) if found.plain else None


def _earlier_tests(clause: Node) -> list[Node]:
    """The ``if`` and ``elif`` parts before an ``elif`` or ``else`` clause; nothing for the ``else`` of a loop."""
    whole = clause.parent
    if whole is None or whole.type != "if_statement":
        return []
    clauses = [c for c in whole.named_children if c.type == "elif_clause" and c.start_byte < clause.start_byte]
    return [whole, *clauses]
