"""Dependencies declared elsewhere than in requirements files: project metadata, conda, lock files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from gto_rules.documents.data_json import read_json
from gto_rules.documents.data_toml import read_toml
from gto_rules.documents.data_yaml import read_yaml
from gto_rules.documents.grammar import parse_tree
from gto_rules.documents.ini import read_ini
from gto_rules.documents.model import (
    DataDocument,
    Entry,
    Mapping,
    Node,
    Requirement,
    RequirementsDocument,
    Scalar,
    Sequence,
    SourceText,
)
from gto_rules.documents.requirements import normalise, requirement
from gto_rules.location import Span

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

_SETUP_KEYWORDS = frozenset(("install_requires", "extras_require", "tests_require", "setup_requires"))


def _document(source: SourceText, kind: str, data: DataDocument, found: Iterable[Requirement]) -> RequirementsDocument:
    return RequirementsDocument(source, kind, data.problems, requirements=tuple(found))


def _strings(node: Node | None) -> Iterator[Scalar]:
    """Every string below a node."""
    if isinstance(node, Scalar):
        if isinstance(node.value, str):
            yield node
    elif isinstance(node, Sequence):
        # A mapping inside a list of requirements (``{include-group = ...}``) names no distribution.
        for item in (i for i in node.items if not isinstance(i, Mapping)):
            yield from _strings(item)
    elif isinstance(node, Mapping):
        for entry in node.entries:
            yield from _strings(entry.value)


def _parsed(scalars: Iterable[Scalar]) -> Iterator[Requirement]:
    for scalar in scalars:
        one = requirement(str(scalar.value), scalar.span)
        if one is not None:
            yield one


def read_pyproject(source: SourceText) -> RequirementsDocument:
    """PEP 621 dependencies and extras, PEP 735 groups, and the tables of poetry and pdm."""
    data = read_toml(source)
    found: list[Requirement] = []
    for path in (
        ("project", "dependencies"),
        ("project", "optional-dependencies"),
        ("dependency-groups",),
        ("tool", "pdm", "dev-dependencies"),
        ("tool", "uv", "dev-dependencies"),
    ):
        entry = data.find(*path)
        found += _parsed(_strings(entry.value if entry else None))
    found += _poetry(data)
    return _document(source, "pyproject", data, found)


def _poetry(data: DataDocument) -> Iterator[Requirement]:
    poetry = data.find("tool", "poetry")
    if poetry is None or not isinstance(poetry.value, Mapping):
        return
    tables = [poetry.value.get("dependencies"), poetry.value.get("dev-dependencies")]
    groups = poetry.value.get("group")
    if groups is not None and isinstance(groups.value, Mapping):
        tables += [g.value.get("dependencies") for g in groups.value.entries if isinstance(g.value, Mapping)]
    for table in tables:
        if table is not None and isinstance(table.value, Mapping):
            yield from (_table_row(e) for e in table.value.entries if e.key != "python")


def _table_row(entry: Entry) -> Requirement:
    """``name = "^1.2"`` or ``name = {version = "...", extras = [...]}``."""
    value = entry.value
    if isinstance(value, Mapping):
        version = value.get("version")
        value = version.value if version is not None else Scalar("", entry.span)
    written = str(value.value) if isinstance(value, Scalar) and value.value is not None else ""
    exact = written[:1].isdigit()
    return Requirement(normalise(entry.key), "" if written == "*" else f"=={written}" if exact else written, entry.span)


def read_conda(source: SourceText) -> RequirementsDocument:
    """A conda environment: its own packages (``name=1.2``) and the list below ``pip:``."""
    data = read_yaml(source)
    entry = data.find("dependencies")
    found: list[Requirement] = []
    for item in entry.value.items if entry is not None and isinstance(entry.value, Sequence) else ():
        if isinstance(item, Mapping):
            found += _parsed(scalar for entry in item.entries for scalar in _strings(entry.value))
        elif isinstance(item, Scalar) and isinstance(item.value, str):
            found.append(_conda_spec(item.value, item.span))
    return _document(source, "conda", data, found)


def _conda_spec(text: str, span: Span) -> Requirement:
    """``channel::name=1.2=build`` or ``name>=1.2``."""
    text = text.rpartition("::")[2]
    for operator in (">=", "<=", "==", "!=", "~=", ">", "<"):
        if operator in text:
            at = text.index(operator)
            return Requirement(normalise(text[:at].strip()), text[at:].replace(" ", ""), span)
    name, _, rest = text.partition("=")
    version = rest.split("=")[0].strip()
    return Requirement(normalise(name.strip()), f"=={version}" if version else "", span)


def read_setup_cfg(source: SourceText) -> RequirementsDocument:
    data = read_ini(source)
    options = data.find("options")
    extras = data.find("options.extras_require")
    entries = [options.value.get("install_requires")] if options and isinstance(options.value, Mapping) else []
    entries += extras.value.entries if extras and isinstance(extras.value, Mapping) else ()
    found = [one for entry in entries if entry is not None for one in _lines(source, entry.value)]
    return _document(source, "setup_cfg", data, found)


def _lines(source: SourceText, value: Node) -> Iterator[Requirement]:
    """A requirement on each line of an INI value."""
    at = value.span.start
    for line in source.slice(value.span).splitlines(keepends=True):
        text = line.strip()
        start = at + len(line[: len(line) - len(line.lstrip())].encode())
        at += len(line.encode())
        one = requirement(text, Span(start, start + len(text.encode()))) if text[:1] not in ("", "#", ";") else None
        if one is not None:
            yield one


def read_setup_py(source: SourceText) -> RequirementsDocument:
    """String literals below ``install_requires``/``extras_require`` (and the lists they name); nothing is run."""
    tree, problems = parse_tree("python", source)
    found: list[Requirement] = []
    names: set[str] = set()
    for node in _walk(tree.root_node):
        if node.type == "keyword_argument":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if name is not None and value is not None and _text(source, name) in _SETUP_KEYWORDS:
                found += _literals(source, value)
                names |= {_text(source, n) for n in _walk(value) if n.type == "identifier"}
    for node in _walk(tree.root_node):
        if node.type == "assignment":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None:
                target = _text(source, left).partition("[")[0]
                if target in names or target in _SETUP_KEYWORDS:
                    found += _literals(source, right)
    return RequirementsDocument(source, "setup_py", problems, requirements=tuple(found))


def _literals(source: SourceText, value: Tree) -> Iterator[Requirement]:
    keys = {c.id for n in _walk(value) if n.type == "pair" for c in (n.child_by_field_name("key"),) if c is not None}
    for node in _walk(value):
        if node.type == "string_content" and not (node.parent is not None and node.parent.id in keys):
            one = requirement(_text(source, node), Span(node.start_byte, node.end_byte))
            if one is not None:
                yield one


def _walk(root: Tree) -> Iterator[Tree]:
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed(node.named_children))


def _text(source: SourceText, node: Tree) -> str:
    return source.slice(Span(node.start_byte, node.end_byte))


def read_toml_lock(source: SourceText) -> RequirementsDocument:
    """uv.lock, poetry.lock and pdm.lock: ``[[package]]`` tables with name and version."""
    data = read_toml(source)
    entry = data.find("package")
    found = []
    for row in entry.value.items if entry is not None and isinstance(entry.value, Sequence) else ():
        name, version = (row.get("name"), row.get("version")) if isinstance(row, Mapping) else (None, None)
        if name is not None and isinstance(name.value, Scalar):
            pinned = str(version.value.value) if version and isinstance(version.value, Scalar) else ""
            found.append(Requirement(normalise(str(name.value.value)), f"=={pinned}" if pinned else "", name.span))
    return _document(source, "toml_lock", data, found)


def read_pipfile(source: SourceText) -> RequirementsDocument:
    data = read_toml(source)
    tables = [data.find("packages"), data.find("dev-packages")]
    rows = [e for t in tables if t is not None and isinstance(t.value, Mapping) for e in t.value.entries]
    return _document(source, "pipfile", data, (_table_row(row) for row in rows))


def read_pipfile_lock(source: SourceText) -> RequirementsDocument:
    data = read_json(source)
    tables = [data.find("default"), data.find("develop")]
    rows = [e for t in tables if t is not None and isinstance(t.value, Mapping) for e in t.value.entries]
    return _document(source, "pipfile_lock", data, (_table_row(row) for row in rows))
