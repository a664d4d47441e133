"""Edits of Python source in terms of its tree: only the bytes that must change.

Every function returns edits as (span, text) pairs of the file's UTF-8 text. Line endings and
indentation are taken from the place itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from gto_rules.location import Span

Change = tuple[Span, str]
INDENT = "    "


@dataclass(frozen=True, slots=True)
class Text:
    """The UTF-8 text being edited."""

    raw: bytes

    @property
    def newline(self) -> str:
        end = self.raw.find(b"\n")
        return "\r\n" if end > 0 and self.raw[end - 1 : end] == b"\r" else "\n"

    def line_start(self, offset: int) -> int:
        return self.raw.rfind(b"\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Offset of the line's ending (or of the end of the text)."""
        end = self.raw.find(b"\n", offset)
        end = len(self.raw) if end < 0 else end
        return end - 1 if end > 0 and self.raw[end - 1 : end] == b"\r" else end

    def indentation(self, offset: int) -> str:
        """The white space that the line of ``offset`` begins with."""
        start = self.line_start(offset)
        found = re.match(rb"[ \t\f]*", self.raw[start:])
        return found[0].decode() if found else ""

    def of(self, node: Node) -> str:
        return self.raw[node.start_byte : node.end_byte].decode("utf-8")

    def begins_line(self, offset: int) -> bool:
        """Whether only white space stands before ``offset`` on its line."""
        return not self.raw[self.line_start(offset) : offset].strip()


def insert_keyword(text: Text, call: Node, name: str, value: str) -> list[Change]:
    """Add ``name=value`` as the last argument of a call.

    Keeps a trailing comma where there is one, goes on a line of its own where the arguments do, and
    puts parentheses around a bare generator argument, which may not stand beside another one.
    """
    arguments = call.child_by_field_name("arguments")
    if arguments is None:
        raise ValueError("the node is not a call")
    written = f"{name}={value}"
    if arguments.type == "generator_expression":
        inside = Span(arguments.start_byte, arguments.start_byte)
        return [(inside, "("), (Span(arguments.end_byte, arguments.end_byte), f", {written})")]
    items = [c for c in arguments.named_children if c.type != "comment"]
    close = arguments.end_byte - 1
    if not items:
        return [_into_empty(text, arguments, close, written)]
    return _after_last(text, arguments, items[-1], written)


def _into_empty(text: Text, arguments: Node, close: int, written: str) -> Change:
    """The first argument; below the comments of an argument list that holds nothing else."""
    if not text.begins_line(close) or text.line_start(close) <= arguments.start_byte:
        return Span(close, close), written
    comment = next((c for c in arguments.named_children if text.begins_line(c.start_byte)), None)
    indentation = text.indentation(comment.start_byte if comment else close) + ("" if comment else INDENT)
    at = text.line_end(text.line_start(close) - 1)
    return Span(at, at), f"{text.newline}{indentation}{written}"


def _after_last(text: Text, arguments: Node, last: Node, written: str) -> list[Change]:
    rest = [c for c in arguments.children if c.start_byte >= last.end_byte]
    comma = next((c for c in rest if c.type == ","), None)
    own_line = text.begins_line(last.start_byte) and text.line_start(last.start_byte) > arguments.start_byte
    if not own_line:
        if comma is not None:
            return [(Span(comma.end_byte, comma.end_byte), f" {written},")]
        return [(Span(last.end_byte, last.end_byte), f", {written}")]
    line = f"{text.newline}{text.indentation(last.start_byte)}{written}"
    # A comment behind the last argument belongs to it and stays on its line.
    behind = comma.end_byte if comma is not None else last.end_byte
    comment = next((c for c in rest if c.type == "comment" and text.line_start(c.start_byte) <= behind), None)
    at = comment.end_byte if comment is not None else behind
    if text.raw[at - 1 : at] == b"\r":  # the grammar counts a carriage return into a comment
        at -= 1
    if comma is not None:
        return [(Span(at, at), line + ",")]
    if at == last.end_byte:
        return [(Span(at, at), "," + line)]
    return [(Span(last.end_byte, last.end_byte), ","), (Span(at, at), line)]


def keyword_argument(call: Node, name: str, text: Text) -> Node | None:
    """The keyword argument ``name=...`` of a call."""
    arguments = call.child_by_field_name("arguments")
    for child in arguments.named_children if arguments is not None else ():
        key = child.child_by_field_name("name") if child.type == "keyword_argument" else None
        if key is not None and text.of(key) == name:
            return child
    return None


def set_keyword(text: Text, call: Node, name: str, value: str) -> list[Change]:
    """Give a keyword of a call a value: replaced where it stands, else inserted."""
    existing = keyword_argument(call, name, text)
    if existing is None:
        return insert_keyword(text, call, name, value)
    node = existing.child_by_field_name("value")
    if node is None or text.of(node) == value:
        return []
    return [(Span(node.start_byte, node.end_byte), value)]


def remove_keyword(text: Text, call: Node, name: str) -> list[Change]:
    """Take a keyword away, with the comma that belongs to it."""
    existing = keyword_argument(call, name, text)
    if existing is None:
        return []
    start, end = existing.start_byte, existing.end_byte
    following = existing.next_sibling
    if following is not None and following.type == ",":
        end = following.end_byte
        spaces = re.match(rb"[ \t]*", text.raw[end:])
        end += len(spaces[0]) if spaces else 0
        if text.begins_line(start) and end == text.line_end(end):
            return [(Span(text.line_start(start), _past_line(text, end)), "")]
        return [(Span(start, end), "")]
    before = existing.prev_sibling
    if before is not None and before.type == ",":
        start = before.start_byte
    return [(Span(start, end), "")]


