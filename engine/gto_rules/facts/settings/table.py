"""The settings-table language: what a ``kind: settings`` file says, as values.

A table lists settings and, for all of them, *sources*: the kinds of places that can set one, strongest
first. A source is written ``{<kind>: <template>, <option>: ...}``; ``{name}`` in a template stands for the
setting's name and ``{NAME}`` for its upper-case form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gto_rules.facts.settings.versions import Known, allowed

SOURCE_KINDS = (
    "cli",
    "launcher",
    "override",
    "config",
    "keyword",
    "attribute",
    "field",
    "argument",
    "env",
    "nested",
    "setting",
    "launch",
)


@dataclass(frozen=True, slots=True)
class Source:
    """One kind of place that can set a setting.

    Attributes:
        kind: One of ``SOURCE_KINDS``.
        name: How the setting is spelt there; ``{name}`` and ``{NAME}`` are filled in by ``spelt``.
        of: Canonical names of callables or classes (``keyword``, ``attribute``, ``field``).
        options: Everything else that the source says.
    """

    kind: str
    name: str
    of: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def spelt(self, setting: str) -> str:
        return self.name.replace("{name}", setting).replace("{NAME}", setting.upper())


@dataclass(frozen=True, slots=True)
class Alternative:
    """A default that holds for some versions. ``version`` is a specifier; empty means all others."""

    value: Any
    version: str = ""


@dataclass(frozen=True, slots=True)
class Implication:
    """Setting this to one of ``equals`` (empty: to anything) also sets ``sets``.

    ``force`` beats a value that is written; ``unless`` lists values of other settings that stop it.
    """

    equals: tuple[Any, ...]
    sets: Mapping[str, Any]
    force: bool = False
    unless: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Spec:
    """One setting of a table."""

    name: str
    type: str = "any"
    defaults: tuple[Alternative, ...] = ()
    choices: tuple[Any, ...] = ()
    sources: tuple[Source, ...] = ()
    was: Mapping[str, str] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    since: str | None = None
    removed: str | None = None
    implies: tuple[Implication, ...] = ()
    write: str | None = None
    replaced_by: str | None = None

    def spellings(self) -> Iterator[str]:
        """The setting's own name first, then old names and aliases."""
        yield self.name
        yield from self.was
        yield from self.aliases

    def spelling_for(self, version: str | None) -> str:
        """The name that ``version`` understands: an old one when the version is old enough."""
        if version is not None:
            for old, specifier in self.was.items():
                if allowed(version, specifier):
                    return old
        return self.name

    def exists_in(self, version: str | None) -> bool:
        """Whether ``version`` has this setting (an unknown version has it)."""
        if version is None:
            return True
        if self.since is not None and allowed(version, f"<{self.since}"):
            return any(allowed(version, s) for s in self.was.values())
        return self.removed is None or allowed(version, f"<{self.removed}")

    def _default_in(self, version: str | None) -> Alternative | None:
        if not self.exists_in(version):
            return None
        for alternative in self.defaults:
            if not alternative.version or version is None or allowed(version, alternative.version):
                return alternative
        return None

    def default_for(self, known: Known) -> tuple[Alternative | None, str | None]:
        """The default for a version, and a sentence when the possible versions disagree."""
        chosen = self._default_in(known.assumed)
        if known.pinned or len(known.possible) < 2:
            return chosen, None
        found = {version: self._default_in(version) for version in known.possible}
        odd = [
            v for v, a in found.items() if (a is None) != (chosen is None) or (a and chosen and a.value != chosen.value)
        ]
        if not odd:
            return chosen, None
        other = found[odd[-1]]
        said = "there is no such setting" if other is None else f"the default is {other.value!r}"
        return chosen, f"version not pinned: read for {known.assumed}; up to {odd[-1]} {said}"


