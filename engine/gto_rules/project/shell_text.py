"""Shell text to be read, and where each of its bytes was written."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from tree_sitter import Node

from gto_rules.documents.grammar import LONGEST_LINE, parser
from gto_rules.documents.model import SourceText
from gto_rules.location import Span
from gto_rules.project.model import Place
from gto_rules.project.shell_values import Piece, Value
from gto_rules.project.shell_words import PLACEHOLDER


@dataclass(frozen=True)
class ShellText:
    """Bytes to parse as shell.

    Attributes:
        text: What is parsed.
        source: The text that it is a part of; its ``path`` is None for the user's own command.
        path: Path of ``source`` for places (``None``: the launch command itself).
        base: Offset of ``text`` in ``source``.
        offsets: Where each byte of ``text`` stands in ``source``, when they do not just follow each other.
        segments: For text put together by an expansion: start offset of each piece, and the piece.
    """

    text: bytes
    source: SourceText | None = None
    path: str | None = None
    base: int = 0
    offsets: tuple[int, ...] = ()
    segments: tuple[tuple[int, Piece], ...] = ()
    _starts: tuple[int, ...] = field(default=(), compare=False)

    def place(self, start: int, end: int) -> tuple[Place, bool]:
        """The place of the bytes ``[start, end)``, and whether exactly these bytes stand there."""
        if self.source is not None and self.offsets:
            first = self.offsets[start] if start < len(self.offsets) else len(self.source.text)
            last = self.offsets[end - 1] + 1 if end > start else first
            return Place(self.path, self.source.position(first)[0], Span(first, last)), last - first == end - start
        if self.source is not None:
            span = Span(self.base + start, self.base + end)
            return Place(self.path, self.source.position(span.start)[0], span), True
        at = bisect_right(self._starts, start) - 1
        if at < 0:
            return Place(None, None), False
        offset, piece = self.segments[at]
        raw = piece.text.encode()
        if end <= offset + len(raw) and piece.exact:
            first = len(raw[: start - offset].decode("utf-8", "ignore"))
            last = len(raw[: end - offset].decode("utf-8", "ignore"))
            return piece.cut(first, last).place, True
        return piece.place, False

    def slice(self, start: int, end: int) -> str:
        return self.text[start:end].decode("utf-8", "replace")


def of_command(command: str) -> ShellText:
    """The user's own command. A leading ``!`` (notebook) or ``$`` (prompt) is blanked out."""
    raw = command.encode("utf-8", "replace")
    return ShellText(blank_prompts(raw), SourceText("", raw, raw))


def of_source(source: SourceText, span: Span | None = None) -> ShellText:
    """A script, or the part of a file at ``span``."""
    span = span or Span(0, len(source.text))
    return ShellText(source.text[span.start : span.end], source, source.path, span.start)


def of_value(value: Value) -> ShellText:
    """Text that an expansion gave, such as the string after a shell's ``-c``."""
    segments, offset = [], 0
    for piece in value:
        segments.append((offset, piece))
        offset += len(piece.text.encode("utf-8", "replace"))
    raw = b"".join(p.text.encode("utf-8", "replace") for p in value)
    return ShellText(raw, segments=tuple(segments), _starts=tuple(s for s, _ in segments))


def blank_prompts(raw: bytes) -> bytes:
    """``raw`` with prompts at the start of lines turned into blanks, so that offsets stay."""
    lines = raw.split(b"\n")
    for at, line in enumerate(lines):
        body = line.lstrip()
        if body.startswith((b"$ ", b"% ")) or (at == 0 and body.startswith(b"!") and body[1:2] not in (b"", b" ")):
            lead = len(line) - len(body)
            lines[at] = line[:lead] + b" " + body[1:]
    return b"\n".join(lines)


def parse(text: bytes) -> Node:
    """The root of the syntax tree; empty for a text with a line that is too long to be parsed."""
    masked = PLACEHOLDER.sub(lambda m: b"_" * len(m.group()), text)
    too_long = max(map(len, masked.split(b"\n"))) > LONGEST_LINE
    return parser("bash").parse(b"" if too_long else masked).root_node
