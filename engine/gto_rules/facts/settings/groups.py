"""Settings that are written together: the keywords of one call, the keys of one file, the flags of one command.

Unlike ``resolve``, which answers what one run uses, this looks at one file at a time and needs no launch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from gto_rules.documents.model import DataDocument, Entry, Scalar, to_python
from gto_rules.documents.model import Mapping as DataMapping
from gto_rules.facts.model import Origin, OriginKind, SettingValue, ValueKind
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.python.match import matches_any
from gto_rules.facts.python.module import PythonModule
from gto_rules.facts.settings.surface import CommandPlace, FilePlace, Surface
from gto_rules.facts.settings.table import Spec
from gto_rules.facts.settings.typed import from_text, from_value
from gto_rules.facts.settings.words import Flag, is_flag, normal, read_flags, values_for
from gto_rules.location import Span
from gto_rules.project.model import Launch, Word

GroupKind = Literal["call", "file", "command"]


@dataclass(frozen=True)
class Written:
    """One setting as it is written.

    Attributes:
        name: As it is spelt there, dotted inside mappings; a flag without dashes.
        value: The value, when it is known.
        known: False when only a run could tell.
        text: The value's source text.
        key: Span of the name.
        span: Span of the value.
        whole: Span of name and value.
        line: Line of the value.
        reason: Why it is not known.
    """

    name: str
    value: Any
    known: bool
    text: str
    key: Span
    span: Span
    whole: Span
    line: int
    reason: str = ""


@dataclass(frozen=True)
class Group:
    """Settings that are written in one place.

    Attributes:
        kind: What sort of place.
        surface: The names that the place accepts.
        written: By name as spelt, in order; a mapping appears as itself and as each of its keys.
        open: Something else may add values (a ``**splat``, a command that follows a file).
        extra: Names that the place accepts besides the surface's (fields of a subclass).
        label: What the place is called, for people.
        span: The whole place.
    """

    kind: GroupKind
    surface: Surface
    written: Mapping[str, Written]
    open: bool
    extra: frozenset[str] = field(default_factory=frozenset)
    label: str = ""
    span: Span | None = None


def settings_of(group: Group, path: str) -> dict[str, SettingValue]:
    """The group's settings under their present names, defaults included where nothing else can set them."""
    found: dict[str, SettingValue] = {}
    origin_kind: OriginKind = {"call": "keyword", "file": "config", "command": "cli"}[group.kind]  # type: ignore[assignment]
    for written in group.written.values():
        spec = group.surface.spelt.get(written.name)
        name = spec.name if spec is not None else written.name
        kind: ValueKind = "literal" if written.known else "computed"
        origin = Origin(
            origin_kind,
            path,
            written.line,
            written.span,
            written.value if written.known else None,
            written.text,
            not written.known,
            written.reason or None,
            written.name,
            written.whole,
        )
        found[name] = SettingValue(name, origin.value, kind, origin)
    for name, spec in group.surface.specs.items():
        if name not in found:
            found[name] = _unwritten(group, name, spec)
    return found


def _unwritten(group: Group, name: str, spec: Spec) -> SettingValue:
    if group.open:
        reason = f"{name} may be set elsewhere"
        return SettingValue(
            name, None, "computed", Origin("default", None, None, computed=True, reason=reason, key=name)
        )
    values = {repr(a.value) for a in spec.defaults}
    if len(values) > 1:  # the versions disagree
        reason = f"the default of {name} depends on the version"
        return SettingValue(
            name, None, "computed", Origin("default", None, None, computed=True, reason=reason, key=name)
        )
    value = spec.defaults[0].value if spec.defaults else None
    return SettingValue(name, value, "default" if value is not None else "unset")


def call_groups(module: PythonModule, index: PythonIndex, surfaces: Sequence[Surface]) -> Iterator[Group]:
    """The calls of a module that take a surface's names as keywords."""
    for call in module.calls:
        if not call.last or not any(a.kind in ("keyword", "dict_splat") for a in call.arguments):
            continue
        for surface in surfaces:
            extra = _accepts(call.name, surface, index) if surface.calls else None
            if extra is not None:
                yield _call_group(module, call, surface, extra)


