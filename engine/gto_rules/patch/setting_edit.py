"""A setting gets a value: at the place that decides it today, or where its table would write it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gto_rules.errors import LaunchError, PatchError
from gto_rules.evaluate.conditions import same
from gto_rules.facts.model import Origin, SettingValue
from gto_rules.facts.python import Call, PythonModule, matches_any
from gto_rules.facts.settings.table import Source, Spec, Table, from_mapping
from gto_rules.facts.settings.versions import known_version
from gto_rules.patch import python_edit
from gto_rules.patch.config_edit import set_key
from gto_rules.patch.model import Edit
from gto_rules.patch.subject import Subject
from gto_rules.project.launch_edit import LaunchChange, set_env, set_flag, set_override

# What an edit of one setting gives: edits of files, and the launch command if it changed.
Written = tuple[tuple[Edit, ...], str | None]


def write_setting(subject: Subject, name: str, value: Any) -> Written:
    """Edits that make a setting read ``value``; none if it already does.

    Raises:
        PatchError: the value is decided at run time, or there is no place where it can be written.
    """
    setting = subject.facts.settings.get(name)
    if setting is not None and setting.kind == "literal" and same(setting.value, value):
        return (), None
    if setting is not None and setting.kind == "computed":
        place = (
            f"{setting.origin.path}:{setting.origin.line}" if setting.origin and setting.origin.path else "the command"
        )
        reason = setting.origin.reason if setting.origin else None
        raise PatchError(f"{name} is decided at run time at {place} ({reason})")
    if setting is not None and setting.kind == "literal" and setting.origin is not None:
        return _replace(subject, setting, setting.origin, value)
    return _write_new(subject, name, value)


def _replace(subject: Subject, setting: SettingValue, origin: Origin, value: Any) -> Written:
    """Change the place that decides the setting today."""
    if origin.kind in ("cli", "override", "env"):
        return _command(subject, origin, value)
    if origin.path is None or origin.span is None:
        raise PatchError(f"{setting.name} is set by {origin.kind}, which has no place in a file that could be edited")
    shared = [
        other.name
        for other in subject.facts.settings.values()
        if other.origin is not None and other.name != setting.name and _same_place(other.origin, origin)
    ]
    shared = [name for name in shared if not _alias(subject, name, setting.name)]
    if shared:
        raise PatchError(f"{origin.path}:{origin.line} sets {setting.name} together with {', '.join(shared[:3])}")
    text = subject.text(origin.path)
    if origin.kind in ("config", "nested"):
        document = subject.data(origin.path)
        changes = set_key(document, origin.key.split("."), value)
        return tuple(Edit(origin.path, span, new) for span, new in changes), None
    written = python_edit.literal(value)
    if text.raw[origin.span.start : origin.span.end].decode() == written:
        return (), None
    return (Edit(origin.path, origin.span, written),), None


def _same_place(one: Origin, other: Origin) -> bool:
    return one.path == other.path and one.span is not None and one.span == other.span


def _alias(subject: Subject, one: str, other: str) -> bool:
    """Whether two names are spellings of one setting, or the program's own name for it."""
    tables = _tables(subject)
    for table in tables:
        spec = table.settings.get(other) or table.settings.get(one)
        if spec is not None and {one, other} <= set(spec.spellings()):
            return True
    return not any(one in table.settings for table in tables)


def _command(subject: Subject, origin: Origin, value: Any) -> Written:
    launch, command = subject.launch, subject.command
    if launch is None or command is None:
        raise PatchError("the launch command is not known")

    def read(path: str) -> bytes:
        return subject.project.source(path).text

    try:
        if origin.kind == "cli":
            return _changed(set_flag(command, launch, origin.key, _word(value), read=read), command)
        if origin.kind == "override":
            return _changed(set_override(command, launch, origin.key, _word(value) or "", read=read), command)
        return _changed(set_env(command, launch, origin.key, _word(value) or "", read=read), command)
    except LaunchError as error:
        raise PatchError(str(error)) from error


def _changed(change: LaunchChange, command: str) -> Written:
    edits = tuple(Edit(e.path, e.span, e.text) for e in change.edits if e.path is not None)
    return edits, change.command if change.command != command else None


def _word(value: Any) -> str | None:
    """A value as one word of a command."""
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, dict | list):
        return json.dumps(value)
    return "" if value is None else str(value)


def _tables(subject: Subject) -> list[Table]:
    rules = subject.rulebook.of("settings", subject.packs)
    return sorted((from_mapping(r.id, r.pack, r.data, r.path) for r in rules), key=lambda t: -t.priority)


def _write_new(subject: Subject, name: str, value: Any) -> Written:
    """Write a setting that nothing sets yet, at the first place of its tables that this project has."""
    problems = []
    for table in _tables(subject):
        spec = table.settings.get(name)
        if spec is None:
            continue
        try:
            spelling = _spelling(subject, table, spec)
        except PatchError as error:
            problems.append(str(error))
            continue
        for kind in (spec.write,) if spec.write else table.write:
            writer = _WRITERS.get(str(kind))
            sources = _own(s for s in spec.sources if s.kind == kind)
            if writer is None or not sources:
                continue
            try:
                written = writer(subject, sources, spelling, value)
            except PatchError as error:
                problems.append(str(error))
                continue
            if written is not None:
                return written
    reason = f": {problems[0]}" if problems else ""
    raise PatchError(f"there is no place in this project where {name} could be written{reason}")


