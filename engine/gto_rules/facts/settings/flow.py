"""What an expression is worth in this run: constants, and what the launch feeds into arguments.

The Python room evaluates what stands in the code alone. Here the arguments of the program, parameters with known
callers, environment variables and conditions are followed too. What stays open is said with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from tree_sitter import Node

from gto_rules.facts.model import Origin, SettingValue
from gto_rules.facts.python.blocks import conditions
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Binding, Block, Scope
from gto_rules.facts.python.module import PythonModule
from gto_rules.facts.python.values import Located, evaluate
from gto_rules.facts.settings.arguments import Arguments, Declared
from gto_rules.facts.settings.code import CallSite, Code, unguarded
from gto_rules.facts.settings.operators import CONVERTERS, combine
from gto_rules.location import Span

_DEPTH = 40


@dataclass(frozen=True, slots=True)
class Result:
    """A known value with its place, or the reason why it is only known at run time."""

    value: Any
    path: str | None
    line: int | None
    span: Span | None
    text: str
    reason: str | None = None
    key: str = ""
    is_default: bool = False

    @property
    def known(self) -> bool:
        return self.reason is None


@dataclass(frozen=True, slots=True)
class Symbol:
    """A library's name whose value is not looked into (``torch.bfloat16``)."""

    name: str

    @property
    def last(self) -> str:
        return self.name.rpartition(".")[2]


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
        self._code = code
        self._arguments = arguments
        self._given = given
        self._environment = environment
        self._setting = setting
        self._known: dict[tuple[int, int, int, str], Result] = {}
        self._rules: dict[str, Callable[[Located, int], Result]] = {
            "identifier": self._identifier,
            "attribute": self._attribute,
            "conditional_expression": self._conditional,
            "boolean_operator": self._boolean,
            "not_operator": self._not,
            "comparison_operator": self._comparison,
            "binary_operator": self._binary,
            "parenthesized_expression": self._inner,
            "call": self._call,
            "subscript": self._subscript,
            "list": self._sequence,
            "tuple": self._sequence,
        }

    def value(self, where: Located, depth: int = 0) -> Result:
        """The value of an expression in this run. Answers are remembered; what leads back to itself is unknown."""
        key = (id(where.home), where.node.start_byte, where.node.end_byte, where.node.type)
        held = self._known.get(key)
        if held is not None:
            return held
        if depth > _DEPTH:
            return self._unknown(where, "a chain of names that is too long")
        self._known[key] = self._unknown(where, text_of(where.node))
        self._known[key] = found = self._value(where, depth)
        return found

    def _value(self, where: Located, depth: int) -> Result:
        if where.node.type not in ("identifier", "attribute", "call") or not self._may_be_fed(where):
            constant = evaluate(where)
            if constant.known:
                return Result(constant.value, constant.path, constant.line, constant.span, constant.text)
        rule = self._rules.get(where.node.type)
        return rule(where, depth) if rule is not None else self._unknown(where, text_of(where.node))

    def argument(self, declared: Declared, depth: int = 0) -> Result:
        """A declared argument: what the launch gives, else its default."""
        given = self._given(declared)
        if given is not None:
            return from_origin(given)
        if declared.default is not None:
            return replace(self.value(declared.default, depth + 1), is_default=True)
        if declared.implicit is not None:
            path, line, span = declared.site.home.place(declared.site.node)
            return Result(declared.implicit, path, line, span, "", is_default=True)
        return self._unknown(declared.site, f"the argument {declared.name}")

    def truth(self, blocks: Iterable[Block], home: PythonModule, depth: int = 0) -> bool | None:
        """Whether all conditions around a statement hold; None when one is open."""
        sure = True
        for block in blocks:
            held = self._block_holds(block, home, depth)
            if held is False:
                return False
            sure = sure and held is True
        return True if sure else None

    def _block_holds(self, block: Block, home: PythonModule, depth: int) -> bool | None:
        if block.kind == "if":
            return self._test(block.statement, home, depth)
        if block.kind != "else" or block.statement.parent is None:
            return None
        outer = block.statement.parent
        if outer.type != "if_statement" or any(c.type == "elif_clause" for c in outer.named_children):
            return None
        held = self._test(outer, home, depth)
        return None if held is None else not held

    def _test(self, statement: Node, home: PythonModule, depth: int) -> bool | None:
        condition = statement.child_by_field_name("condition")
        if condition is None:
            return None
        found = self.value(home.located(condition), depth + 1)
        return bool(found.value) if found.known and not isinstance(found.value, Symbol) else None

    def _may_be_fed(self, where: Located) -> bool:
        """Names that an argument of the program may stand behind are not taken as constants."""
        if where.node.type != "attribute":
            return False
        named = where.node.child_by_field_name("attribute")
        return named is not None and any(d.name == text_of(named) for d in self._arguments.all)

    # names

    def _identifier(self, where: Located, depth: int) -> Result:
        name = text_of(where.node)
        found = where.home.lookup(name, where.scope)
        if found is None:
            return self._unknown(where, name)
        scope, bindings = found
        held = [b for b in bindings if b.kind not in ("other", "delete")]
        if scope.kind == "module" and where.home.rewrites_names:
            return self._unknown(where, f"{name}, which executed code may replace", whole=True)
        return self._bound(where, held, scope, depth)

    def _bound(self, where: Located, bindings: list[Binding], scope: Scope, depth: int) -> Result:
        """The bindings that can hold where a name is used: the last sure one and the open ones after it."""
        use = where.home.block_at(where.node)
        results: list[Result] = []
        for binding in reversed(bindings):
            if binding.block.scope is use.scope and binding.start >= where.node.start_byte:
                continue
            around = [b for b in unguarded(binding.block) if b not in conditions(use)]
            held = self.truth(around, where.home, depth + 1)  # type: ignore[arg-type]
            if held is False:
                continue
            results.append(self._binding(where, binding, depth))
            if held is True:
                break
        return self._agreed(where, results, f"{text_of(where.node)}, which is set in several places")

    def _binding(self, where: Located, binding: Binding, depth: int) -> Result:
        if binding.kind == "parameter":
            return self._parameter(where, binding, depth)
        if binding.kind == "import" and binding.imported:
            target = where.home.constant(binding.imported)
            return self.value(target, depth + 1) if target else self._symbol(where, binding.imported)
        if binding.kind == "assign" and binding.value is not None:
            return self.value(Located(binding.value, binding.block.scope, where.home), depth + 1)
        return self._unknown(where, binding.name)

    def _agreed(self, where: Located, results: list[Result], what: str) -> Result:
        if not results:
            return self._unknown(where, text_of(where.node))
        first = results[0]
        if all(r.known and _same(r.value, first.value) for r in results):
            return first
        return next((r for r in results if not r.known), None) or self._unknown(where, what)

    def _symbol(self, where: Located, name: str) -> Result:
        path, line, span = where.home.place(where.node)
        return Result(Symbol(name), path, line, span, text_of(where.node))

    # parameters

    def _parameter(self, where: Located, binding: Binding, depth: int) -> Result:
        function = binding.block.scope
        home: Any = where.home
        owner = home.qualified(function.qualname)
        for declared in self._arguments.all:
            if declared.owner == owner and declared.name == binding.name:
                return self.argument(declared, depth)
        results = [self._passed(site, function, binding, depth) for site in self._callers(home, function)]
        if not results:
            return self._unknown(where, f"the parameter {binding.name}")
        return self._agreed(where, results, f"the parameter {binding.name}, which its callers give differently")

    def _callers(self, home: PythonModule, function: Scope) -> list[CallSite]:
        is_init = function.name == "__init__" and function.parent is not None
        target = function.parent if is_init and function.parent is not None else function
        name = home.qualified(target.qualname)
        sites = self._code.called(target.name)
        return [s for s in sites if s.call.scope is not function and s.call.name in (name, None)]

    def _passed(self, site: CallSite, function: Scope, binding: Binding, depth: int) -> Result:
        """What one call gives to a parameter: its argument, else the parameter's default."""
        keyword = site.call.keyword(binding.name)
        node = keyword.value if keyword is not None else None
        if node is None:
            position = _position(function, binding)
            positional = site.call.positional(position) if position is not None else None
            node = positional.value if positional is not None else None
        if node is not None:
            return self.value(site.module.located(node, site.call.scope), depth + 1)
        open_end = any(a.kind in ("list_splat", "dict_splat") for a in site.call.arguments)
        if open_end or binding.value is None or function.parent is None:
            return self._unknown(site.module.located(site.call.node), f"the arguments of {site.call.last}")
        home: Any = self._home_of(function, site)
        return self.value(Located(binding.value, function.parent, home), depth + 1)

    def _home_of(self, function: Scope, site: CallSite) -> PythonModule:
        for module, _ in self._code.modules:
            if module.blocks.scope_of(function.node) is function:
                return module
        return site.module

    # attributes

    def _attribute(self, where: Located, depth: int) -> Result:
        owner, named = where.node.child_by_field_name("object"), where.node.child_by_field_name("attribute")
        if owner is None or named is None:
            return self._unknown(where, text_of(where.node))
        name = text_of(named)
        found = self._of_self(where, owner, name, depth) or self._of_argument(where, owner, name, depth)
        if found is not None:
            return found
        dotted = where.home.canonical(where.node, where.scope)
        constant = where.home.constant(dotted) if dotted else None
        if constant is not None:
            return self.value(constant, depth + 1)
        if dotted is not None and self._code.index.layout.locate(dotted) is None and "." in dotted:
            return self._symbol(where, dotted)
        return self._written_once(where, name, depth)

    def _of_self(self, where: Located, owner: Node, name: str, depth: int) -> Result | None:
        """``self.name``: what the methods of the class assign to it."""
        scope: Scope | None = where.scope
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        if scope is None or text_of(owner) not in ("self", "cls"):
            return None
        held = [b for b in scope.attributes.get(name, ()) if b.value is not None]
        if not held:
            return None
        results = [self.value(Located(b.value, b.block.scope, where.home), depth + 1) for b in held if b.value]
        return self._agreed(where, results, f"self.{name}, which is set in several places")

    def _of_argument(self, where: Located, owner: Node, name: str, depth: int) -> Result | None:
        """An attribute of what a parser returned: a declared argument of that name."""
        cls = where.home.instance_of(owner, where.scope) or self.parsed_class(where, owner)
        matching = [d for d in self._arguments.all if d.name == name]
        if cls is not None:
            mine = [d for d in matching if d.owner in (cls, *self._code.lineage(cls))]
            if not mine and not matching:
                return self._from_setting(where, cls, name)
            matching = mine or matching
        nearest = [d for d in matching if d.depth == matching[0].depth] if matching else []
        results = [self.argument(d, depth) for d in nearest]
        return self._agreed(where, results, f"the argument {name}") if results else None

    def _from_setting(self, where: Located, cls: str, name: str) -> Result | None:
        """A field that the library's own class holds, when the tables know it."""
        held = self._setting(name) if cls in self._arguments.classes else None
        if held is None:
            return None
        if held.origin is not None and held.origin.kind != "default":
            return from_origin(held.origin)
        if held.kind == "computed":
            return self._unknown(where, name)
        path, line, span = where.home.place(where.node)
        return Result(held.value, path, line, span, text_of(where.node), is_default=True)

    def parsed_class(self, where: Located, owner: Node) -> str | None:
        """The class of ``b`` in ``a, b = parser.parse(...)`` when the parser was made for ``(A, B)``."""
        if owner.type != "identifier":
            return None
        found = where.home.lookup(text_of(owner), where.scope)
        for binding in found[1] if found else ():
            position, call = _unpacked(binding.node)
            if call is not None and position is not None:
                fed = self._fed_by(where, call, binding.block.scope)
                if position < len(fed):
                    return fed[position] or None
            if binding.kind == "assign" and binding.value is not None and binding.value.type == "subscript":
                return self._indexed_class(where, binding)
        return None

    def _indexed_class(self, where: Located, binding: Binding) -> str | None:
        """``a = parser.parse(...)[0]``."""
        assert binding.value is not None
        call, index = binding.value.child_by_field_name("value"), binding.value.child_by_field_name("subscript")
        if call is None or index is None or call.type != "call" or not text_of(index).isdigit():
            return None
        fed = self._fed_by(where, call, binding.block.scope)
        return fed[int(text_of(index))] or None if int(text_of(index)) < len(fed) else None

    def _fed_by(self, where: Located, call: Node, scope: Scope) -> list[str]:
        """The classes of the parser whose method ``call`` is."""
        function = call.child_by_field_name("function")
        receiver = function.child_by_field_name("object") if function is not None else None
        if receiver is None or receiver.type != "identifier":
            return []
        found = where.home.lookup(text_of(receiver), scope)
        for binding in found[1] if found else ():
            if binding.value is not None and binding.value.type == "call":
                arguments = where.home.arguments(binding.value)
                if arguments and arguments[0].kind == "positional":
                    home: Any = where.home
                    return self._arguments.classes_in(home, arguments[0].value, binding.block.scope)
        return []

    def _written_once(self, where: Located, name: str, depth: int) -> Result:
        """An attribute of an object that nobody knows: the one place that assigns a field of this name."""
        sites = [s for s in self._code.assigned(name) if not s.assignment.augmented]
        if len(sites) != 1 or unguarded(sites[0].assignment.block):
            return self._unknown(where, text_of(where.node))
        only = sites[0]
        return self.value(Located(only.assignment.value, only.assignment.scope, only.module), depth + 1)

    # operators

    def _conditional(self, where: Located, depth: int) -> Result:
        parts = [c for c in where.node.named_children if c.type != "comment"]
        if len(parts) != 3:
            return self._unknown(where, text_of(where.node))
        yes, test, no = (replace(where, node=p) for p in parts)
        held = self.value(test, depth + 1)
        if held.known and not isinstance(held.value, Symbol):
            return self.value(yes if held.value else no, depth + 1)
        return self._agreed(where, [self.value(yes, depth + 1), self.value(no, depth + 1)], text_of(test.node))

    def _boolean(self, where: Located, depth: int) -> Result:
        left, right = where.node.child_by_field_name("left"), where.node.child_by_field_name("right")
        if left is None or right is None:
            return self._unknown(where, text_of(where.node))
        first = self.value(replace(where, node=left), depth + 1)
        is_and = any(text_of(c) == "and" for c in where.node.children)
        if first.known and not isinstance(first.value, Symbol):
            return self.value(replace(where, node=right), depth + 1) if bool(first.value) == is_and else first
        second = self.value(replace(where, node=right), depth + 1)
        if second.known and not isinstance(second.value, Symbol) and bool(second.value) != is_and:
            return replace(second, value=bool(second.value))
        return first

    def _not(self, where: Located, depth: int) -> Result:
        inner = where.node.child_by_field_name("argument")
        found = self.value(replace(where, node=inner), depth + 1) if inner is not None else None
        if found is None or not found.known or isinstance(found.value, Symbol):
            return found or self._unknown(where, text_of(where.node))
        return self._here(where, not found.value)

    def _comparison(self, where: Located, depth: int) -> Result:
        operands = [c for c in where.node.named_children if c.type != "comment"]
        signs = [c.type for c in where.node.children if not c.is_named]
        sign = " ".join(signs)
        if len(operands) != 2:
            return self._unknown(where, text_of(where.node))
        return self._combined(where, operands[0], sign, operands[1], depth)

    def _binary(self, where: Located, depth: int) -> Result:
        left, right = where.node.child_by_field_name("left"), where.node.child_by_field_name("right")
        sign = where.node.child_by_field_name("operator")
        if left is None or right is None or sign is None:
            return self._unknown(where, text_of(where.node))
        return self._combined(where, left, text_of(sign), right, depth)

    def _combined(self, where: Located, left: Node, sign: str, right: Node, depth: int) -> Result:
        a = self.value(replace(where, node=left), depth + 1)
        b = self.value(replace(where, node=right), depth + 1)
        for side in (a, b):
            if not side.known:
                return side
        value, worked = combine(sign, a.value, b.value)
        return self._here(where, value) if worked else self._unknown(where, text_of(where.node))

    def _inner(self, where: Located, depth: int) -> Result:
        inner = [c for c in where.node.named_children if c.type != "comment"]
        return self.value(replace(where, node=inner[0]), depth + 1) if inner else self._unknown(where, "")

    def _sequence(self, where: Located, depth: int) -> Result:
        values: list[Any] = []
        for child in where.node.named_children:
            if child.type == "comment":
                continue
            found = self.value(replace(where, node=child), depth + 1)
            if not found.known:
                return found
            values.append(found.value)
        return self._here(where, values)

    def _call(self, where: Located, depth: int) -> Result:
        function = where.node.child_by_field_name("function")
        name = where.home.canonical(function, where.scope) if function is not None else None
        arguments = where.home.arguments(where.node)
        first = arguments[0] if arguments and arguments[0].kind == "positional" else None
        if name in ("os.environ.get", "os.getenv") and first is not None:
            return self._variable(where, first.value, depth)
        if name == "builtins.getattr" and len(arguments) >= 2:
            return self._getattr(where, arguments[0].value, arguments[1].value, depth)
        convert = CONVERTERS.get(name or "")
        if convert is None or first is None or len(arguments) != 1:
            return self._unknown(where, text_of(where.node))
        inner = self.value(replace(where, node=first.value), depth + 1)
        if not inner.known or isinstance(inner.value, Symbol):
            return inner
        try:
            return replace(inner, value=convert(inner.value))
        except (TypeError, ValueError):
            return self._unknown(where, text_of(where.node))

    def _getattr(self, where: Located, owner: Node, named: Node, depth: int) -> Result:
        name = evaluate(replace(where, node=named))
        found = self._of_argument(where, owner, str(name.value), depth) if name.known else None
        return found or self._unknown(where, text_of(where.node))

    def _variable(self, where: Located, node: Node, depth: int) -> Result:
        name = evaluate(replace(where, node=node))
        given = self._environment(str(name.value)) if name.known else None
        if given is None:
            return self._unknown(where, f"the environment variable {name.value}" if name.known else text_of(node))
        return from_origin(given)

    def _subscript(self, where: Located, depth: int) -> Result:
        held, index = where.node.child_by_field_name("value"), where.node.child_by_field_name("subscript")
        if held is None or index is None:
            return self._unknown(where, text_of(where.node))
        if where.home.canonical(held, where.scope) == "os.environ":
            return self._variable(where, index, depth)
        container = self.value(replace(where, node=held), depth + 1)
        key = self.value(replace(where, node=index), depth + 1)
        for side in (container, key):
            if not side.known:
                return side
        try:
            return self._here(where, container.value[key.value])
        except (TypeError, KeyError, IndexError):
            return self._unknown(where, text_of(where.node))

    # results

    def _here(self, where: Located, value: Any) -> Result:
        path, line, span = where.home.place(where.node)
        return Result(value, path, line, span, text_of(where.node))

    def _unknown(self, where: Located, what: str, *, whole: bool = False) -> Result:
        path, line, span = where.home.place(where.node)
        shown = " ".join(what.split())
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        return Result(None, path, line, span, text_of(where.node), f"depends on {shown}")


