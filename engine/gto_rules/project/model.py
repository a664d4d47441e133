"""A project as it lies on disk, and what its launch command really runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gto_rules.location import Evidence, Span


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A regular file of the project. ``path`` is relative and POSIX; ``size`` in bytes."""

    path: str
    size: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that was not read, and why (too large, unreadable, link loop, ignored...)."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Inventory:
    """Files in path order. ``links`` are folders that are links: (path, path of the folder that is meant)."""

    root: Path
    files: tuple[FileEntry, ...]
    skipped: tuple[Skipped, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a piece of a launch was written.

    ``path`` is None when it stands in the launch command given by the user; then ``span`` indexes
    that command's text. ``line`` is where the *value* stands: the shell variable's line when a
    flag holds a variable.
    """

    path: str | None
    line: int | None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command after expansion.

    ``text`` is the expanded text; what cannot be known statically stays as it was written
    (``$HOST``), and ``known`` is False. ``place`` is where the word stands in the command;
    ``value_place`` where its value stands (a variable's assignment), the same when it is literal.
    """

    text: str
    known: bool = True
    place: Place = Place(None, None)
    value_place: Place = Place(None, None)


@dataclass(frozen=True)
class Launch:
    """What a launch command runs.

    Attributes:
        command: The command as given or found.
        launcher: Name of the launcher that starts the ranks (``torchrun``, ``python``...).
        outer: The program around the launcher (``srun``), or None.
        nnodes: Node count as int, a text such as ``"1:4"``, ``"unknown"``, or None if not said.
        nproc_per_node: The same for ranks on one node.
        count_places: Where ``nnodes`` and ``nproc_per_node`` are said, as far as something says them.
        entry: Script path as written, relative to ``cwd``; None for a module or a plain program.
        entry_module: Module after ``-m``, or None.
        program: Words that name the program when the launcher is itself the program
            (``("some-cli", "train")``).
        arguments: Words after the entry, in order.
        launcher_arguments: Words of the launcher itself, in order.
        configs: Configuration files named by launcher or program, as written.
        overrides: ``key=value`` words that follow, by key.
        env: Environment variables set for the command, by name.
        multi_node: ``none``, ``A`` (one command starts all nodes) or ``B`` (one per node).
        single_node: For type B, the words of the command for one node; else empty.
        argv: The whole innermost command, launcher included, as words.
        cwd: Folder inside the project where it runs, POSIX (``.`` for the root).
        start: Folder in which ``command`` is started; differs from ``cwd`` when the command changes it.
        scripts: Shell scripts that were followed, relative to the project.
        framework: Framework that the launcher rule names for this command, or None.
        inference: Inference engines that the command names (by their pack names).
        ambiguous: Other commands that the same text could mean (alternatives); never guessed between.
        evidence: How it was read.
        problems: What stayed unclear, in plain words.
    """

    command: str
    launcher: str
    outer: str | None = None
    nnodes: int | str | None = None
    nproc_per_node: int | str | None = None
    count_places: Mapping[str, Place] = field(default_factory=dict)
    entry: str | None = None
    entry_module: str | None = None
    program: tuple[str, ...] = ()
    arguments: tuple[Word, ...] = ()
    launcher_arguments: tuple[Word, ...] = ()
    configs: tuple[str, ...] = ()
    overrides: Mapping[str, Word] = field(default_factory=dict)
    env: Mapping[str, Word] = field(default_factory=dict)
    multi_node: str = "none"
    single_node: tuple[str, ...] = ()
    argv: tuple[Word, ...] = ()
    cwd: str = "."
    start: str = "."
    scripts: tuple[str, ...] = ()
    framework: str | None = None
    inference: tuple[str, ...] = ()
    ambiguous: tuple[Launch, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    problems: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The ``launch`` object of ``gto-rules detect``."""
        return {
            "launcher": self.launcher,
            "outer": self.outer,
            "nnodes": self.nnodes,
            "nproc_per_node": self.nproc_per_node,
            "entry": self.entry,
            "entry_module": self.entry_module,
            "configs": list(self.configs),
            "framework": self.framework,
            "single_node": list(self.single_node),
            "cwd": self.cwd,
            "command": self.command,
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    """A launch command found in the project. ``score`` ranks; equal scores are equal candidates."""

    launch: Launch
    evidence: Evidence
    score: int
    reason: str