def _past_line(text: Text, offset: int) -> int:
    end = text.raw.find(b"\n", offset)
    return len(text.raw) if end < 0 else end + 1


def replace_node(node: Node, new: str) -> list[Change]:
    return [(Span(node.start_byte, node.end_byte), new)]


def statement_of(node: Node) -> Node:
    """The whole statement that a node is part of."""
    while node.parent is not None and node.parent.type not in ("block", "module"):
        node = node.parent
    return node


def insert_statement(text: Text, statement: Node, lines: Sequence[str], *, after: bool) -> list[Change]:
    """Put statements before or after one, at its indentation.

    A statement that shares its line with others (``a; b`` or ``if x: a``) is joined with a
    semicolon, which only simple statements can be.
    """
    indentation = text.indentation(statement.start_byte)
    alone = text.begins_line(statement.start_byte)
    if not alone:
        joined = "; ".join(lines)
        at = statement.end_byte if after else statement.start_byte
        return [(Span(at, at), f"; {joined}" if after else f"{joined}; ")]
    block = text.newline.join(indentation + line if line else "" for line in lines)
    if not after:
        at = text.line_start(statement.start_byte)
        return [(Span(at, at), block + text.newline)]
    return _after_line(text, statement, block, "; ".join(lines))


def _after_line(text: Text, statement: Node, block: str, joined: str) -> list[Change]:
    end = text.line_end(statement.end_byte)
    rest = text.raw[statement.end_byte : end].strip()
    if rest.startswith(b";"):  # more statements follow on the line
        return [(Span(statement.end_byte, statement.end_byte), f"; {joined}")]
    return [(Span(end, end), text.newline + block)]


def delete_statement(text: Text, statement: Node) -> list[Change]:
    """Take a statement away; the only one of a block leaves ``pass`` behind."""
    siblings = [c for c in statement.parent.named_children if c.type != "comment"] if statement.parent else []
    if len(siblings) == 1 and statement.parent is not None and statement.parent.type == "block":
        return [(Span(statement.start_byte, statement.end_byte), "pass")]
    start, end = statement.start_byte, statement.end_byte
    line_end = text.line_end(end)
    after = text.raw[end:line_end]
    if text.begins_line(start) and not after.strip():
        return [(Span(text.line_start(start), _past_line(text, end)), "")]
    found = re.match(rb"[ \t]*;[ \t]*", after)
    if found:
        return [(Span(start, end + len(found[0])), "")]
    before = re.search(rb"[ \t]*;[ \t]*$", text.raw[:start])
    return [(Span(start - (len(before[0]) if before else 0), end), "")]


def wrap_statements(text: Text, first: Node, last: Node, header: str) -> list[Change]:
    """Put the lines of ``first`` … ``last`` under a block ``header:``, one level deeper.

    Lines inside multi-line strings keep their text.

    Raises:
        ValueError: the statements share a line with something else, so lines cannot be moved.
    """
    if (
        not text.begins_line(first.start_byte)
        or text.raw[last.end_byte : text.line_end(last.end_byte)].strip()[:1] == b";"
    ):
        raise ValueError("the statement shares its line with another one")
    start = text.line_start(first.start_byte)
    indentation = text.indentation(first.start_byte)
    step = "\t" if "\t" in indentation else INDENT
    changes: list[Change] = [(Span(start, start), f"{indentation}{header}:{text.newline}")]
    frozen = _string_lines(first, last)
    at = start
    while at < last.end_byte:
        if at not in frozen and text.raw[at : text.line_end(at)].strip():
            changes.append((Span(at, at), step))
        at = _past_line(text, at)
    return changes


def _string_lines(first: Node, last: Node) -> set[int]:
    """Offsets of line starts that lie inside a string."""
    found: set[int] = set()
    node: Node | None = first
    while node is not None:
        todo = [node]
        while todo:
            one = todo.pop()
            if one.type == "string":
                body = one.text or b""
                at = body.find(b"\n")
                while at >= 0:
                    found.add(one.start_byte + at + 1)
                    at = body.find(b"\n", at + 1)
            else:
                todo.extend(one.children)
        if node == last:
            break
        node = node.next_named_sibling
    return found


def insert_import(text: Text, root: Node, statement: str) -> list[Change]:
    """Add an import below those at the top of the module; nothing if it is already there."""
    wanted = " ".join(statement.split())
    top: Node | None = None
    for child in root.children:
        if child.type in ("import_statement", "import_from_statement", "future_import_statement"):
            if " ".join(text.of(child).split()) == wanted:
                return []
            top = child
        elif child.type in ("comment",) or _is_docstring(child):
            top = top if top is not None and top.type != "comment" and child.type == "comment" else child
        elif top is not None or child.is_named:
            break
    if top is None:
        return [(Span(0, 0), statement + text.newline)]
    end = text.line_end(top.end_byte)
    if text.raw[top.end_byte : end].strip().startswith(b";"):
        return [(Span(top.end_byte, top.end_byte), f"; {statement}")]
    return [(Span(end, end), text.newline + statement)]


def _is_docstring(node: Node) -> bool:
    return node.type == "expression_statement" and bool(node.named_children) and node.named_children[0].type == "string"


def literal(value: object) -> str:
    """A plain value as Python source, with the double quotes most code uses."""
    if isinstance(value, str):
        text = repr(value)
        return f'"{value}"' if text == f"'{value}'" and '"' not in value else text
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(literal(v) for v in value) + "]"
    return repr(value)
