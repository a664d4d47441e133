"""Tree-sitter parsers, each grammar loaded on first use."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

from gto_rules.documents.model import Problem, SourceText

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

# One enormous line (minified or generated) can take a grammar's error recovery minutes.
LONGEST_LINE = 1_000_000
# Data nested deeper than this is left out: readers and their users go down by recursion.
NESTING_LIMIT = 100
# A file with more of one kind of problem is wrong as a whole.
MOST_PROBLEMS = 10


@cache
def parser(grammar: str) -> Parser:
    """The parser of one grammar (``python``, ``bash``, ``yaml``, ``json``, ``toml``)."""
    from tree_sitter import Language, Parser

    module = importlib.import_module(f"tree_sitter_{grammar}")
    return Parser(Language(module.language()))


def parse_tree(
    grammar: str, source: SourceText, text: bytes | None = None, *, long_lines: bool = False
) -> tuple[Tree, tuple[Problem, ...]]:
    """The tree of a source, and where it does not follow the grammar.

    Args:
        text: What to parse in the source's place, of the same length, where a grammar needs help.
        long_lines: The text is known to be right, so that long lines do no harm.
    """
    if not long_lines and has_long_line(source.text):
        message = f"has a line of more than {LONGEST_LINE:,} bytes; not parsed"
        return parser(grammar).parse(b""), (*source.problems, Problem(source.path, message))
    tree = parser(grammar).parse(source.text if text is None else text)
    problems = source.problems
    if tree.root_node.has_error:
        problems = (*problems, *syntax_problems(tree.root_node, source))
    return tree, problems


def syntax_problems(root: Node, source: SourceText, most: int = MOST_PROBLEMS) -> tuple[Problem, ...]:
    """The first ``most`` places where the text does not follow the grammar."""
    found: list[Problem] = []
    todo = [root]
    while todo and len(found) < most:
        node = todo.pop()
        if node.is_missing:
            line, column = source.position(node.start_byte)
            found.append(Problem(source.path, f"syntax error: '{node.type}' is missing at column {column}", line))
        elif node.is_error:
            line, column = source.position(node.start_byte)
            found.append(Problem(source.path, f"syntax error at column {column}", line))
        elif node.has_error:
            todo.extend(reversed(node.children))
    return tuple(found)


class Said:
    """Problems met while a tree is read, the first ``MOST_PROBLEMS`` of them."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.problems: list[Problem] = []

    def say(self, at: int, message: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(self.source.path, message, self.source.line(at)))

    def twice(self, key: str, at: int) -> None:
        self.say(at, f"the key '{key}' stands twice; the last one counts")

    def too_deep(self, at: int) -> None:
        self.say(at, f"is nested more than {NESTING_LIMIT} levels deep; what is inside was not read")


def has_long_line(text: bytes) -> bool:
    if len(text) <= LONGEST_LINE:
        return False
    longest = start = 0
    while (end := text.find(b"\n", start)) >= 0:
        longest = max(longest, end - start)
        start = end + 1
    return max(longest, len(text) - start) > LONGEST_LINE
