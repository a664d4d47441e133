"""What a launch command really runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from gto_rules.errors import LaunchError
from gto_rules.project.launch_build import build
from gto_rules.project.launch_choice import Found, choose
from gto_rules.project.launch_files import NamedFiles, ProjectFiles
from gto_rules.project.launch_unwrap import Unwrapper
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.model import Launch
from gto_rules.project.shell_state import State
from gto_rules.project.shell_text import ShellText, of_command, of_source
from gto_rules.project.shell_walk import Context

_MAX_COMMAND = 200_000


class LaunchProject(ProjectFiles, Protocol):
    """A project as reading launches needs it (``project.Project`` is one)."""

    @property
    def root(self) -> Path: ...


def read_launch(
    command: str,
    *,
    project: LaunchProject | None,
    cwd: str = ".",
    launchers: Sequence[LauncherSpec],
    environment: Mapping[str, str] | None = None,
) -> Launch:
    """Read a launch command.

    Args:
        command: Shell text as a user would type it; may have several lines.
        project: Where scripts and configuration files are looked up; None to look nothing up.
        cwd: Folder inside the project where the command is started, POSIX.
        launchers: The launcher rules.
        environment: Variables that are set before the command.

    Returns:
        The launch. When the text holds several, ``ambiguous`` lists them and what they disagree
        about is ``unknown`` or None.

    Raises:
        LaunchError: The text starts nothing that a rule knows.
    """
    if len(command) > _MAX_COMMAND:
        raise LaunchError(f"the launch command is {len(command)} characters long; at most {_MAX_COMMAND} are read")
    state = State(cwd=cwd or ".", root=str(project.root) if project is not None else None)
    state.set_environment(environment or {})
    launches, problems = read_text(of_command(command), command, project, launchers, state)
    if not launches:
        raise LaunchError(_nothing(command, problems), hint="give the command that starts training, as you type it")
    return choose(launches, launchers, problems)


def launch_from_file(
    project: LaunchProject, path: str, line: int | None = None, *, launchers: Sequence[LauncherSpec], cwd: str = "."
) -> Launch:
    """The launch in a shell script of the project, started in ``cwd`` with unknown arguments.

    Args:
        line: Where the command stands, to choose one of several; None for all of them.

    Raises:
        LaunchError: The script starts nothing that a rule knows (on that line).
    """
    source = project.source(path)
    state = State(cwd=cwd, root=str(project.root), script=path)
    launches, problems = read_text(of_source(source), f"bash {path}", project, launchers, state, (path,))
    if line is not None:
        launches = [one for one in launches if any(e.path == path and e.line == line for e in one.launch.evidence[:1])]
    if not launches:
        where = path if line is None else f"{path}:{line}"
        raise LaunchError(f"{where}: no launch command that a rule knows", hint="give the command with --launch")
    return choose(launches, launchers, problems)


def read_text(
    text: ShellText,
    command: str,
    project: LaunchProject | None,
    launchers: Sequence[LauncherSpec],
    state: State,
    scripts: tuple[str, ...] = (),
) -> tuple[list[Found], tuple[str, ...]]:
    """Every launch in a shell text, in order, and what stayed unclear."""
    unwrapper = Unwrapper(launchers, project)
    start = state.cwd
    try:
        unwrapper.run(text, state, Context(scripts=scripts, followed=scripts))
        found = []
        for reading in unwrapper.readings:
            named = NamedFiles(project, state.root, reading.state.cwd)
            found.append(Found(build(reading, command, launchers, named, start), reading))
    except RecursionError:
        raise LaunchError("the launch command is nested too deeply to be read") from None
    return found, tuple(unwrapper.runner.problems)


def _nothing(command: str, problems: tuple[str, ...]) -> str:
    shown = " ".join(command.split())
    shown = shown if len(shown) <= 80 else shown[:77] + "..."
    reason = f" ({problems[0]})" if problems else ""
    return f"nothing in this command starts a program that a launcher rule knows: {shown!r}{reason}"
