"""Fill the scopes of a module: every place that binds a name or an attribute of ``self``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from gto_rules.facts.python.blocks import BlockTree
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.import_lines import read_import
from gto_rules.facts.python.model import AttributeAssignment, Binding, BindingKind, Block, Scope

_SEQUENCES = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "expression_list", "tuple", "list"})
_PARAMETERS = {
    "identifier": None,
    "default_parameter": "name",
    "typed_default_parameter": "name",
    "typed_parameter": "",
    "list_splat_pattern": "",
    "dictionary_splat_pattern": "",
}


class Binder:
    """Collects bindings and attribute assignments of one module."""

    def __init__(self, blocks: BlockTree, found: dict[str, list[Node]], absolute: Callable[[str], str]) -> None:
        """``absolute`` turns ``..pkg.mod`` into a canonical dotted name."""
        self._blocks = blocks
        self._absolute = absolute
        self.attributes: list[AttributeAssignment] = []
        for node in found.get("import", ()):
            self._import(node)
        for node in found.get("function", ()):
            self._definition(node, "function")
        for node in found.get("class", ()):
            self._definition(node, "class")
        for node in found.get("lambda", ()):
            self._parameters(node)
        for node in found.get("assign", ()):
            self._assignment(node)
        for name, kinds in (("augment", "augment"), ("walrus", "assign"), ("target", "target"), ("delete", "delete")):
            for node in found.get(name, ()):
                self._simple(node, kinds)  # type: ignore[arg-type]
        for node in found.get("outer", ()):
            self._outer(node)
        self._sort()

    def _sort(self) -> None:
        """Bindings in source order; those of names declared global move to the module."""
        module = self._blocks.module.scope
        for block in self._blocks.of_kind("function", "lambda"):
            scope = block.scope
            for name in scope.outer_names & scope.bindings.keys():
                home = _nearest_with(name, scope.parent) or module
                home.bindings.setdefault(name, []).extend(scope.bindings.pop(name))
        for block in self._blocks.of_kind("module", "function", "class", "lambda", "comprehension"):
            for held in (*block.scope.bindings.values(), *block.scope.attributes.values()):
                held.sort(key=lambda b: b.start)

    def _bind(
        self,
        name_node: Node,
        kind: BindingKind,
        value: Node | None,
        at: Block,
        *,
        name: str | None = None,
        annotation: Node | None = None,
        imported: str | None = None,
    ) -> Binding:
        name = text_of(name_node) if name is None else name
        binding = Binding(name, kind, name_node, value, annotation, imported, at, name_node.start_byte)
        at.scope.bindings.setdefault(name, []).append(binding)
        return binding

    def _import(self, node: Node) -> None:
        at = self._blocks.at(node.start_byte)
        for imported in read_import(node, self._absolute):
            if not imported.star:
                self._bind(imported.name_node, "import", None, at, name=imported.alias, imported=imported.bound)

    def _definition(self, node: Node, kind: BindingKind) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            self._bind(name, kind, None, self._blocks.at(node.start_byte))
        if kind == "function":
            self._parameters(node)

    def _parameters(self, node: Node) -> None:
        parameters, scope = node.child_by_field_name("parameters"), self._blocks.scope_of(node)
        body = node.child_by_field_name("body")
        if parameters is None or scope is None or body is None:
            return
        at = self._blocks.at(body.start_byte)
        while at.scope is not scope and at.parent is not None:
            at = at.parent
        for child in parameters.named_children:
            named = parameter_name(child)
            if named is not None:
                value, annotation = child.child_by_field_name("value"), child.child_by_field_name("type")
                self._bind(named, "parameter", value, at, annotation=_inner(annotation))

    def _assignment(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None:
            return
        while right is not None and right.type == "assignment":  # a = b = 1: each gets the last value
            right = right.child_by_field_name("right")
        at = self._blocks.at(node.start_byte)
        annotation = _inner(node.child_by_field_name("type"))
        for target, value in _unpack(left, right):
            self._target(target, value, "assign" if value is not None else "target", at, annotation, node)

    def _target(
        self, target: Node, value: Node | None, kind: BindingKind, at: Block, annotation: Node | None, whole: Node
    ) -> None:
        if target.type == "identifier":
            if kind == "target" and annotation is not None:
                kind = "other"  # ``x: int`` alone declares, it binds nothing
            self._bind(target, kind, value, at, annotation=annotation)
        elif target.type == "attribute":
            self._attribute(target, value, kind, at, annotation, whole)
        elif target.type in ("list_splat_pattern", "list_splat") and target.named_children:
            self._target(target.named_children[0], None, "target", at, None, whole)

    def _attribute(
        self, target: Node, value: Node | None, kind: BindingKind, at: Block, annotation: Node | None, whole: Node
    ) -> None:
        owner, name = target.child_by_field_name("object"), target.child_by_field_name("attribute")
        if owner is None or name is None:
            return
        if value is not None:
            self.attributes.append(
                AttributeAssignment(
                    owner, text_of(name), value, whole, at, whole.start_point[0] + 1, augmented=kind == "augment"
                )
            )
        if owner.type == "identifier" and (home := method_class(text_of(owner), at.scope)) is not None:
            binding = Binding(text_of(name), kind, target, value, annotation, None, at, target.start_byte)
            home.attributes.setdefault(binding.name, []).append(binding)

    def _simple(self, node: Node, kind: BindingKind) -> None:
        at = self._blocks.at(node.start_byte)
        if kind == "assign":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if name is not None:
                self._bind(name, kind, value, at)
        elif kind == "augment":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None:
                self._target(left, right, kind, at, None, node)
        else:
            for target in _leaves(node):
                if kind == "target" and target.type == "identifier":
                    at = self._loop_scope(target)
                self._target(target, None, kind, at, None, node)

    def _loop_scope(self, target: Node) -> Block:
        return self._blocks.at(target.start_byte)

    def _outer(self, node: Node) -> None:
        scope = self._blocks.at(node.start_byte).scope
        scope.outer_names.update(text_of(child) for child in node.named_children)


def method_class(name: str, scope: Scope | None) -> Scope | None:
    """The class whose method calls its instance (or class) ``name``, if ``scope`` lies in one."""
    while scope is not None and scope.kind != "class":
        if scope.kind == "function" and scope.parent is not None and scope.parent.kind == "class":
            first = next((b for held in scope.bindings.values() for b in held if b.kind == "parameter"), None)
            return scope.parent if first is not None and first.name == name else None
        scope = scope.parent
    return None


def parameter_name(node: Node) -> Node | None:
    """The identifier that a parameter node binds."""
    field = _PARAMETERS.get(node.type, "none")
    if field is None:
        return node
    if field == "none":
        return None
    found = node.child_by_field_name(field) if field else next(iter(node.named_children), None)
    if found is not None and found.type in ("list_splat_pattern", "dictionary_splat_pattern"):
        return next(iter(found.named_children), None)
    return found


def _nearest_with(name: str, scope: Scope | None) -> Scope | None:
    while scope is not None:
        if name in scope.bindings and scope.kind != "class":
            return scope
        scope = scope.parent
    return None


def _inner(annotation: Node | None) -> Node | None:
    """The expression inside a ``type`` node."""
    if annotation is None:
        return None
    return next(iter(annotation.named_children), None) if annotation.type == "type" else annotation


def _unpack(left: Node, right: Node | None) -> Iterator[tuple[Node, Node | None]]:
    """Targets with their values; a value is None where the two sides do not match one to one."""
    if left.type not in _SEQUENCES:
        yield left, right
        return
    targets = left.named_children
    values = right.named_children if right is not None and right.type in _SEQUENCES else []
    plain = len(values) == len(targets) and not any(n.type.startswith("list_splat") for n in (*targets, *values))
    for at, target in enumerate(targets):
        yield from _unpack(target, values[at] if plain else None)


def _leaves(node: Node) -> Iterator[Node]:
    if node.type in ("identifier", "attribute"):
        yield node
    elif node.type not in ("call", "subscript", "string", "dotted_name"):
        for child in node.named_children:
            yield from _leaves(child)
    elif node.type == "dotted_name" and node.named_child_count == 1:
        yield from _leaves(node.named_children[0])