def _accepts(name: str | None, surface: Surface, index: PythonIndex) -> frozenset[str] | None:
    """Names beyond the surface's that a call of ``name`` takes; None if it is no call of the surface."""
    if name is None:
        return None
    if matches_any(name, surface.calls):
        return frozenset()
    if index.layout.locate(name) is None:
        return None
    bases = index.bases(name)
    if len(bases) < 2 or not any(matches_any(base, surface.calls) for base in bases[1:]):
        return None
    fields: set[str] = set()
    for base in bases:
        found = index.class_named(base)
        if found is not None:
            fields |= {f.name for f in found.fields}
            if found.scope is not None and "__init__" in found.scope.bindings:
                return None  # it decides itself which arguments it takes
    foreign = [b for b in bases[1:] if index.class_named(b) is None and not matches_any(b, surface.calls)]
    return frozenset(fields | ({"*"} if foreign else set()))


def _call_group(module: PythonModule, call: Any, surface: Surface, extra: frozenset[str]) -> Group:
    written: dict[str, Written] = {}
    opened = False
    for argument in call.arguments:
        if argument.kind == "keyword" and argument.name:
            _keyword(module, argument, call.scope, written)
        elif argument.kind == "positional" and (argument.index or 0) < len(surface.positional):
            _keyword(module, replace(argument, name=surface.positional[argument.index or 0]), call.scope, written)
        else:
            opened = True
    return Group("call", surface, written, opened, extra, f"{call.last}(...)", call.span)


def _keyword(module: PythonModule, argument: Any, scope: Any, written: dict[str, Written]) -> None:
    value = module.value(argument.value, scope)
    node = argument.value
    span = module.span(node)
    keyword = node.parent.child_by_field_name("name") if node.parent is not None else None
    key = module.span(keyword) if keyword is not None else argument.span
    line = module.source.line(span.start)
    text = node.text.decode("utf-8", "replace") if node.text else ""
    written[argument.name] = Written(
        argument.name, value.value, value.known, text, key, span, argument.span, line, value.reason or ""
    )
    for item in module.mapping(node, scope) or () if node.type == "dictionary" else ():
        inner = module.value(item.value.node, item.value.scope)
        place = module.span(item.value.node)
        name = f"{argument.name}.{item.key}"
        inner_text = item.value.node.text.decode("utf-8", "replace") if item.value.node.text else ""
        written[name] = Written(
            name, inner.value, inner.known, inner_text, item.span, place, item.span, module.source.line(place.start)
        )


def file_groups(document: DataDocument, kind: str, surfaces: Sequence[Surface]) -> Iterator[Group]:
    """The mappings of a configuration file that hold a surface's names; none of a file that is not read in full."""
    if document.problems:
        return
    for root in document.roots:
        if not isinstance(root, DataMapping):
            continue
        keys = frozenset(entry.key for entry in root.entries)
        for surface in surfaces:
            for place in surface.files:
                if place.fits(kind, keys):
                    yield from _file_group(document, root, surface, place)
                    break


def _file_group(document: DataDocument, root: DataMapping, surface: Surface, place: FilePlace) -> Iterator[Group]:
    node: Any = root
    for key in place.under.split(".") if place.under else ():
        entry = node.get(key) if isinstance(node, DataMapping) else None
        if entry is None:
            return
        node = entry.value
    if isinstance(node, DataMapping):
        written: dict[str, Written] = {}
        _entries(document, node, "", surface, written)
        yield Group("file", surface, written, False, label=document.path, span=node.span)


def _entries(
    document: DataDocument, node: DataMapping, prefix: str, surface: Surface, written: dict[str, Written]
) -> None:
    for entry in node.entries:
        name = f"{prefix}{entry.key}"
        written[name] = _entry(document, name, entry, surface)
        if isinstance(entry.value, DataMapping):
            _entries(document, entry.value, f"{name}.", surface, written)


