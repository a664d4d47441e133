"""Tree-sitter parsers, each grammar loaded on first use."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Protocol

from gto_rules.documents.model import Problem, SourceText

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

# One enormous line (minified or generated) can take a grammar's error recovery minutes.
LONGEST_LINE = 1_000_000
# The scanner of shell looks ahead to the end of the line again and again.
_LONGEST_LINES = {"bash": 20_000}
# Data nested deeper than this is left out: readers and their users go down by recursion.
NESTING_LIMIT = 100
# Reports of progress (one for about a hundred steps): real files of all grammars take up to 0.02 for a
# byte, and garbage can take the square of its length.
_STEPS, _STEPS_PER_BYTE = 2000, 0.2
_CHUNK = 1 << 20
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
    longest = _LONGEST_LINES.get(grammar, LONGEST_LINE)
    message = f"has a line of more than {longest:,} bytes; not parsed"
    tree = None
    if long_lines or not has_long_line(source.text, longest):
        message = "syntax error all over; not parsed"
        tree = bounded_parse(grammar, source.text if text is None else text)
    if tree is None:
        return parser(grammar).parse(b""), (*source.problems, Problem(source.path, message))
    problems = source.problems
    if tree.root_node.has_error:
        problems = (*problems, *syntax_problems(tree.root_node, source))
    return tree, problems


def bounded_parse(grammar: str, text: bytes) -> Tree | None:
    """The tree of a text; None when error recovery takes far more work than any real file does.

    Work is counted in the parser's own steps, not in seconds, so that the answer is always the same.
    """
    left = int(_STEPS + _STEPS_PER_BYTE * len(text))

    def enough(_at: int, _has_error: bool) -> bool:
        nonlocal left
        left -= 1
        return left < 0

    try:
        # The limit works only for text that the parser asks for.
        return parser(grammar).parse(lambda at, _point: text[at : at + _CHUNK], progress_callback=enough)
    except ValueError:
        parser(grammar).reset()
        return None


class Placed(Protocol):
    """Text of a file in which an offset has a place."""

    @property
    def path(self) -> str: ...
    def position(self, offset: int) -> tuple[int, int]: ...


def syntax_problems(root: Node, source: Placed, most: int = MOST_PROBLEMS) -> tuple[Problem, ...]:
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


def has_long_line(text: bytes, limit: int = LONGEST_LINE) -> bool:
    if len(text) <= limit:
        return False
    longest = start = 0
    while (end := text.find(b"\n", start)) >= 0:
        longest = max(longest, end - start)
        start = end + 1
    return max(longest, len(text) - start) > limit
