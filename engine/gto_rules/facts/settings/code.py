"""The Python that a launch runs: its entry, the project files that it imports, nearest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

from gto_rules.facts.prefilter import WordTable
from gto_rules.facts.python.blocks import conditions
from gto_rules.facts.python.calls import Call
from gto_rules.facts.python.classes import Class
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.python.match import name_matches
from gto_rules.facts.python.model import AttributeAssignment, Block
from gto_rules.facts.python.module import PythonModule
from gto_rules.facts.python.reach import find_entry, reach
from gto_rules.facts.python.values import Located
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

    def __init__(self, index: PythonIndex, launch: Launch | None, anchors: Iterable[bytes] = ()) -> None:
        """
        Args:
            index: The project's Python.
            launch: What runs; None takes every file that holds one of the ``anchors`` as equally near.
            anchors: Words without which a file sets nothing that the tables know.
        """
        self.index = index
        self.entry: str | None = None
        self.depths: dict[str, int] = {}
        if launch is None:
            table = WordTable(index, anchors)
            self.depths = dict.fromkeys(table.paths_with([frozenset(table.words)]), 0)
            return
        self.entry = find_entry(index, launch.entry, launch.entry_module, launch.cwd)
        if self.entry is not None:
            self.depths = reach(index, self.entry).depths

    @cached_property
    def modules(self) -> tuple[tuple[PythonModule, int], ...]:
        nearest = sorted(self.depths.items(), key=lambda item: item[1])[:_MOST_FILES]
        found = ((self.index.module(path), depth) for path, depth in nearest)
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
    def _imported(self) -> frozenset[str]:
        return frozenset(i.name for module, _ in self.modules for i in module.imports)

    def uses(self, name: str) -> bool:
        """Whether the code imports a canonical name or something inside it, or calls it."""
        if any(fits(found, name) or found.startswith(name + ".") for found in self._imported):
            return True
        return any(fits(site.call.name, name) for site in self._calls.get(name.rpartition(".")[2], ()))

    def called(self, last: str) -> list[CallSite]:
        """Calls whose name ends in ``last``, nearest to the entry first."""
        return sorted(self._calls.get(last, ()), key=lambda s: s.depth)

    def matching(self, pattern: str) -> Iterator[CallSite]:
        """Calls of what a canonical name with ``*`` means; ``*.last`` goes by the last word alone."""
        owner, _, last = pattern.rpartition(".")
        for word, sites in self._calls.items():
            if word == last or ("*" in last and fnmatchcase(word, last)):
                yield from (s for s in sites if owner == "*" or fits(s.call.name, pattern))

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
