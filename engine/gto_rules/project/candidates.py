"""Finding launch commands in a project, ranked by evidence."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gto_rules.documents.model import NotebookDocument
from gto_rules.errors import LaunchError
from gto_rules.location import Evidence
from gto_rules.project.candidates_text import code_blocks, make_recipes, notebook_commands
from gto_rules.project.launch import read_text
from gto_rules.project.launch_choice import Found, name_score, points
from gto_rules.project.launch_entry_points import entry_points
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.model import Candidate, Launch
from gto_rules.project.project import Project
from gto_rules.project.shell_state import State, Variable
from gto_rules.project.shell_text import ShellText, of_source

_BASE = {"readme": 60, "documentation": 40, "script": 50, "makefile": 50, "notebook": 30, "entry point": 20}
_MAX_BYTES = 1_000_000
_MAX_FILES = 2_000


@dataclass(frozen=True)
class _Text:
    """A shell text of the project, and what kind of file it stands in."""

    text: ShellText
    kind: str
    path: str
    state: State
    reason: str


def find_launches(project: Project, launchers: Sequence[LauncherSpec]) -> tuple[Candidate, ...]:
    """Launch commands that the project itself shows, best first.

    Candidates with the same score are equals: which one is meant must be asked, not guessed.
    Reads README and documentation code blocks, shell scripts, Makefiles, notebooks and the commands
    that the package installs. Nothing is run.
    """
    found = [one for text in _texts(project) for one in _of_text(project, text, launchers)]
    found += _of_package(project, launchers)
    best: dict[tuple[object, ...], Candidate] = {}
    for candidate in found:
        key = _identity(candidate.launch)
        if key not in best or best[key].score < candidate.score:
            best[key] = candidate
    return tuple(sorted(best.values(), key=_order))


def _order(candidate: Candidate) -> tuple[int, str, int]:
    return -candidate.score, candidate.evidence.path or "", candidate.evidence.line or 0


def _identity(launch: Launch) -> tuple[object, ...]:
    env = tuple(sorted((name, word.text) for name, word in launch.env.items()))
    return tuple(w.text for w in launch.argv) or launch.command, env, launch.cwd


def _texts(project: Project) -> Iterator[_Text]:
    root = str(project.root)
    for path in _readable(project, "markdown"):
        kind = "readme" if posixpath.basename(path).lower().startswith("readme") else "documentation"
        for block in code_blocks(project.source(path)):
            yield _Text(block, kind, path, State(root=root), f"a command in {path}")
    for path in _readable(project, "shell"):
        yield _Text(
            of_source(project.source(path)), "script", path, State(root=root, script=path), f"the script {path}"
        )
    for path in _readable(project, "makefile"):
        for target, text, variables in make_recipes(project.source(path)):
            state = State({name: Variable((value,)) for name, value in variables.items()}, root=root)
            yield _Text(text, "makefile", path, state, f"the target {target} of {path}")
    for path in _readable(project, "notebook"):
        document = project.read(path)
        for text in notebook_commands(document) if isinstance(document, NotebookDocument) else ():
            yield _Text(text, "notebook", path, State(root=root), f"a cell of {path}")


def _readable(project: Project, kind: str) -> list[str]:
    return [p for p in project.files_of(kind) if project.size(p) <= _MAX_BYTES][:_MAX_FILES]


def _of_text(project: Project, text: _Text, launchers: Sequence[LauncherSpec]) -> Iterator[Candidate]:
    folder = posixpath.dirname(text.path) or "."
    found = _read(project, text, ".", launchers)
    if folder != "." and found and not any(_exists(project, one.launch) for one in found):
        # A script or document often speaks from its own folder.
        inside = _read(project, text, folder, launchers)
        found = inside if any(_exists(project, one.launch) for one in inside) else found
    for one in found:
        if not one.reading.opaque:
            yield _candidate(project, text, one, launchers)


def _read(project: Project, text: _Text, cwd: str, launchers: Sequence[LauncherSpec]) -> list[Found]:
    scripts = (text.path,) if text.kind == "script" else ()
    state = replace(text.state.copy(), cwd=cwd)
    if text.kind == "script":
        state.script = posixpath.relpath(text.path, cwd)
    try:
        return read_text(text.text, "", project, launchers, state, scripts)[0]
    except LaunchError:
        return []


def _candidate(project: Project, text: _Text, found: Found, launchers: Sequence[LauncherSpec]) -> Candidate:
    launch = found.launch
    script = posixpath.relpath(text.path, launch.start)
    command = f"bash {shlex.quote(script)}" if text.kind == "script" else _command(found)
    launch = replace(launch, command=command, ambiguous=tuple(replace(a, command=command) for a in launch.ambiguous))
    evidence = launch.evidence[0] if launch.evidence else Evidence(text.path, None, command)
    return Candidate(launch, evidence, _score(project, text, found, launchers), text.reason)


def _command(found: Found) -> str:
    """The command as written, or its expanded words when variables of the text go into it."""
    launch, written = found.launch, found.reading.context.written
    if written and not set(written) & set("$`"):
        return " ".join(part.strip() for part in written.split("\\\n")).strip()
    env = [f"{name}={_shown(word.text, word.known)}" for name, word in launch.env.items()]
    return " ".join([*env, *(_shown(w.text, w.known) for w in launch.argv)])


def _shown(text: str, known: bool) -> str:
    return shlex.quote(text) if known else text


def _exists(project: Project, launch: Launch) -> bool:
    """Whether the script, or else a configuration file, of the launch is in the project."""
    names = [launch.entry] if launch.entry else list(launch.configs)
    return any(name and project.exists(posixpath.normpath(posixpath.join(launch.cwd, name))) for name in names)


def _score(project: Project, text: _Text, found: Found, launchers: Sequence[LauncherSpec]) -> int:
    launch = found.launch
    score = _BASE[text.kind] + 2 * points(found, launchers)
    score -= min(text.path.count("/"), 4) * 3
    if launch.entry is not None:
        named = "/" in launch.entry or "." in launch.entry  # else a name inside an installed package
        score += 8 if _exists(project, launch) else -20 if named else 0
    elif launch.configs:
        score += 4 if _exists(project, launch) else -4
    unknown = sum(1 for word in launch.argv if not word.known)
    return score - min(unknown, 5)


def _of_package(project: Project, launchers: Sequence[LauncherSpec]) -> Iterator[Candidate]:
    """Commands that the package installs and whose names speak of training."""
    for point in entry_points(project).values():
        score = name_score(point.name, launchers)
        if score > 0:
            evidence = Evidence(point.path, point.line, f"{point.name} = {point.module}:{point.function}")
            launch = Launch(
                command=point.name,
                launcher=point.name,
                nnodes=1,
                entry_module=point.module,
                program=(point.name,),
                evidence=(evidence,),
            )
            reason = f"a command that the package installs ({point.path})"
            yield Candidate(launch, evidence, _BASE["entry point"] + 2 * score, reason)
