"""Canonical dotted names of expressions: through aliases, assignments, instances and project files."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from typing import Protocol

from tree_sitter import Node

from gto_rules.facts.python.bindings import method_class
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Binding, Scope

_BUILTINS = frozenset(dir(builtins))
_DEPTH = 24


class ProjectNames(Protocol):
    """What the names of one module need to know about the other files of the project."""

    def follow(self, dotted: str) -> str:
        """A canonical name through the re-exports and aliases of project files."""

    def starred(self, sources: Sequence[str], name: str) -> str | None:
        """What ``name`` means after ``from source import *``, or None."""

    def member(self, cls: str, name: str) -> str:
        """Canonical name of a class member: where the project or a foreign base defines it."""

    def attribute_class(self, cls: str, name: str) -> str | None:
        """Class of the instance that ``self.name`` holds, looking through the project's bases."""

    def first_base(self, cls: str) -> str | None:
        """The first base of a project class."""

    def looks_like_class(self, dotted: str) -> bool:
        """True if a call of this name makes an instance of it."""


class Names:
    """Resolves the names of one module; answers are remembered."""

    def __init__(self, module_name: str, stars: Sequence[str], world: ProjectNames) -> None:
        """``stars`` are the canonical names of the modules that are imported with ``*``."""
        self._module_name = module_name
        self._stars = stars
        self._world = world
        self._known: dict[tuple[int, int, bool], str | None] = {}
        self._identifiers: dict[tuple[str, int], str | None] = {}
        self._depth = 0

    def canonical(self, node: Node, scope: Scope) -> str | None:
        """Dotted name of the thing that an expression names, or None."""
        return self._remember(node, scope, instance=False)

    def instance_of(self, node: Node, scope: Scope) -> str | None:
        """Canonical name of the class that an expression's value is an instance of, or None."""
        return self._remember(node, scope, instance=True)

    def lookup(self, name: str, scope: Scope) -> tuple[Scope, list[Binding]] | None:
        """The bindings that a name means in a scope, by Python's rules (class bodies do not enclose)."""
        at: Scope | None = scope
        if name in scope.outer_names:
            at = scope.parent
        while at is not None:
            if name in at.bindings and (at is scope or at.kind != "class"):
                return at, at.bindings[name]
            at = at.parent
        return None

    def qualified(self, inner: str) -> str:
        """Canonical name of something defined in this module."""
        return f"{self._module_name}.{inner}" if self._module_name else inner

    def _remember(self, node: Node, scope: Scope, *, instance: bool) -> str | None:
        key = (node.start_byte, node.end_byte, instance)
        if key in self._known:
            return self._known[key]
        if self._depth >= _DEPTH:
            return None
        self._known[key] = None  # a name that leads back to itself means nothing
        self._depth += 1
        try:
            found = self._instance(node, scope) if instance else self._name(node, scope)
        finally:
            self._depth -= 1
        self._known[key] = found
        return found

    def _name(self, node: Node, scope: Scope) -> str | None:
        if node.type == "identifier":
            return self._identifier(text_of(node), scope)
        if node.type == "attribute":
            return self._attribute(node, scope)
        if node.type == "parenthesized_expression" and node.named_child_count == 1:
            return self.canonical(node.named_children[0], scope)
        if node.type == "dotted_name":
            head, _, rest = text_of(node).partition(".")
            base = self._identifier(head, scope)
            return f"{base}.{rest}" if base and rest else base
        return None

    def _identifier(self, name: str, scope: Scope) -> str | None:
        found = self.lookup(name, scope)
        if found is None:
            if name in _BUILTINS:
                return f"builtins.{name}"
            return self._world.starred(self._stars, name) if self._stars else None
        home, bindings = found
        key = (name, id(home))
        if key not in self._identifiers:
            answer = self._bound(bindings, home)
            if self._depth > 1:  # may have been cut short inside a ring
                return answer
            self._identifiers[key] = answer
        return self._identifiers[key]

    def _bound(self, bindings: list[Binding], home: Scope) -> str | None:
        imports = [b for b in bindings if b.kind == "import" and b.imported]
        rest = [b for b in bindings if b.kind not in ("import", "delete", "other") and not _is_none(b.value)]
        if imports:
            # ``try: from fast import f`` / ``except ImportError: f = None`` or a replacement: the import names it.
            if any(b.kind in ("assign", "augment", "target") and not _fallback(b) for b in rest):
                return None
            return self._world.follow(imports[0].imported or "")
        return _agreed(self._one_bound(b, home) for b in rest)

    def _one_bound(self, binding: Binding, home: Scope) -> str | None:
        if binding.kind in ("function", "class"):
            inner = f"{home.qualname}.{binding.name}" if home.qualname else binding.name
            return self.qualified(inner)
        if binding.kind == "assign" and binding.value is not None:
            return self.canonical(binding.value, binding.block.scope)
        return None

    def _attribute(self, node: Node, scope: Scope) -> str | None:
        owner, name_node = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if owner is None or name_node is None:
            return None
        name = text_of(name_node)
        if owner.type == "identifier" and (home := method_class(text_of(owner), scope)) is not None:
            return self._of_self(home, name)
        base = self.canonical(owner, scope)
        if base is not None:
            return self._world.follow(f"{base}.{name}")
        cls = self.instance_of(owner, scope)
        return self._world.member(cls, name) if cls else None

    def _of_self(self, home: Scope, name: str) -> str | None:
        """``self.name``: what was assigned to it, else the class's own or inherited member."""
        held = [b for b in home.attributes.get(name, ()) if not _is_none(b.value)]
        if held:
            return _agreed(self.canonical(b.value, b.block.scope) if b.value else None for b in held)
        return self._world.member(self.qualified(home.qualname), name)

    def _instance(self, node: Node, scope: Scope) -> str | None:
        kind = node.type
        if kind == "call":
            return self._constructed(node, scope)
        if kind == "identifier":
            return self._instance_name(text_of(node), scope)
        if kind == "attribute":
            return self._instance_attribute(node, scope)
        if kind in ("parenthesized_expression", "await") and node.named_child_count == 1:
            return self.instance_of(node.named_children[0], scope)
        if kind == "conditional_expression" and len(node.named_children) == 3:
            sides = (node.named_children[0], node.named_children[2])
            return _agreed(self.instance_of(s, scope) for s in sides if s.type != "none")
        return None

    def _constructed(self, node: Node, scope: Scope) -> str | None:
        function = node.child_by_field_name("function")
        if function is None:
            return None
        if function.type == "identifier" and text_of(function) == "super":
            home = _enclosing_class(scope)
            return self._world.first_base(self.qualified(home.qualname)) if home else None
        name = self.canonical(function, scope)
        return name if name and self._world.looks_like_class(name) else None

    def _instance_name(self, name: str, scope: Scope) -> str | None:
        if (home := method_class(name, scope)) is not None:
            return self.qualified(home.qualname)
        found = self.lookup(name, scope)
        if found is None:
            return None
        return _agreed(self._instance_bound(b) for b in found[1] if not _is_none(b.value) or b.annotation is not None)

    def _instance_bound(self, binding: Binding) -> str | None:
        scope = binding.block.scope
        if binding.annotation is not None:
            outer = scope.parent if binding.kind == "parameter" and scope.parent is not None else scope
            return self._annotated(binding.annotation, outer)
        if binding.kind in ("assign", "target"):
            value = binding.value or _with_value(binding.node)
            return self.instance_of(value, scope) if value is not None else None
        return None

    def _annotated(self, node: Node, scope: Scope) -> str | None:
        """Class that an annotation names: ``X``, ``"X"``, ``X | None``, ``Optional[X]``."""
        if node.type in ("identifier", "attribute"):
            return self.canonical(node, scope)
        if node.type == "binary_operator":
            sides = [n for n in node.named_children if n.type != "none"]
            return self._annotated(sides[0], scope) if len(sides) == 1 else None
        if node.type in ("generic_type", "subscript", "type_parameter", "type"):
            inner = [n for n in node.named_children if n.type not in ("comment",)]
            if node.type in ("type", "type_parameter"):
                return self._annotated(inner[0], scope) if len(inner) == 1 else None
            optional = bool(inner) and text_of(inner[0]).rpartition(".")[2] == "Optional"
            return self._annotated(inner[1], scope) if optional and len(inner) == 2 else None
        return None

    def _instance_attribute(self, node: Node, scope: Scope) -> str | None:
        owner, name_node = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if owner is None or name_node is None or owner.type != "identifier":
            return None
        home = method_class(text_of(owner), scope)
        if home is None:
            return None
        name = text_of(name_node)
        held = [b for b in home.attributes.get(name, ()) if not _is_none(b.value) or b.annotation is not None]
        if not held:
            return self._world.attribute_class(self.qualified(home.qualname), name)
        return _agreed(self._instance_bound(b) if b.value is not None else None for b in held)


def _agreed(names: Iterable[str | None]) -> str | None:
    """The one name that all agree on."""
    found = set(names)
    return found.pop() if len(found) == 1 else None


def _is_none(value: Node | None) -> bool:
    return value is not None and value.type == "none"


def _fallback(binding: Binding) -> bool:
    """True in an ``except`` or ``else`` branch: a stand-in for an import that failed."""
    return any(b.kind in ("except", "else") for b in binding.block.chain())


def _with_value(target: Node) -> Node | None:
    """``with value as target``: the value, if ``target`` is such a name."""
    holder = target.parent
    if holder is not None and holder.type == "as_pattern_target":
        whole = holder.parent
        return whole.named_children[0] if whole is not None and whole.named_children else None
    return None


def _enclosing_class(scope: Scope) -> Scope | None:
    at: Scope | None = scope
    while at is not None and at.kind != "class":
        at = at.parent
    return at
