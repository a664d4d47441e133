"""One way from text to document: a table of readers by kind."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from gto_rules.documents.classify import classify
from gto_rules.documents.grammar import parse_tree
from gto_rules.documents.model import Document, PythonDocument, ShellDocument, SourceText

Reader = Callable[[SourceText], Document]


def _python(source: SourceText) -> Document:
    tree, problems = parse_tree("python", source)
    return PythonDocument(source, "python", problems, tree=tree)


def _shell(source: SourceText) -> Document:
    tree, problems = parse_tree("bash", source)
    return ShellDocument(source, "shell", problems, tree=tree)


def _plain(kind: str) -> Reader:
    def read(source: SourceText) -> Document:
        return Document(source, kind, source.problems)

    return read


def _lazy(module: str, function: str) -> Reader:
    """A reader whose module is loaded when the first file of its kind comes."""

    def read(source: SourceText) -> Document:
        reader: Reader = getattr(importlib.import_module(f"gto_rules.documents.{module}"), function)
        return reader(source)

    return read


READERS: dict[str, Reader] = {
    "python": _python,
    "shell": _shell,
    "markdown": _plain("markdown"),
    "makefile": _plain("makefile"),
    "text": _plain("text"),
    "yaml": _lazy("data_yaml", "read_yaml"),
    "json": _lazy("data_json", "read_json"),
    "toml": _lazy("data_toml", "read_toml"),
    "ini": _lazy("ini", "read_ini"),
    "notebook": _lazy("notebook", "read_notebook"),
    "dockerfile": _lazy("container", "read_dockerfile"),
    "compose": _lazy("container", "read_compose"),
    "kubernetes": _lazy("container", "read_kubernetes"),
    "requirements": _lazy("requirements", "read_requirements"),
    "setup_py": _lazy("dependencies", "read_setup_py"),
    "setup_cfg": _lazy("dependencies", "read_setup_cfg"),
    "pyproject": _lazy("dependencies", "read_pyproject"),
    "conda": _lazy("dependencies", "read_conda"),
    "toml_lock": _lazy("dependencies", "read_toml_lock"),
    "pipfile": _lazy("dependencies", "read_pipfile"),
    "pipfile_lock": _lazy("dependencies", "read_pipfile_lock"),
}

DEPENDENCY_KINDS = frozenset(
    {"requirements", "setup_py", "setup_cfg", "pyproject", "conda", "toml_lock", "pipfile", "pipfile_lock"}
)


def parse(source: SourceText, kind: str | None = None) -> Document:
    """The document of a source; what cannot be read is in its ``problems``.

    Args:
        source: The text.
        kind: Name of a reader; by default ``classify`` decides, and ``text`` if it does not know.
            A Kubernetes manifest is read as the YAML that it is unless ``kubernetes`` is asked for.
    """
    chosen = kind or classify(source.path, source.text[:200]) or "text"
    return READERS["yaml" if kind is None and chosen == "kubernetes" else chosen](source)