def _entry(document: DataDocument, name: str, entry: Entry, surface: Surface) -> Written:
    spec = surface.spelt.get(name)
    value = to_python(entry.value)
    plain = isinstance(entry.value, Scalar) and entry.value.style == "plain"
    if plain and spec is not None:
        value = from_value(value, spec.type)
    span = entry.value.span
    text = document.source.slice(span)
    known = not (isinstance(value, str) and any(mark in value for mark in ("${", "$(", "{{")))
    line = document.source.line(span.start)
    return Written(name, value, known, text, entry.key_span, span, entry.span, line, "" if known else f"holds {text}")


def command_groups(launches: Sequence[Launch], path: str, surfaces: Sequence[Surface]) -> Iterator[Group]:
    """The flags of the commands of a script that a surface knows."""
    for launch in launches:
        for surface in surfaces:
            for place in surface.commands:
                words = _words_of(launch, place)
                group = None
                if place.environment:
                    group = _environment_group(launch, path, surface)
                elif words is not None:
                    group = _command_group(words, path, surface, launch)
                if group is not None:
                    yield group
                    break


def _words_of(launch: Launch, place: CommandPlace) -> Sequence[Word] | None:
    program = " ".join(launch.program) or launch.launcher
    if launch.launcher in place.launchers:
        return launch.launcher_arguments
    if launch.entry_module is not None and launch.entry_module in place.modules:
        return launch.arguments
    if any(program == p or program.startswith(p + " ") for p in place.programs):
        return launch.arguments
    return None


def _command_group(words: Sequence[Word], path: str, surface: Surface, launch: Launch) -> Group | None:
    flags, before = read_flags(words)
    written: dict[str, Written] = {}
    # A word whose expansion is unknown may hold flags; a configuration file sets the rest.
    opened = bool(before) or any(not w.known and not is_flag(w.text) for w in before) or bool(launch.configs)
    for flag in flags:
        one = _flag(flag, path, surface)
        if one is not None:
            written[one.name] = one
    opened = opened or any(not w.known and w.text.startswith(("$", '"$')) for f in flags for w in f.values[1:])
    label = " ".join(launch.program) or launch.entry_module or launch.launcher
    return Group("command", surface, written, opened, label=label) if written else None


def _environment_group(launch: Launch, path: str, surface: Surface) -> Group | None:
    written: dict[str, Written] = {}
    for name, word in launch.env.items():
        place = word.place if word.place.path == path else word.value_place
        spec = surface.spelt.get(name)
        if spec is None or place.path != path or place.span is None:
            continue
        span = Span(place.span.start, place.span.end)
        value = from_text(word.text, spec.type) if word.known else None
        written[name] = Written(name, value, word.known, word.text, span, span, span, place.line or 1)
    return Group("command", surface, written, True, label=launch.launcher) if written else None


def _flag(flag: Flag, path: str, surface: Surface) -> Written | None:
    place = flag.word.place
    if place.path != path or place.span is None:
        return None
    name = flag.name
    value: Any = None
    spec = surface.spelt.get(name)
    words = values_for(flag, spec.type if spec else "any")
    known = flag.word.known and all(w.known for w in words)
    if not words:
        value = True
    elif known:
        texts = [from_text(w.text, spec.type if spec else "any") for w in words]
        value = texts if len(texts) > 1 else texts[0]
    key = Span(place.span.start, place.span.end)
    last = words[-1].place if words and words[-1].place.path == path and words[-1].place.span is not None else place
    first = words[0].place if words and words[0].place.path == path and words[0].place.span is not None else place
    span = Span(first.span.start, last.span.end) if first.span and last.span else key
    return Written(
        normal(flag.written),
        value,
        known,
        " ".join(w.text for w in words),
        key,
        span,
        Span(key.start, max(key.end, span.end)),
        place.line or 1,
    )