def _own(sources: Iterable[Source]) -> list[Source]:
    """Sources that carry the setting's own name, where there are any: others are older ways to say it."""
    every = list(sources)
    return [s for s in every if "{name}" in s.name] or every


def _spelling(subject: Subject, table: Table, spec: Spec) -> str:
    dependency = subject.facts.dependencies.get(table.version_of) if table.version_of else None
    known = known_version(
        dependency.version if dependency else None, dependency.specifier if dependency else "", table.verified
    )
    if not spec.exists_in(known.assumed):
        raise PatchError(f"{table.version_of} {known.assumed} has no setting {spec.name}")
    return spec.spelling_for(known.assumed)


def _by_keyword(subject: Subject, sources: list[Source], name: str, value: Any) -> Written | None:
    """Insert a keyword into the one call of the configuration class."""
    calls = _calls(subject, sources)
    if not calls:
        return None
    if len(calls) > 1:
        places = ", ".join(f"{module.source.path}:{call.line}" for module, call in calls[:3])
        raise PatchError(f"several calls could take {name} ({places})")
    module, call = calls[0]
    if call.has_dict_splat:
        raise PatchError(f"{module.source.path}:{call.line} takes **keywords that may already hold {name}")
    spelt = sources[0].spelt(name)
    text = subject.text(module.source.path)
    changes = python_edit.insert_keyword(text, call.node, spelt, python_edit.literal(value))
    return tuple(Edit(module.source.path, span, new) for span, new in changes), None


def _calls(subject: Subject, sources: list[Source]) -> list[tuple[PythonModule, Call]]:
    """Calls of the sources' classes (subclasses too) in the files that the launch reaches."""
    reachable = subject.facts.project.get("reachable")
    found = []
    for module in subject.index.modules(reachable):
        if module.source.path.endswith(".ipynb"):
            continue
        for call in module.calls:
            name = call.name
            if name is None or any(matches_any(name, _excluded(s)) for s in sources):
                continue
            if any(matches_any(name, s.of) or subject.index.is_subclass_of(name, s.of) for s in sources):
                found.append((module, call))
    return found


def _excluded(source: Source) -> tuple[str, ...]:
    return tuple(source.options.get("not", ()))


def _by_config(subject: Subject, sources: list[Source], name: str, value: Any) -> Written | None:
    """Add a key to the one configuration file that the launched program reads."""
    if subject.launch is None:
        return None
    files = [path for path in _program_configs(subject, sources) if subject.project.exists(path)]
    if len(files) != 1:
        return None
    changes = set_key(subject.data(files[0]), sources[0].spelt(name).split("."), value)
    return tuple(Edit(files[0], span, new) for span, new in changes), None


def _program_configs(subject: Subject, sources: list[Source]) -> list[str]:
    """Configuration files among the words of the launched program, relative to the project."""
    launch = subject.launch
    if launch is None:
        return []
    flags = {flag for s in sources for flag in s.options.get("flags", ())}
    words = [w.text for w in launch.arguments]
    named = [words[i + 1] for i, word in enumerate(words[:-1]) if word in flags]
    named += [w.partition("=")[2] for w in words if w.partition("=")[0] in flags and "=" in w]
    positional = [w for w in words[:1] if w in launch.configs]
    prefix = "" if launch.cwd == "." else launch.cwd + "/"
    return list(dict.fromkeys(prefix + path for path in (*named, *positional)))


def _by_flag(subject: Subject, sources: list[Source], name: str, value: Any) -> Written | None:
    """Add a flag to the launch command, where the program is known to read its command line."""
    if subject.launch is None or subject.command is None:
        return None
    if not _reads_command_line(subject, sources):
        return None
    origin = Origin("cli", None, None, key=sources[0].spelt(name))
    return _command(subject, origin, value)


def _reads_command_line(subject: Subject, sources: list[Source]) -> bool:
    """A program that parses the settings from its command line: by its own parser, or as a known command."""
    launch = subject.launch
    if launch is None:
        return False
    if launch.framework is not None or launch.entry is None:
        return True
    parsers = {p.call for table in _tables(subject) for p in table.parsers}
    reachable = subject.facts.project.get("reachable")
    return any(
        call.name is not None and matches_any(call.name, parsers)
        for module in subject.index.modules(reachable)
        for call in module.calls
    )


def _by_env(subject: Subject, sources: list[Source], name: str, value: Any) -> Written | None:
    if subject.launch is None or subject.command is None:
        return None
    return _command(subject, Origin("env", None, None, key=sources[0].spelt(name)), value)


def _by_launcher(subject: Subject, sources: list[Source], name: str, value: Any) -> Written | None:
    launch, command = subject.launch, subject.command
    if launch is None or command is None:
        return None
    for source in sources:
        if launch.launcher in source.options.get("launchers", (launch.launcher,)):
            try:
                change = set_flag(command, launch, source.spelt(name), _word(value), launcher=True)
            except LaunchError as error:
                raise PatchError(str(error)) from error
            return _changed(change, command)
    return None


_Writer = Callable[[Subject, list[Source], str, Any], "Written | None"]
_WRITERS: Mapping[str, _Writer] = {
    "keyword": _by_keyword,
    "config": _by_config,
    "cli": _by_flag,
    "env": _by_env,
    "launcher": _by_launcher,
}
