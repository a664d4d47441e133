"""The project's Python, parsed file by file when asked for and forgotten again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from gto_rules.documents import parse as read_document
from gto_rules.documents.model import NotebookDocument
from gto_rules.facts.python.blocks import conditions
from gto_rules.facts.python.classes import Class
from gto_rules.facts.python.files import PythonText, from_notebook, from_source
from gto_rules.facts.python.layout import Layout
from gto_rules.facts.python.match import name_matches
from gto_rules.facts.python.model import Binding
from gto_rules.facts.python.module import PythonModule
from gto_rules.facts.python.values import Located
from gto_rules.project.project import Project

# Bytes of source whose trees are kept; a tree takes about ten times its text.
_KEPT_BYTES = 4_000_000
_DEPTH = 16
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # byte-order marks of UTF-16


class PythonIndex:
    """Modules of a project by path, and names across them.

    Modules are parsed when asked for; the least recently used are forgotten, so a caller may hold
    a module but should not ask for all of them at once.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self.paths: tuple[str, ...] = tuple(sorted(project.files_of("python", "setup_py", "notebook")))
        self.files = frozenset(self.paths)
        self.layout = Layout(self.paths)
        self._kept: OrderedDict[str, PythonModule | None] = OrderedDict()
        self._kept_bytes = 0
        self._depth = 0

    def module(self, path: str) -> PythonModule | None:
        """The module of a project file; None if there is none or it cannot be read."""
        if path in self._kept:
            self._kept.move_to_end(path)
            return self._kept[path]
        module = self._open(path)
        self._kept[path] = module
        self._kept_bytes += len(module.text) if module else 0
        while self._kept_bytes > _KEPT_BYTES and len(self._kept) > 1:
            _, old = self._kept.popitem(last=False)
            self._kept_bytes -= len(old.text) if old else 0
        return module

    def modules(self, paths: Iterable[str] | None = None) -> Iterator[PythonModule]:
        """The modules of these paths (default: all), one after the other."""
        for path in self.paths if paths is None else paths:
            module = self.module(path)
            if module is not None:
                yield module

    def raw(self, path: str) -> bytes:
        """The bytes of a file to search for words, before parsing; empty if it cannot be read."""
        raw = self._project.raw(path)
        if raw.startswith(_WIDE):
            return self._project.source(path).text
        return raw.replace(b"\\n", b" ") if path.endswith(".ipynb") else raw

    def _open(self, path: str) -> PythonModule | None:
        text = self._read(path)
        if text is None:
            return None
        return PythonModule(text, self.layout.module_name(path), self, lambda written: self._absolute(written, path))

    def _read(self, path: str) -> PythonText | None:
        if path not in self.files:
            return None
        source = self._project.source(path)
        if path.endswith(".ipynb"):
            document = read_document(source, "notebook")
            return from_notebook(document) if isinstance(document, NotebookDocument) else None
        return from_source(source)

    def _absolute(self, written: str, path: str) -> str:
        if written.startswith("."):
            return self.layout.relative(written, path)
        return self.layout.absolute(written, path)

    def follow(self, dotted: str) -> str:
        """A canonical name through the re-exports and aliases of project files."""
        if self._depth >= _DEPTH:
            return dotted
        self._depth += 1
        try:
            return self._follow(dotted)
        finally:
            self._depth -= 1

    def _follow(self, dotted: str) -> str:
        found = self._bound(dotted)
        if found is None:
            return dotted
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

    def _bound(self, dotted: str) -> tuple[PythonModule, list[Binding], str] | None:
        """The module a project name lies in, the bindings of its first word there, and the rest of the name."""
        located = self.layout.locate(dotted)
        if located is None or not located[1]:
            return None
        module = self.module(located[0])
        if module is None:
            return None
        bindings = module.scope.bindings.get(located[1].partition(".")[0])
        if bindings is None:
            starred = self.starred([i.name for i in module.imports if i.star], located[1])
            return self._bound(starred) if starred is not None and starred != dotted else None
        return module, bindings, located[1]

    def starred(self, sources: Sequence[str], name: str) -> str | None:
        """What ``name`` means after ``from source import *`` of a project file, or None."""
        if self._depth >= _DEPTH:
            return None
        self._depth += 1
        try:
            for source in reversed(sources):
                if self._bound(f"{source}.{name}") is not None:
                    return self.follow(f"{source}.{name}")
            return None
        finally:
            self._depth -= 1

    def class_named(self, dotted: str) -> Class | None:
        """The project class with this canonical name."""
        located = self.layout.locate(dotted)
        module = self.module(located[0]) if located is not None and located[1] else None
        if module is None:
            return None
        return next((c for c in module.classes if c.name == dotted), None)

    def looks_like_class(self, dotted: str) -> bool:
        """True for a project class, or a foreign name spelt like one."""
        located = self.layout.locate(dotted)
        if located is not None and located[1]:
            found = self._bound(dotted)
            if found is not None:
                return any(b.kind == "class" for b in found[1]) or self.class_named(dotted) is not None
        return dotted.rpartition(".")[2][:1].isupper()

    def bases(self, cls: str) -> Iterator[str]:
        """A class and all its bases, the project's own followed, nearest first."""
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
            module = self.module(found.path) if found is not None else None
            if found is None or module is None or found.scope is None or base == cls:
                continue
            held = [b for b in found.scope.attributes.get(name, ()) if b.value is not None and b.value.type != "none"]
            classes = {module.instance_of(b.value, b.block.scope) for b in held if b.value is not None}
            if len(classes) == 1:
                return classes.pop()
        return None

    def constant(self, dotted: str) -> Located | None:
        """The expression that a canonical project name (module constant or class field) is assigned to, once."""
        located = self.layout.locate(dotted)
        module = self.module(located[0]) if located is not None and located[1] else None
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
        for base in reversed(tuple(self.bases(cls))):
            found = self.class_named(base)
            module = self.module(found.path) if found is not None else None
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

    def _default(self, module: PythonModule, default: Node | None) -> Located | None:
        """The default's own expression; ``field(default=x)`` is ``x``."""
        if default is None or default.type != "call":
            return module.located(default) if default is not None else None
        inner = next((a.value for a in module.arguments(default) if a.name == "default"), None)
        return module.located(inner if inner is not None else default)