def from_origin(origin: Origin) -> Result:
    """What the launch or a file says, as a result."""
    reason = (origin.reason or "decided at run time") if origin.computed else None
    return Result(origin.value, origin.path, origin.line, origin.span, origin.text, reason, origin.key)


def plain(value: Any) -> Any:
    """A value without symbols: a library's name by its last part."""
    if isinstance(value, Symbol):
        return value.last
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {str(key): plain(v) for key, v in value.items()}
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b


def _position(function: Scope, binding: Binding) -> int | None:
    """A parameter's place among the positional ones as a caller counts them (without ``self``)."""
    held = sorted((b for bs in function.bindings.values() for b in bs if b.kind == "parameter"), key=lambda b: b.start)
    names = [b.name for b in held]
    method = function.parent is not None and function.parent.kind == "class" and names[:1] in (["self"], ["cls"])
    at = names.index(binding.name) - (1 if method else 0)
    return at if at >= 0 else None


def _unpacked(node: Node) -> tuple[int | None, Node | None]:
    """For a name in ``a, b = call(...)``: its position and the call."""
    pattern = node.parent
    if pattern is None or pattern.type not in ("pattern_list", "tuple_pattern"):
        return None, None
    holder = pattern.parent
    right = holder.child_by_field_name("right") if holder is not None and holder.type == "assignment" else None
    if right is None or right.type != "call":
        return None, None
    return pattern.named_children.index(node), right
