"""Shell text inside other files: documentation, Makefiles and notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gto_rules.documents.model import NotebookDocument, SourceText
from gto_rules.location import Span
from gto_rules.project.model import Place
from gto_rules.project.shell_text import ShellText, blank_prompts, of_value
from gto_rules.project.shell_values import Piece, Value

_SHELL_NAMES = frozenset(
    {"", "bash", "sh", "shell", "zsh", "console", "shell-session", "shellsession", "terminal", "text"}
)
_FENCE = re.compile(rb"^[ \t>]*(`{3,}|~{3,})[ \t]*\{?\.?([\w+-]*)[^\n]*$", re.M)
_DIRECTIVE = re.compile(rb"^([ \t]*)\.\. (?:code-block|code|sourcecode)::[ \t]*(\w*)[ \t]*\r?\n", re.M)
_RULE = re.compile(rb"^([A-Za-z0-9_./%-]+(?:[ \t]+[A-Za-z0-9_./%-]+)*)[ \t]*::?(?!=)[^\n]*$", re.M)
_MAKE_VARIABLE = re.compile(rb"^(?:export[ \t]+)?([A-Za-z_][\w-]*)[ \t]*[:?+]*=[ \t]*([^\n#]*)", re.M)
_MAKE_USE = re.compile(rb"(\$\$)|\$\((\w+)\)|\$\{(\w+)\}|(?<=[^\\]\n\t)[ \t]*[@+-]+")
_SHELL_CELL = re.compile(rb"^%%(?:bash|sh|script bash)\b[^\n]*\n")
_BANG = re.compile(rb"^[ \t]*[!%](?=\S)((?:[^\n\\]|\\[^\n]|\\\n)*)", re.M)


def code_blocks(source: SourceText) -> Iterator[ShellText]:
    """Blocks of shell commands in Markdown or reStructuredText."""
    text = source.text
    at = 0
    while (fence := _FENCE.search(text, at)) is not None:
        close = re.compile(rb"^[ \t>]*" + re.escape(fence.group(1)) + rb"[ \t]*\r?$", re.M).search(text, fence.end())
        end = close.start() if close else len(text)
        start = min(fence.end() + 1, end)
        if fence.group(2).decode("utf-8", "replace").lower() in _SHELL_NAMES:
            yield _block(source, start, end)
        at = close.end() if close else len(text)
    for directive in _DIRECTIVE.finditer(text):
        if directive.group(2).decode("utf-8", "replace").lower() in _SHELL_NAMES:
            yield _block(source, directive.end(), _dedent(text, directive.end(), len(directive.group(1))))


def _block(source: SourceText, start: int, end: int) -> ShellText:
    return ShellText(blank_prompts(source.text[start:end]), source, source.path, start)


def _dedent(text: bytes, start: int, indent: int) -> int:
    """End of the lines from ``start`` that are indented deeper than ``indent``."""
    at = start
    for line in text[start:].splitlines(keepends=True):
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        at += len(line)
    return at


def make_recipes(source: SourceText) -> Iterator[tuple[str, ShellText, dict[str, Value]]]:
    """Target, recipe as shell text and the variables of the Makefile."""
    text = source.text
    variables: dict[str, Value] = {}
    for match in _MAKE_VARIABLE.finditer(text):
        raw = match.group(2).rstrip()
        place = _place(source, match.start(2), match.start(2) + len(raw))
        variables[match.group(1).decode()] = (Piece(raw.decode("utf-8", "replace"), place, exact=True),)
    for rule in _RULE.finditer(text):
        recipe = re.compile(rb"(?:\n(?:\t[^\n]*|[ \t]*(?=\n)|(?<=\\\n)[^\n]*))*").match(text, rule.end())
        if recipe is not None and recipe.group().strip():
            target = rule.group(1).split()[0].decode("utf-8", "replace")
            yield target, of_value(tuple(_recipe(source, recipe.start(), recipe.end()))), variables


def _recipe(source: SourceText, start: int, end: int) -> Iterator[Piece]:
    """The recipe with ``$(NAME)`` as ``${NAME}``, ``$$`` as ``$`` and the leading ``@`` gone."""
    at = start
    for use in _MAKE_USE.finditer(source.text, start, end):
        yield _piece(source, at, use.start())
        name = use.group(2) or use.group(3)
        if name or use.group(1):
            shown = "${" + name.decode() + "}" if name else "$"
            yield Piece(shown, _place(source, use.start(), use.end()))
        at = use.end()
    yield _piece(source, at, end)


def _piece(source: SourceText, start: int, end: int) -> Piece:
    return Piece(source.text[start:end].decode("utf-8", "replace"), _place(source, start, end), exact=True)


def _place(source: SourceText, start: int, end: int) -> Place:
    return Place(source.path, source.position(start)[0], Span(start, end))


def notebook_commands(document: NotebookDocument) -> Iterator[ShellText]:
    """``!command`` lines and ``%%bash`` cells of a notebook."""
    for cell in document.cells:
        raw = cell.document.source.raw
        whole = _SHELL_CELL.match(raw)
        spans = [(whole.end(), len(raw))] if whole else [m.span(1) for m in _BANG.finditer(raw)]
        for start, end in spans:
            if start < end <= len(cell.offsets):
                offsets = cell.offsets[start:end]
                yield ShellText(raw[start:end], document.source, document.path, offsets=tuple(offsets))
