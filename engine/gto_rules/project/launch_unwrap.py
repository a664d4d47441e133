"""From the commands of a shell text to the programs that really run, through every wrapper."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gto_rules.project.candidates_text import make_recipes
from gto_rules.project.launch_counts import counts_of
from gto_rules.project.launch_entry_points import entry_points
from gto_rules.project.launch_files import ProjectFiles
from gto_rules.project.launch_flags import Level, after, read_options
from gto_rules.project.launch_programs import Programs, joins
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.shell_run import Runner
from gto_rules.project.shell_state import State, Variable
from gto_rules.project.shell_text import ShellText, of_value
from gto_rules.project.shell_values import Field, Piece, Value, join
from gto_rules.project.shell_walk import Command, Context

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


@dataclass(frozen=True)
class Reading:
    """One program that would run.

    Attributes:
        chain: Programs around it that start ranks or nodes, or give them, outermost first.
        entry, module: Index in ``level.words`` of the script, or of the module's name.
        rest: Index of the first argument of what runs.
        opaque: A script that could not be followed: nothing is known but what stands around it.
    """

    level: Level
    chain: tuple[Level, ...]
    env: Mapping[str, Field]
    state: State
    context: Context
    entry: int | None = None
    module: int | None = None
    rest: int = 0
    opaque: bool = False


@dataclass(frozen=True)
class _Around:
    """What is around the command that is being unwrapped."""

    chain: tuple[Level, ...] = ()
    env: Mapping[str, Field] = field(default_factory=dict)
    depth: int = 0


class Unwrapper:
    """Collects the readings of a shell text."""

    def __init__(self, specs: Sequence[LauncherSpec], files: ProjectFiles | None) -> None:
        self.specs = specs
        self.programs = Programs(specs, entry_points(files))
        self.files = files
        self.readings: list[Reading] = []
        self.runner = Runner(self._command, files)
        self._around: tuple[Level, ...] = ()
        self._told_names = {name for spec in specs for name in spec.exports}

    def run(self, text: ShellText, state: State, context: Context) -> None:
        """Walk ``text``; readings are added in the order in which they would run."""
        before = self._around
        self._around = (*before, *self._directives(text))
        self.runner.run(text, self._told(state, self._around[len(before) :]), context)
        self._around = before

    # -- one command

    def _command(self, command: Command) -> None:
        exported = {
            name: variable.field()
            for name, variable in command.state.variables.items()
            if variable.exported and variable.settled and not variable.array and name not in self._told_names
        }
        env = {**exported, **command.assigned}
        for name, value in command.assigned.items():
            command.state.assign(name, Variable((value.pieces,), exported=True, place=value.place))
        self._unwrap(command.fields, _Around(self._around, env), command)

    def _unwrap(self, words: tuple[Field, ...], around: _Around, command: Command) -> None:
        if not words or around.depth > 12:
            return
        level = self.programs.level(words)
        if level is None:
            return
        around = replace(around, depth=around.depth + 1)
        handler = {
            "wrapper": self._wrapper,
            "starter": self._starter,
            "allocation": self._starter,
            "shell": self._shell,
            "interpreter": self._interpreter,
            "launcher": self._launcher,
            "program": self._program,
        }[level.spec.role]
        handler(level, around, command)

    # -- by role

    def _behind(self, words: tuple[Field, ...], around: _Around, command: Command) -> None:
        """Go on with the words behind a separator; they may hold several commands (``a \\&\\& b``)."""
        if any(joins(word) for word in words):
            self._text(join([w.pieces for w in words]), around, command)
        else:
            self._unwrap(words, around, command)

    def _wrapper(self, level: Level, around: _Around, command: Command) -> None:
        self._inner(level, around, command, command.state)

    def _starter(self, level: Level, around: _Around, command: Command) -> None:
        spec = level.spec
        around = replace(around, chain=(*around.chain, level))
        state = self._told(command.state, (level,))
        before = len(self.readings)
        if spec.separated:
            at = self.programs.separator(spec, level.words, 1)
            level = replace(level, options=read_options(level.words[: (at or 1) - 1], 1, spec.flags))
            around = replace(around, chain=(*around.chain[:-1], level))
            self._behind(level.words[at or len(level.words) :], around, replace(command, state=state))
            return
        self._inner(level, around, command, state)
        if len(self.readings) == before and level.options.rest < len(level.words) and spec.multi_node.starts:
            self._opaque(level, around, command)

    def _inner(self, level: Level, around: _Around, command: Command, state: State) -> None:
        """Go on with what a wrapper runs."""
        words, spec = level.words, level.spec
        if spec.loops:
            command = replace(command, context=replace(command.context, looped=True))
        env = dict(around.env)
        at = level.options.rest
        state = self._moved(level, state)
        for flag in level.options.flags:
            if flag.name in spec.env_flags and flag.value is not None:
                self._set(flag.value, env, state)
        if spec.separator is not None and not spec.operands:
            at = self._after_separator(level)
        at = self._past_operands(level, at)
        if spec.operands and at < len(words) and words[at].text == "--":
            at += 1
        while spec.assignments and at < len(words) and _ASSIGNMENT.match(words[at].text):
            self._set(words[at], env, state)
            at += 1
        around, inner = replace(around, env=env), replace(command, state=state)
        text = level.flag(spec.text_flags)
        if text is not None and text.value is not None:
            self._text(text.value.pieces, around, inner)
        elif spec.runs == "text":
            self._text(join([w.pieces for w in words[at:]]), around, inner)
        elif spec.runs == "target":
            self._target(words[at:], spec, around, inner)
        elif spec.runs == "script":
            self._script(words[at:], around, inner, level)
        elif at < len(words):
            self._unwrap(words[at:], around, inner)

    def _past_operands(self, level: Level, at: int) -> int:
        """Index after the words that a wrapper takes for itself, such as an image or a host."""
        words, end = level.words, min(at + level.spec.operands, len(level.words))
        if level.spec.runs == "argv" and not all(w.known for w in words[at:end]):
            # An unknown word may have held options, and the operand then follows.
            return next((n for n in range(end, len(words)) if self.programs.level(words[n:]) is not None), end)
        return end

    def _after_separator(self, level: Level) -> int:
        texts = [w.text for w in level.words]
        if level.spec.separator in texts:
            return texts.index(str(level.spec.separator)) + 1
        return level.options.rest

    def _moved(self, level: Level, state: State) -> State:
        """The state in the folder that an option of the wrapper names."""
        folder = level.flag(level.spec.cwd_flags)
        state = state.copy()
        if folder is not None and folder.value is not None and folder.value.known:
            target = posixpath.normpath(posixpath.join(state.cwd, folder.value.text))
            if not posixpath.isabs(target) and not target.startswith(".."):
                state.cwd = target
        return state

    def _set(self, word: Field, env: dict[str, Field], state: State) -> None:
        name, equals, _ = word.text.partition("=")
        if equals and name.isidentifier():
            value = after(word, len(name) + 1)
            env[name] = value
            state.assign(name, Variable((value.pieces,), exported=True, place=value.place))

    def _text(self, value: Value, around: _Around, command: Command, arguments: tuple[Value, ...] = ()) -> None:
        """Go on inside a string that another shell reads."""
        self._enter(of_value(value), around, command, command.state.child(command.state.script, arguments), None)

    def _enter(self, text: ShellText, around: _Around, command: Command, state: State, script: str | None) -> None:
        for name, inherited in around.env.items():
            state.assign(name, Variable((inherited.pieces,), exported=True, place=inherited.place))
        context = replace(command.context, depth=command.context.depth + 1)
        if script is not None:
            context = replace(context, scripts=(*context.scripts, script), followed=(*context.followed, script))
        before, self._around = self._around, around.chain
        self.run(text, state, context)
        self._around = before

    def _shell(self, level: Level, around: _Around, command: Command) -> None:
        words, at = level.words, level.options.rest
        text = level.flag(level.spec.text_flags)
        if text is not None and at < len(words):
            arguments = tuple(w.pieces for w in words[at + 2 :])
            self._text(words[at].pieces, around, command, arguments)
        elif at < len(words):
            self._script(words[at:], around, command, level)
        elif command.stdin is not None:
            self._text(command.stdin, around, command)

    def _script(self, words: tuple[Field, ...], around: _Around, command: Command, level: Level) -> None:
        if not words:
            if command.stdin is not None:
                self._text(command.stdin, around, command)
            return
        found = self.runner.script(words[0].text, command.state, command.context) if words[0].known else None
        if found is None or found.path is None:
            self.runner.note(f"{words[0].text}: this script is not in the project, so what it runs is not known")
            self._opaque(level, around, command)
            return
        state = command.state.child(words[0].text, tuple(w.pieces for w in words[1:]))
        self._enter(found, around, command, state, found.path)

    def _target(self, words: tuple[Field, ...], spec: LauncherSpec, around: _Around, command: Command) -> None:
        """Go on in the recipe of a target; ``NAME=value`` words replace the file's own variables."""
        found = next(
            (t for n in spec.default_files if (t := self.runner.script(n, command.state, command.context))), None
        )
        if found is None or found.source is None or found.path is None:
            return
        wanted = [w.text for w in words if "=" not in w.text]
        recipes = [r for r in make_recipes(found.source) if not r[0].startswith(".")]
        for name, text, variables in recipes:
            if name not in (wanted or [recipes[0][0]]):
                continue
            state = command.state.child()
            for key, value in variables.items():
                state.assign(key, Variable((value,)))
            for word in (w for w in words if "=" in w.text):
                key, _, _ = word.text.partition("=")
                state.assign(key, Variable((after(word, len(key) + 1).pieces,)))
            self._enter(text, around, command, state, found.path)

    def _opaque(self, level: Level, around: _Around, command: Command) -> None:
        self.readings.append(self._reading(around, level, command, opaque=True))

    def _reading(self, around: _Around, level: Level, command: Command, **more: Any) -> Reading:
        return Reading(level, around.chain, around.env, command.state, command.context, **more)

    def _interpreter(self, level: Level, around: _Around, command: Command) -> None:
        words, at, spec = level.words, level.options.rest, level.spec
        if level.flag(spec.text_flags) is not None or at >= len(words):
            return
        if level.flag(spec.module_flags) is not None:
            self._module(level, around, command)
            return
        if self._ignored(words[at].text, spec):
            return
        after_separator = self.programs.separator(spec, words, at + 1) if spec.separator else None
        if after_separator is not None:
            options = read_options(words[: after_separator - 1], at + 1, replace(spec.flags, unknown="value"))
            outer = replace(level, options=options)
            around = replace(around, chain=(*around.chain, outer))
            self._behind(words[after_separator:], around, command)
            return
        self.readings.append(self._reading(around, level, command, entry=at, rest=at + 1))

    def _module(self, level: Level, around: _Around, command: Command) -> None:
        """``-m module``: a launcher that is run as a module, or the program itself."""
        words, at = level.words, level.options.rest
        module = words[at].text
        found = self.programs.module(module)
        if found is not None:
            spec, name = found
            inner = Level(spec, name, words, at + 1, read_options(words, at + 1, spec.flags))
            (self._launcher if spec.role == "launcher" else self._program)(inner, around, command)
            return
        if not self._ignored(module, level.spec):
            self.readings.append(self._reading(around, level, command, module=at, rest=at + 1))

    def _ignored(self, name: str, spec: LauncherSpec) -> bool:
        return name == "-" or spec.named(name, dict.fromkeys(spec.ignore, "")) is not None

    def _launcher(self, level: Level, around: _Around, command: Command) -> None:
        words, at, spec = level.words, level.options.rest, level.spec
        if at >= len(words):
            return
        if level.flag(spec.program_flags) is not None:
            reading = self._reading(around, level, command, rest=at)
        elif level.flag(spec.module_flags) is not None:
            reading = self._reading(around, level, command, module=at, rest=at + 1)
        else:
            at = self._past_interpreter(words, at)
            if at >= len(words):
                return
            reading = self._reading(around, level, command, entry=at, rest=at + 1)
        self.readings.append(reading)

    def _past_interpreter(self, words: tuple[Field, ...], at: int) -> int:
        """Some launchers are given ``python train.py``: the script is the entry."""
        inner = self.programs.level(words[at:])
        if inner is not None and inner.spec.role == "interpreter" and inner.first == 1:
            return at + inner.options.rest
        return at

    def _program(self, level: Level, around: _Around, command: Command) -> None:
        self.readings.append(self._reading(around, level, command, rest=level.first))

    # -- what starters and allocations tell the programs inside

    def _directives(self, text: ShellText) -> tuple[Level, ...]:
        """Options that stand in comment lines of the script."""
        levels = []
        for spec in self.specs:
            if not spec.directives or spec.directives.encode() not in text.text:
                continue
            words = tuple(_directive_words(text, spec.directives))
            if words:
                levels.append(Level(spec, spec.id.partition("/")[2], words, 0, read_options(words, 0, spec.flags)))
        return tuple(levels)

    def _told(self, state: State, levels: Sequence[Level]) -> State:
        state = state.copy()
        for level in levels:
            if level.spec.exports:
                counts = counts_of(level, {}, None)
                known = {"nodes": counts.nodes, "ranks": counts.ranks, "total": counts.total}
                for name, what in level.spec.exports.items():
                    said = known[what]
                    if said is not None and isinstance(said.value, int):
                        piece = Piece(str(said.value), said.place)
                        state.assign(name, Variable(((piece,),), exported=True))
        return state


def _directive_words(text: ShellText, prefix: str) -> list[Field]:
    words = []
    for line in re.finditer(rb"^[ \t]*" + re.escape(prefix.encode()) + rb"[ \t]+(.*)$", text.text, re.M):
        for word in re.finditer(rb"[^\s#]+", line.group(1)):
            start, end = line.start(1) + word.start(), line.start(1) + word.end()
            place, exact = text.place(start, end)
            words.append(Field((Piece(text.slice(start, end), place, exact=exact),), place))
    return words