@dataclass(frozen=True, slots=True)
class Parser:
    """How a library turns code into a command line; see ``arguments``.

    ``config`` says that fields may also come from the configuration files that the launch names.
    """

    call: str
    kind: str
    config: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A ``kind: settings`` file.

    Attributes:
        id: Rule id.
        pack: Pack that holds it.
        settings: Every setting by name.
        version_of: Distribution whose version decides defaults and names.
        verified: Versions that the table was read off, any order.
        classes: Canonical names of the classes or callables that take these settings as keywords.
        applies: When the table is used at all: lists under ``names`` (imported or used), ``launchers``,
            ``programs`` (first words, joined by a space) or ``modules`` (entry modules); empty = always.
        write: Where a value goes when nothing sets it yet, strongest wish first.
        parsers: Argument parsers that the program may use.
        priority: Tables with a higher one come first: those of a subclass before its base's.
    """

    id: str
    pack: str
    settings: Mapping[str, Spec]
    version_of: str | None = None
    verified: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    applies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    write: tuple[str, ...] = ()
    parsers: tuple[Parser, ...] = ()
    priority: int = 0
    path: str = ""


def from_mapping(table_id: str, pack: str, data: Mapping[str, Any], path: str = "") -> Table:
    """Reads a table out of a validated rule file's mapping."""
    classes = _texts(data.get("classes"))
    shared = tuple(_source(s, classes) for s in data.get("sources", ()))
    return Table(
        id=table_id,
        pack=pack,
        settings={name: _spec(name, row or {}, shared, classes) for name, row in (data.get("settings") or {}).items()},
        version_of=data.get("version_of"),
        verified=_texts(data.get("verified")),
        classes=classes,
        applies={k: _texts(v) for k, v in (data.get("applies") or {}).items()},
        write=_texts(data.get("write")),
        parsers=tuple(Parser(p["call"], p["kind"], p.get("config", False)) for p in data.get("parsers", ())),
        priority=int(data.get("priority", 0)),
        path=path,
    )


def _texts(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return (str(value),) if isinstance(value, str | int | float) else tuple(str(v) for v in value)


def _source(row: Mapping[str, Any], classes: tuple[str, ...]) -> Source:
    kind = next(k for k in row if k in SOURCE_KINDS)
    options = {k: v for k, v in row.items() if k not in (kind, "of")}
    return Source(kind, str(row[kind]), _texts(row.get("of")) or classes, options)


def _spec(name: str, row: Mapping[str, Any], shared: tuple[Source, ...], classes: tuple[str, ...]) -> Spec:
    sources = tuple(_source(s, classes) for s in row["sources"]) if "sources" in row else shared
    also = tuple(_source(s, classes) for s in row.get("also", ()))
    return Spec(
        name=name,
        type=row.get("type", "any"),
        defaults=_defaults(row),
        choices=tuple(row.get("choices") or ()),
        sources=also + sources,
        was=dict(row.get("was") or {}),
        aliases=_texts(row.get("aliases")),
        since=_optional(row.get("since")),
        removed=_optional(row.get("removed")),
        implies=tuple(_implication(i) for i in row.get("implies", ())),
        write=row.get("write"),
        replaced_by=row.get("replaced_by"),
    )


def _optional(value: Any) -> str | None:
    return None if value is None else str(value)


def _defaults(row: Mapping[str, Any]) -> tuple[Alternative, ...]:
    if "default" not in row:
        return ()
    value = row["default"]
    if isinstance(value, list) and value and all(isinstance(v, Mapping) and "value" in v for v in value):
        return tuple(Alternative(v["value"], v.get("version", "")) for v in value)
    return (Alternative(value),)


def _implication(row: Mapping[str, Any]) -> Implication:
    equals = [] if row.get("any") else row.get("equals", True)
    return Implication(
        equals=tuple(equals) if isinstance(equals, list) else (equals,),
        sets=dict(row["set"]),
        force=row.get("force", False),
        unless={name: tuple(values) for name, values in (row.get("unless") or {}).items()},
    )
