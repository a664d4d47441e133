"""What remedies are planned against: one state of a project, read and judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gto_rules.documents.model import DataDocument, PythonDocument
from gto_rules.errors import LaunchError, PatchError
from gto_rules.evaluate.auditing import context_of
from gto_rules.evaluate.conditions import Context
from gto_rules.facts.model import Facts
from gto_rules.facts.python import PythonIndex
from gto_rules.patch.python_edit import Text
from gto_rules.project.launch import read_launch
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.model import Launch
from gto_rules.project.project import Project
from gto_rules.rulebook.expressions import evaluate_expression
from gto_rules.rulebook.model import Rulebook


@dataclass(frozen=True)
class Subject:
    """A project as it stands now. ``command`` is the launch command's current text."""

    project: Project
    index: PythonIndex
    facts: Facts
    rulebook: Rulebook
    launch: Launch | None
    command: str | None
    packs: frozenset[str]

    @cached_property
    def context(self) -> Context:
        return context_of(self.facts, self.rulebook)

    def with_command(self, command: str) -> Subject:
        """The same project started by a changed command, read again so that its places are right."""
        specs = [LauncherSpec.from_mapping(rule.data) for rule in self.rulebook.of("launcher")]
        start = self.launch.start if self.launch is not None else "."
        try:
            launch = read_launch(command, project=self.project, cwd=start, launchers=specs)
        except LaunchError as error:
            raise PatchError(f"the changed launch command cannot be read: {error}") from error
        return replace(self, launch=launch, command=command)

    def python(self, path: str) -> PythonDocument:
        """A Python file as document; notebooks are not edited.

        Raises:
            PatchError: the file is no plain Python file.
        """
        document = self.project.read(path)
        if not isinstance(document, PythonDocument):
            raise PatchError(f"{path}: only Python files are edited, not {document.kind}")
        return document

    def data(self, path: str) -> DataDocument:
        document = self.project.read(path)
        if not isinstance(document, DataDocument):
            document = self.project.read(path, "json")
        if not isinstance(document, DataDocument):
            raise PatchError(f"{path}: {document.kind} files hold no keys to set")
        return document

    def text(self, path: str) -> Text:
        return Text(self.project.source(path).text)

    def value(self, written: Any) -> Any:
        """A rule's value: as it stands, or ``{expr: ...}`` over the facts.

        Raises:
            PatchError: the expression has no value here.
        """
        if not isinstance(written, Mapping) or "expr" not in written:
            return written
        value = evaluate_expression(written["expr"], self.context.document)
        if value is None and "default" in written:
            return written["default"]
        if value is None:
            raise PatchError(f"{written['expr']} is not known for this machine or project")
        return value
