"""Calls and their arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from tree_sitter import Node

from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Argument, Block, Scope
from gto_rules.location import Span

_KINDS = {"list_splat": "list_splat", "dictionary_splat": "dict_splat"}


class Call:
    """One call expression.

    Attributes:
        node: The ``call`` node.
        block: Innermost block around it.
        span: Byte span in the file.
    """

    def __init__(
        self, node: Node, block: Block, canonical: Callable[[Node, Scope], str | None], span: Callable[[Node], Span]
    ) -> None:
        self.node = node
        self.block = block
        self._canonical = canonical
        self._span = span

    @property
    def scope(self) -> Scope:
        return self.block.scope

    @property
    def line(self) -> int:
        return self.node.start_point[0] + 1

    @cached_property
    def span(self) -> Span:
        return self._span(self.node)

    @cached_property
    def function(self) -> Node:
        """What is called."""
        return self.node.child_by_field_name("function") or self.node

    @cached_property
    def last(self) -> str:
        """The last word of what is called, as written (``step`` in ``self.opt.step()``); '' if there is none."""
        function = self.function
        if function.type == "attribute":
            named = function.child_by_field_name("attribute")
            return text_of(named) if named is not None else ""
        return text_of(function) if function.type == "identifier" else ""

    @cached_property
    def name(self) -> str | None:
        """Canonical dotted name of what is called, or None."""
        return self._canonical(self.function, self.scope)

    @property
    def receiver(self) -> Node | None:
        """The object of a method call."""
        return self.function.child_by_field_name("object") if self.function.type == "attribute" else None

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        return read_arguments(self.node, self._span)

    def keyword(self, name: str) -> Argument | None:
        return next((a for a in self.arguments if a.kind == "keyword" and a.name == name), None)

    def positional(self, index: int) -> Argument | None:
        """Argument number ``index``; None if there is none or a ``*splat`` stands before it."""
        for argument in self.arguments:
            if argument.kind == "list_splat":
                return None
            if argument.index == index:
                return argument
        return None

    @property
    def has_dict_splat(self) -> bool:
        return any(a.kind == "dict_splat" for a in self.arguments)


def read_arguments(call: Node, span: Callable[[Node], Span]) -> tuple[Argument, ...]:
    """The arguments of a call node, in order."""
    held = call.child_by_field_name("arguments")
    if held is None:
        return ()
    if held.type != "argument_list":  # f(x for x in y)
        return (Argument("positional", None, 0, held, span(held)),)
    found: list[Argument] = []
    index = 0
    for child in held.named_children:
        if child.type == "comment":
            continue
        if child.type == "keyword_argument":
            name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            if name is not None and value is not None:
                found.append(Argument("keyword", text_of(name), None, value, span(child)))
        elif child.type in _KINDS and child.named_children:
            kind = _KINDS[child.type]
            found.append(Argument(kind, None, None, child.named_children[0], span(child)))  # type: ignore[arg-type]
        else:
            found.append(Argument("positional", None, index, child, span(child)))
            index += 1
    return tuple(found)
