"""Which files of the project a started program can load."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath

from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.python.module import PythonModule

_MOST_FILES = 1500
_DYNAMIC = frozenset({"importlib.import_module", "builtins.__import__", "importlib.util.spec_from_file_location"})


@dataclass(frozen=True, slots=True)
class Reach:
    """Files by path with the number of imports between them and the entry (0 is the entry itself).

    ``complete`` is False when the code also loads modules by names put together at run time, or
    there are too many files: others may run too.
    """

    depths: dict[str, int]
    complete: bool


def find_entry(index: PythonIndex, script: str | None, module: str | None, cwd: str) -> str | None:
    """The project file that ``python script`` or ``python -m module`` runs in folder ``cwd``."""
    if script is not None:
        path = normpath(join(cwd, script)).lstrip("/") if not script.startswith("/") else script
        return path if path in index.files else None
    if module is None:
        return None
    beside = "x.py" if cwd == "." else f"{cwd}/x.py"
    found = index.layout.locate(index.layout.absolute(module, beside))
    if found is None or found[1]:
        return None
    main = f"{dirname(found[0])}/__main__.py".lstrip("/")
    return main if found[0].endswith("__init__.py") and main in index.files else found[0]


def reach(index: PythonIndex, entry: str) -> Reach:
    """Files that ``entry`` imports, directly or through others."""
    depths, todo, complete = {entry: 0}, deque([entry]), True
    while todo:
        path = todo.popleft()
        module = index.module(path)
        if module is None:
            continue
        complete = complete and not any(c.last in _DYNAMIC_WORDS and c.name in _DYNAMIC for c in module.calls)
        for loaded in _loaded(index, module):
            if loaded not in depths and len(depths) < _MOST_FILES:
                depths[loaded] = depths[path] + 1
                todo.append(loaded)
    return Reach(depths, complete and len(depths) < _MOST_FILES)


_DYNAMIC_WORDS = frozenset(n.rpartition(".")[2] for n in _DYNAMIC)


def _loaded(index: PythonIndex, module: PythonModule) -> Iterator[str]:
    """Files that the imports of a module run: the module itself and the packages around it."""
    for imported in module.imports:
        located = index.layout.locate(imported.name)
        if located is None:
            continue
        yield located[0]
        folder = dirname(located[0])
        while folder and (package := f"{folder}/__init__.py") in index.files:
            yield package
            folder = dirname(folder)
