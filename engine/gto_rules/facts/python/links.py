"""Names, classes and constants across the files of a project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from tree_sitter import Node

from gto_rules.facts.python.blocks import conditions
from gto_rules.facts.python.classes import Class
from gto_rules.facts.python.layout import Layout
from gto_rules.facts.python.located import Located
from gto_rules.facts.python.match import name_matches
from gto_rules.facts.python.model import Argument, Binding, Scope

_DEPTH = 16
_MOST_STARS = 40  # files looked through for one name that a star import may bring


class Module(Protocol):
    """A parsed file, as the links between files see it."""

    @property
    def scope(self) -> Scope: ...
    @property
    def stars(self) -> tuple[str, ...]: ...
    @property
    def classes(self) -> tuple[Class, ...]: ...
    @property
    def rewrites_names(self) -> bool: ...
    def canonical(self, node: Node, scope: Scope | None = None) -> str | None: ...
    def instance_of(self, node: Node, scope: Scope | None = None) -> str | None: ...
    def located(self, node: Node, scope: Scope | None = None) -> Located: ...
    def arguments(self, call: Node) -> tuple[Argument, ...]: ...


class Files(Protocol):
    """The files of a project, parsed when asked for."""

    @property
    def layout(self) -> Layout: ...
    def module(self, path: str) -> Module | None: ...
    def raw(self, path: str) -> bytes: ...


class Links:
    """Follows names from file to file. Answers are kept as text, so that no tree is held."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._depth = 0
        self._followed: dict[str, str] = {}
        self._exports: dict[str, tuple[frozenset[str], tuple[str, ...]]] = {}
        self._bases: dict[str, tuple[str, ...]] = {}

    def follow(self, dotted: str) -> str:
        """A canonical name through the re-exports and aliases of project files."""
        if dotted in self._followed:
            return self._followed[dotted]
        if self._depth >= _DEPTH:
            return dotted
        self._depth += 1
        try:
            found = self._follow(dotted)
        finally:
            self._depth -= 1
        if self._depth == 0:  # deeper answers may have been cut short
            self._followed[dotted] = found
        return found

    def _follow(self, dotted: str) -> str:
        found = self._bound(dotted)
        if found is None:
            return self._through_star(dotted)
        module, bindings, rest = found
        name = rest.partition(".")[0]
        last = next((b for b in bindings if b.kind in ("import", "assign")), None)
        if last is None or any(b.kind in ("class", "function") for b in bindings):
            return dotted
        target = module.canonical(last.node, module.scope)
        if target is None and last.kind == "assign" and last.value is not None and "." in rest:
            target = module.instance_of(last.value, module.scope)
        if target is None or target == dotted:
            return dotted
        return self.follow(target + rest[len(name) :])

    def _bound(self, dotted: str) -> tuple[Module, list[Binding], str] | None:
        """The module a project name lies in, the bindings of its first word there, and the rest of the name."""
        located = self._files.layout.locate(dotted)
        module = self._files.module(located[0]) if located is not None and located[1] else None
        if located is None or module is None:
            return None
        bindings = module.scope.bindings.get(located[1].partition(".")[0])
        return (module, bindings, located[1]) if bindings is not None else None

    def _through_star(self, dotted: str) -> str:
        located = self._files.layout.locate(dotted)
        module = self._files.module(located[0]) if located is not None and located[1] else None
        if located is None or module is None or not module.stars:
            return dotted
        return self.starred(module.stars, located[1]) or dotted

    def starred(self, sources: Sequence[str], name: str) -> str | None:
        """What ``name`` means after ``from source import *`` of a project file, or None."""
        word, _, _ = name.partition(".")
        seen: set[str] = set()
        for source in reversed(sources):
            home = self._star_home(source, word, seen)
            if home is not None:
                return self.follow(f"{home}.{name}")
        return None

    def _star_home(self, source: str, word: str, seen: set[str]) -> str | None:
        """Canonical name of the module that defines ``word`` and gives it on through star imports."""
        located = self._files.layout.locate(source)
        if located is None or located[1] or located[0] in seen or len(seen) >= _MOST_STARS:
            return None
        seen.add(located[0])
        raw = self._files.raw(located[0])
        if word.encode() not in raw and b"import *" not in raw:
            return None
        names, stars = self._exported(located[0])
        if word in names:
            return source
        return next((home for s in reversed(stars) if (home := self._star_home(s, word, seen)) is not None), None)

    def _exported(self, path: str) -> tuple[frozenset[str], tuple[str, ...]]:
        if path not in self._exports:
            module = self._files.module(path)
            found = (frozenset(module.scope.bindings), module.stars) if module is not None else (frozenset[str](), ())
            self._exports[path] = found
        return self._exports[path]

    def class_named(self, dotted: str) -> Class | None:
        """The project class with this canonical name."""
        located = self._files.layout.locate(dotted)
        module = self._files.module(located[0]) if located is not None and located[1] else None
        if module is None:
            return None
        return next((c for c in module.classes if c.name == dotted), None)

    def looks_like_class(self, dotted: str) -> bool:
        """True for a project class, or a foreign name spelt like one."""
        located = self._files.layout.locate(dotted)
        if located is not None and located[1]:
            found = self._bound(dotted)
            if found is not None:
                return any(b.kind == "class" for b in found[1]) or self.class_named(dotted) is not None
        return dotted.rpartition(".")[2][:1].isupper()

    def bases(self, cls: str) -> tuple[str, ...]:
        """A class and all its bases, the project's own followed, nearest first."""
        if cls not in self._bases:
            self._bases[cls] = tuple(self._lineage(cls))
        return self._bases[cls]

    def _lineage(self, cls: str) -> Iterator[str]:
        todo, seen = [cls], set[str]()
        while todo:
            name = todo.pop(0)
            if name in seen:
                continue
            seen.add(name)
            yield name
            found = self.class_named(name)
            todo.extend(b for b in (found.bases if found else ()) if b is not None)

    def is_subclass_of(self, cls: str, names: Iterable[str]) -> bool:
        """True if a class is, or derives from, one of the canonical ``names`` (``*`` allowed)."""
        wanted = tuple(names)
        return any(name_matches(base, name) for base in self.bases(cls) for name in wanted)

    def first_base(self, cls: str) -> str | None:
        """The first base of a project class that can be named."""
        found = self.class_named(cls)
        return next((b for b in found.bases if b is not None), None) if found is not None else None

    def member(self, cls: str, name: str) -> str:
        """Canonical name of a class member: where the project, or a foreign base, defines it."""
        foreign: str | None = None
        for base in self.bases(cls):
            found = self.class_named(base)
            if found is None:
                foreign = foreign or base
            elif found.scope is not None and (name in found.scope.bindings or name in found.scope.attributes):
                return f"{base}.{name}"
        return f"{foreign or cls}.{name}"

    def attribute_class(self, cls: str, name: str) -> str | None:
        """Class of the instance that ``self.name`` holds, looking through the project's bases."""
        for base in self.bases(cls):
            found = self.class_named(base)
            module = self._files.module(found.path) if found is not None else None
            if found is None or module is None or found.scope is None or base == cls:
                continue
            held = [b for b in found.scope.attributes.get(name, ()) if b.value is not None and b.value.type != "none"]
            classes = {module.instance_of(b.value, b.block.scope) for b in held if b.value is not None}
            if len(classes) == 1:
                return classes.pop()
        return None

    def constant(self, dotted: str) -> Located | None:
        """The expression that a canonical project name (module constant or class field) is assigned to, once."""
        located = self._files.layout.locate(dotted)
        module = self._files.module(located[0]) if located is not None and located[1] else None
        if located is None or module is None or module.rewrites_names:
            return None
        head, _, last = located[1].rpartition(".")
        if head:
            cls = self.class_named(dotted.rpartition(".")[0])
            field = cls.field(last) if cls is not None else None
            plain = field is not None and field.default is not None and field.default.type != "call"
            return module.located(field.default) if plain and field is not None and field.default is not None else None
        bindings = [b for b in module.scope.bindings.get(last, ()) if b.kind != "other"]
        if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].value is None:
            return None
        return module.located(bindings[0].value) if not conditions(bindings[0].block) else None

    def field_default(self, cls: str, name: str) -> tuple[Located | None, int] | None:
        """Default and position of a field of a project class; None if there is no such field or its code changes it."""
        fields: list[str] = []
        answer: Located | None = None
        seen = False
        for base in reversed(self.bases(cls)):
            found = self.class_named(base)
            module = self._files.module(found.path) if found is not None else None
            if found is None or module is None or (found.scope is not None and name in found.scope.attributes):
                if found is not None:
                    return None
                continue
            for field in found.fields:
                if field.name not in fields:
                    fields.append(field.name)
                if field.name == name:
                    seen, answer = True, self._default(module, field.default)
        return (answer, fields.index(name)) if seen else None

    def _default(self, module: Module, default: Node | None) -> Located | None:
        """The default's own expression; ``field(default=x)`` is ``x``."""
        if default is None or default.type != "call":
            return module.located(default) if default is not None else None
        inner = next((a.value for a in module.arguments(default) if a.name == "default"), None)
        return module.located(inner if inner is not None else default)
