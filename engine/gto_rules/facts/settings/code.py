"""The Python that a launch runs: its entry, the project files that it imports, nearest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from gto_rules.facts.python.blocks import conditions
from gto_rules.facts.python.calls import Call
from gto_rules.facts.python.classes import Class
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.python.match import name_matches
from gto_rules.facts.python.model import AttributeAssignment, Block
from gto_rules.facts.python.module import PythonModule
from gto_rules.facts.python.values import Located
from gto_rules.facts.settings.configs import candidates
from gto_rules.project.model import Launch

_MOST_FILES = 600


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call in a module. ``depth`` counts imports from the entry (0 = the entry itself)."""

    module: PythonModule
    call: Call
    depth: int


@dataclass(frozen=True, slots=True)
class AttributeSite:
    """``object.attribute = value`` in a module."""

    module: PythonModule
    assignment: AttributeAssignment
    depth: int


class Code:
    """What can run, and where calls, attributes and classes in it stand.

    Attributes:
        entry: The launched script; None when nothing was launched or it is not in the project.
        depths: Project files that run, by path, with their distance from the entry.
    """

    def __init__(self, index: PythonIndex, launch: Launch | None) -> None:
        self.index = index
        self.entry = _entry(index, launch)
        if launch is None:
            self.depths = dict.fromkeys(index.paths, 0)
        else:
            self.depths = _reach(index, self.entry) if self.entry else {}

    @cached_property
    def modules(self) -> tuple[tuple[PythonModule, int], ...]:
        found = ((self.index.module(path), depth) for path, depth in list(self.depths.items())[:_MOST_FILES])
        return tuple((module, depth) for module, depth in found if module is not None)

    @cached_property
    def _calls(self) -> dict[str, list[CallSite]]:
        out: dict[str, list[CallSite]] = {}
        for module, depth in self.modules:
            for call in module.calls:
                if self.runs(module, call.block):
                    out.setdefault(call.last, []).append(CallSite(module, call, depth))
        return out

    @cached_property
    def _attributes(self) -> dict[str, list[AttributeSite]]:
        out: dict[str, list[AttributeSite]] = {}
        for module, depth in self.modules:
            for assignment in module.attribute_assignments:
                out.setdefault(assignment.attribute, []).append(AttributeSite(module, assignment, depth))
        return out

    @cached_property
    def classes(self) -> dict[str, tuple[Class, PythonModule]]:
        """Classes of the code that runs, by canonical name."""
        return {cls.name: (cls, module) for module, _ in self.modules for cls in module.classes}

    @cached_property
    def names(self) -> frozenset[str]:
        """Canonical names that the code imports or calls."""
        found = {i.name for module, _ in self.modules for i in module.imports}
        return frozenset(found | {site.call.name or "" for sites in self._calls.values() for site in sites})

    def called(self, last: str) -> list[CallSite]:
        """Calls whose name ends in ``last``, nearest to the entry first."""
        return sorted(self._calls.get(last, ()), key=lambda s: s.depth)

    def all_calls(self) -> Iterator[CallSite]:
        for sites in self._calls.values():
            yield from sites

    def assigned(self, attribute: str) -> list[AttributeSite]:
        """Assignments to an attribute of this name, nearest to the entry first."""
        return sorted(self._attributes.get(attribute, ()), key=lambda s: s.depth)

    def runs(self, module: PythonModule, block: Block) -> bool:
        """Whether a block can run: what only a script does when started itself runs in the entry alone."""
        if self.entry is None or module.path == self.entry:
            return True
        return not any(is_main_guard(b) for b in block.chain())

    def module_of(self, where: Located) -> PythonModule | None:
        """The module that an expression stands in."""
        return where.home if isinstance(where.home, PythonModule) else None

    def lineage(self, name: str) -> Iterator[str]:
        """A class and all its bases, nearest first, through project classes to those of libraries."""
        todo, seen = [name], set()
        while todo:
            current = todo.pop(0)
            if current in seen:
                continue
            seen.add(current)
            yield current
            held = self.classes.get(current)
            todo += [b for b in held[0].bases if b is not None] if held else []


def is_main_guard(block: Block) -> bool:
    """``if __name__ == "__main__":``."""
    condition = block.statement.child_by_field_name("condition") if block.kind == "if" else None
    return condition is not None and "__name__" in text_of(condition)


def unguarded(block: Block) -> list[Block]:
    """The conditions around a block, without the script guard and with ``try`` taken as run."""
    return [b for b in conditions(block) if not is_main_guard(b) and b.kind not in ("try", "with")]


def fits(name: str | None, pattern: str) -> bool:
    """Whether a canonical name is what a table names.

    ``lib.Thing`` also means ``lib.inner.module.Thing``, and ``lib.Thing.method`` means the method of that:
    libraries move things and keep them importable from the top. ``*`` stands for any text.
    """
    if name is None:
        return False
    if name_matches(name, pattern):
        return True
    found_owner, _, found_last = name.rpartition(".")
    wanted_owner, _, wanted_last = pattern.rpartition(".")
    return found_last == wanted_last and bool(wanted_owner) and name_matches(found_owner, wanted_owner)


def _entry(index: PythonIndex, launch: Launch | None) -> str | None:
    if launch is None:
        return None
    if launch.entry is not None:
        return next((p for p in candidates(launch.entry, launch.cwd) if p in index.paths), None)
    if launch.entry_module is None:
        return None
    beside = "x.py" if launch.cwd == "." else f"{launch.cwd}/x.py"
    found = index.layout.locate(index.layout.absolute(launch.entry_module, beside))
    if found is None:
        return None
    path, rest = found
    main = path.replace("__init__.py", "__main__.py")
    return main if main in index.paths else path if not rest else None


def _reach(index: PythonIndex, entry: str) -> dict[str, int]:
    """Files that the entry imports, directly or not, with the number of imports between."""
    depths, todo = {entry: 0}, [entry]
    while todo and len(depths) < _MOST_FILES:
        path = todo.pop(0)
        module = index.module(path)
        for imported in module.imports if module is not None else ():
            for found in _files_of(index, imported.name, star=imported.star):
                if found not in depths:
                    depths[found] = depths[path] + 1
                    todo.append(found)
    return depths


def _files_of(index: PythonIndex, dotted: str, *, star: bool) -> Iterator[str]:
    """The project file that an import loads."""
    located = index.layout.locate(dotted)
    if located is not None:
        yield located[0]
