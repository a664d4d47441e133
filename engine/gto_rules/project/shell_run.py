"""Walks a shell script without running it and hands out the commands that it would run.

Branches whose condition is known are taken; of the others every branch is walked, and what they set
differently is unknown afterwards. Loops over unknown things are walked once.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from gto_rules.project.shell_builtins import BUILTINS
from gto_rules.project.shell_flow import STATEMENTS
from gto_rules.project.shell_state import Files, State
from gto_rules.project.shell_text import ShellText, of_source, parse
from gto_rules.project.shell_walk import MAX_DEPTH, Command, Context, Leave, Tables, Walk

_TABLES = Tables(STATEMENTS, BUILTINS)


class Runner:
    """Walks texts and calls ``handler`` for every command. ``problems`` says what stayed unclear."""

    def __init__(self, handler: Callable[[Command], None], files: Files | None) -> None:
        self.handler = handler
        self.files = files
        self.problems: list[str] = []
        self.commands = 0
        self._decisions = 0

    def run(self, text: ShellText, state: State, context: Context) -> None:
        """Walk a text; raises nothing but RecursionError."""
        if context.depth > MAX_DEPTH:
            self.note("commands are nested too deeply to follow")
            return
        try:
            Walk(self, _TABLES, text, state, context).node(parse(text.text))
        except Leave:
            return

    def count(self) -> int:
        """Count one command more."""
        self.commands += 1
        return self.commands

    def hand_out(self, command: Command) -> None:
        self.handler(command)

    def note(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    def decision(self) -> int:
        self._decisions += 1
        return self._decisions

    def script(self, path: str, state: State, context: Context) -> ShellText | None:
        """The script at ``path``, relative to the current folder, unless it is being followed already."""
        relative = self.locate(path, state)
        if relative is None or self.files is None:
            return None
        if context.followed.count(relative) > 1:
            self.note(f"{relative} runs itself; followed only once")
            return None
        source = self.files.source(relative)
        return None if b"\0" in source.text[:4096] else of_source(source)

    def locate(self, path: str, state: State) -> str | None:
        """``path`` as the project names it, if there is such a file."""
        if self.files is None or not path or "$" in path or "`" in path:
            return None
        if state.root is not None and posixpath.isabs(path):
            path = posixpath.relpath(path, posixpath.join(state.root, state.cwd))
        relative = posixpath.normpath(posixpath.join(state.cwd, path))
        return relative if not relative.startswith("..") and self.files.exists(relative) else None
