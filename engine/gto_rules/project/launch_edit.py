"""Changing a launch command: only the bytes that must change, quotes kept.

Each function changes one thing and returns a :class:`LaunchChange`. What stands in the user's own
command gives a new command text; what stands in a script gives an edit of that file. Places are those
of the launch as read: read the changed command again before the next change.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from gto_rules.errors import LaunchError
from gto_rules.location import Span
from gto_rules.project.model import Launch, Place, Word
from gto_rules.project.shell_text import blank_prompts, parse

_SAFE = re.compile(r"[\w@%+=:,./\[\]^-]*")
_OVERRIDE = re.compile(r"[+~]{0,2}[A-Za-z_][\w.@/:-]*=")


@dataclass(frozen=True, slots=True)
class LaunchEdit:
    """Replace the bytes at ``span`` of the file ``path`` (None: the command) by ``text``."""

    path: str | None
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class LaunchChange:
    """The command after a change, and the edits that other files need for it."""

    command: str
    edits: tuple[LaunchEdit, ...] = ()


Reader = Callable[[str], bytes]


def set_flag(
    command: str, launch: Launch, flag: str, value: str | None, *, launcher: bool = False, read: Reader | None = None
) -> LaunchChange:
    """Give an option a value, or add the option.

    Args:
        value: The new value; None for an option without one.
        launcher: The option is one of the launcher and not of what it starts.
        read: Gives the text of a script of the project as UTF-8 bytes.

    Raises:
        LaunchError: The place cannot be edited, for example because a program computes it.
    """
    editor = _Editor(command, read)
    words = launch.launcher_arguments if launcher else launch.arguments
    at = _find(words, flag)
    if at is None:
        text = flag if value is None else f"{flag} {_quoted(value)}"
        return editor.insert(_last_before_program(launch) if launcher else _last(launch), text, value)
    if value is None:
        return LaunchChange(command)
    if "=" in words[at].text:
        return editor.replace_behind_equals(words[at], value)
    following = words[at + 1] if at + 1 < len(words) else None
    if following is None or _is_option(following):
        return editor.insert(words[at], _quoted(value), value)
    return editor.replace(following, words[at], value)


def remove_flag(
    command: str, launch: Launch, flag: str, *, launcher: bool = False, read: Reader | None = None
) -> LaunchChange:
    """Take an option and its values away; the command as it is when the option is not there.

    Raises:
        LaunchError: The place cannot be edited.
    """
    words = launch.launcher_arguments if launcher else launch.arguments
    at = _find(words, flag)
    if at is None:
        return LaunchChange(command)
    end = at + 1
    while "=" not in words[at].text and end < len(words) and _is_value(words[end]):
        end += 1
        if launcher:  # what follows the one value of a launcher's option is what runs
            break
    return _Editor(command, read).remove(words[at:end])


def set_env(command: str, launch: Launch, name: str, value: str, *, read: Reader | None = None) -> LaunchChange:
    """Give an environment variable of the command a value, or set it in front of the command.

    Raises:
        LaunchError: The place cannot be edited.
    """
    editor = _Editor(command, read)
    word = launch.env.get(name)
    if word is not None:
        return editor.replace_at(word.place, value)
    if not launch.argv:
        raise LaunchError(f"{name} cannot be set: what the command starts is not known")
    return editor.prepend(launch.argv[0], name, value)


def set_override(command: str, launch: Launch, key: str, value: str, *, read: Reader | None = None) -> LaunchChange:
    """Give a ``key=value`` word a value, or add the word at the end.

    Raises:
        LaunchError: The place cannot be edited.
    """
    editor = _Editor(command, read)
    for word in reversed(launch.arguments):
        match = _OVERRIDE.match(word.text)
        if match and match.group().strip("+~=") == key:
            return editor.replace_behind_equals(word, value)
    return editor.insert(_last(launch), f"{key}={_quoted(value)}", value)


def _find(words: Sequence[Word], flag: str) -> int | None:
    """Index of the last word that is this option, in either spelling of ``-`` and ``_``."""

    def same(text: str) -> bool:
        name = text.partition("=")[0]
        return name == flag or (name.startswith("--") and name.replace("-", "_") == flag.replace("-", "_"))

    return next((at for at in range(len(words) - 1, -1, -1) if same(words[at].text)), None)


def _is_option(word: Word) -> bool:
    return re.match(r"--?[A-Za-z]", word.text) is not None


def _is_value(word: Word) -> bool:
    return not _is_option(word) and _OVERRIDE.match(word.text) is None


def _last(launch: Launch) -> Word:
    words = launch.arguments or launch.argv
    if not words:
        raise LaunchError("nothing can be added: what the command starts is not known")
    return words[-1]


def _last_before_program(launch: Launch) -> Word:
    """The word after which an option of the launcher can stand."""
    count = len(launch.argv) - len(launch.arguments) - len(launch.launcher_arguments)
    taken = 1 if launch.entry is not None or launch.entry_module is not None else 0
    if not launch.argv:
        raise LaunchError("nothing can be added: what the command starts is not known")
    return launch.argv[max(count - taken, 1) - 1]


def _quoted(value: str) -> str:
    return value if value and _SAFE.fullmatch(value) else shlex.quote(value)


class _Editor:
    """Edits the texts in which a launch is written."""

    def __init__(self, command: str, read: Reader | None) -> None:
        self.command = command
        self.read = read

    # -- the four edits

    def replace_behind_equals(self, word: Word, value: str) -> LaunchChange:
        """``--flag=old`` or ``key=old``: replace what stands behind the sign."""
        raw = self._raw(word.place)
        name = word.text.partition("=")[0]
        if raw.lstrip("'\"").startswith(name):
            return self._behind(word.place, raw, value)
        inner = self._raw(word.value_place)
        if inner.lstrip("'\"").startswith(name):
            self._held(word.value_place, value)
            return self._behind(word.value_place, inner, value)
        return self.replace_at(word.value_place, value)

    def _behind(self, place: Place, raw: str, value: str) -> LaunchChange:
        opening = raw[:1] if raw[:1] in "'\"" and raw.index("=") < (raw + raw[:1]).index(raw[:1], 1) else ""
        head = raw[: raw.index("=") + 1]
        if opening:
            text = head + self._inside(value, opening) + opening
        else:
            text = head + self._styled(place, raw[len(head) :], value)
        return self._change(place, text)

    def replace(self, word: Word, flag: Word, value: str) -> LaunchChange:
        """The value word of an option. Both may come out of one variable, which is then edited."""
        if word.place != flag.place:
            return self.replace_at(word.place, value)
        self._held(word.value_place, value)
        return self.replace_at(word.value_place, value)

    def _held(self, place: Place, value: str) -> None:
        """Refuse a value that a variable cannot hold, because its text is split into words."""
        if self._quote_around(place) and not (value and _SAFE.fullmatch(value)):
            raise LaunchError(f"{value!r} cannot be written inside the variable that holds it", hint="edit it by hand")

    def replace_at(self, place: Place, value: str) -> LaunchChange:
        return self._change(place, self._styled(place, self._raw(place), value))

    def insert(self, word: Word, text: str, value: str | None) -> LaunchChange:
        """Put ``text`` behind a word."""
        place = word.place
        span = self._span(place)
        if value is not None and self._quote_around(place):
            self._inside(value, self._quote_around(place))
        return self._change(Place(place.path, place.line, Span(span.end, span.end)), " " + text)

    def prepend(self, word: Word, name: str, value: str) -> LaunchChange:
        """Set a variable in front of a program, through ``env`` where a plain assignment cannot stand."""
        span = self._span(word.place)
        quote = self._quote_around(word.place)
        text = f"{name}={self._inside(value, quote) if quote else _quoted(value)} "
        first = self._begins_command(word.place)
        return self._change(
            Place(word.place.path, None, Span(span.start, span.start)), text if first else "env " + text
        )

    def remove(self, words: Sequence[Word]) -> LaunchChange:
        """Take words away with the blanks in front of them."""
        places = [word.place for word in words]
        if len({p.span for p in places}) < len(places) or any(_from_elsewhere(word) for word in words[:1]):
            places = [word.value_place for word in words]
        start, end = self._span(places[0]), self._span(places[-1])
        if any(p.path != places[0].path for p in places) or end.end <= start.start:
            raise LaunchError("this option cannot be removed: its words stand in different places")
        text = self._text(places[0].path)
        first = start.start
        while (lead := re.search(rb"(\\\r?\n|[ \t\r\n])$", text[:first])) is not None:
            first = lead.start()
        keep = b"" if first else b" "
        return self._change(Place(places[0].path, None, Span(first, end.end)), keep.decode().strip())

    # -- quotes

    def _styled(self, place: Place, old: str, value: str) -> str:
        """``value`` in the quotes of ``old`` where they hold it, else in quotes that do."""
        around = self._quote_around(place)
        if around:
            return self._inside(value, around)
        quote = old[:1] if len(old) > 1 and old[:1] in "'\"" and old.endswith(old[:1]) else ""
        if quote and _fits(value, quote):
            return quote + value + quote
        return _quoted(value)

    def _inside(self, value: str, quote: str) -> str:
        """``value`` as it can stand inside a string that a shell reads again."""
        if value and _SAFE.fullmatch(value):
            return value
        other = "'" if quote == '"' else '"'
        if _fits(value, "'") and _fits(value, '"') and not set(value) & set("\\$`!"):
            return other + value + other
        raise LaunchError(f"{value!r} cannot be written inside a quoted part of the command", hint="edit it by hand")

    def _quote_around(self, place: Place) -> str:
        """The quote of the string that the place lies strictly inside of, or an empty text."""
        span = self._span(place)
        node = self._node(place.path, span)
        while node is not None:
            inside = node.start_byte < span.start and span.end < node.end_byte
            touching = node.start_byte < span.start and span.end <= node.end_byte
            if node.type == "raw_string" and touching:
                return "'"
            if node.type == "string" and inside:
                return '"'
            node = node.parent
        return ""

    def _begins_command(self, place: Place) -> bool:
        """Whether the word is the first of a command that the shell itself reads."""
        span = self._span(place)
        node = self._node(place.path, span)
        while node is not None:
            if node.type == "command_name":
                return node.start_byte == span.start
            if node.type in ("string", "raw_string", "command"):
                return False
            node = node.parent
        return False

    # -- texts

    def _node(self, path: str | None, span: Span) -> Node | None:
        return parse(blank_prompts(self._text(path))).descendant_for_byte_range(span.start, span.end)

    def _text(self, path: str | None) -> bytes:
        if path is None:
            return self.command.encode()
        if self.read is None:
            raise LaunchError(f"{path} decides this value and is not at hand to be edited")
        return self.read(path)

    def _span(self, place: Place) -> Span:
        if place.span is None:
            raise LaunchError("this part of the command is put together at run time and cannot be edited")
        return place.span

    def _raw(self, place: Place) -> str:
        span = self._span(place)
        return self._text(place.path)[span.start : span.end].decode("utf-8", "replace")

    def _change(self, place: Place, text: str) -> LaunchChange:
        span = self._span(place)
        if place.path is not None:
            return LaunchChange(self.command, (LaunchEdit(place.path, span, text),))
        raw = self.command.encode()
        return LaunchChange((raw[: span.start] + text.encode() + raw[span.end :]).decode())


def _from_elsewhere(word: Word) -> bool:
    """Whether the whole word came out of a variable."""
    return word.place != word.value_place and "=" not in word.text


def _fits(value: str, quote: str) -> bool:
    """Whether ``value`` can stand between these quotes as it is."""
    if quote == "'":
        return "'" not in value
    return not set(value) & set('"$`\\!')
