"""Proof for detectors, gathered from the project: pure data out, no verdict.

Each signal of a detector names one kind of proof; ``_KINDS`` holds one function per kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gto_rules.documents.model import DataDocument, to_python, walk
from gto_rules.documents.requirements import normalise
from gto_rules.facts.model import Facts
from gto_rules.location import Evidence
from gto_rules.project.model import Launch
from gto_rules.project.project import Project
from gto_rules.rulebook.model import Rulebook

# A configuration file larger than this is data (a vocabulary, a dataset), not configuration.
CONFIG_LIMIT = 512_000
PER_SIGNAL = 5


@dataclass(frozen=True, slots=True)
class Signal:
    """One piece of proof that was found for one framework; ``number`` is its place in the detector's list."""

    framework: str
    kind: str
    strength: str
    evidence: Evidence
    number: int = 0


@dataclass(frozen=True)
class Subject:
    """What signals are looked for in."""

    project: Project
    launch: Launch | None
    facts: Facts


Found = Iterator[Evidence]


def gather_signals(project: Project, rulebook: Rulebook, launch: Launch | None, facts: Facts) -> tuple[Signal, ...]:
    """Every signal of every detector that is found, at most a few places for each."""
    subject = Subject(project, launch, facts)
    found: list[Signal] = []
    reached = frozenset(facts.project.get("reachable") or ())
    for rule in rulebook.of("detector"):
        for number, spec in enumerate(rule.data["signals"]):
            kind = next(key for key in spec if key in _KINDS)
            # Places that the launched script reaches come first: they decide.
            places = sorted(_KINDS[kind](spec, subject), key=lambda e: e.path is not None and e.path not in reached)
            for evidence in places[:PER_SIGNAL]:
                found.append(Signal(rule.data["framework"], kind, spec["strength"], evidence, number))
    return tuple(found)


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]


def _dependency(spec: Mapping[str, Any], subject: Subject) -> Found:
    for name in _listed(spec["dependency"]):
        found = subject.facts.dependencies.get(normalise(name))
        if found is not None:
            yield Evidence(found.path, found.line, f"{found.name}{found.specifier}")


def _import(spec: Mapping[str, Any], subject: Subject) -> Found:
    wanted = _listed(spec["import"])
    for name, places in subject.facts.imports.items():
        if any(name == one or name.startswith(one + ".") for one in wanted):
            yield from (Evidence(e.path, e.line, e.text or f"import {name}") for e in places)


def _pattern(spec: Mapping[str, Any], subject: Subject) -> Found:
    for name in _listed(spec["pattern"]):
        for hit in subject.facts.patterns.get(name, ()):
            yield Evidence(hit.path, hit.line, hit.text.split("\n", 1)[0][:120])


def _launch(spec: Mapping[str, Any], subject: Subject) -> Found:
    """Program words, flags (``at_least`` of them), script path, or environment of the launch command."""
    launch, wanted = subject.launch, spec["launch"]
    if launch is None:
        return
    for key, matched in _LAUNCH_TESTS.items():
        if key in wanted:
            text = matched(launch, wanted)
            if text is None:
                return
            yield Evidence(None, None, text)
            return


def _by_program(launch: Launch, wanted: Mapping[str, Any]) -> str | None:
    words = " ".join(launch.program) or launch.launcher
    named = (launch.launcher, words, launch.entry_module or "")
    hit = next((p for p in _listed(wanted["program"]) if any(n == p or n.startswith(p + " ") for n in named)), None)
    return None if hit is None else f"the command runs {hit}"


def _by_arguments(launch: Launch, wanted: Mapping[str, Any]) -> str | None:
    flags = {w.text.split("=", 1)[0].lstrip("-").replace("-", "_") for w in launch.arguments if w.text.startswith("-")}
    flags |= set(launch.overrides)
    hits = [a for a in _listed(wanted["arguments"]) if a.lstrip("-").replace("-", "_") in flags]
    return f"the command sets {', '.join(hits)}" if len(hits) >= wanted.get("at_least", 1) else None


def _by_entry(launch: Launch, wanted: Mapping[str, Any]) -> str | None:
    entry = launch.entry or launch.entry_module or ""
    hit = any(re.search(pattern, entry) for pattern in _listed(wanted["entry"]))
    return f"the command starts {entry}" if hit else None


def _by_hint(launch: Launch, wanted: Mapping[str, Any]) -> str | None:
    names = (launch.framework, *launch.inference)
    return f"the command names {wanted['names']}" if wanted["names"] in names else None


_LAUNCH_TESTS: dict[str, Callable[[Launch, Mapping[str, Any]], str | None]] = {
    "names": _by_hint,
    "program": _by_program,
    "arguments": _by_arguments,
    "entry": _by_entry,
}


def _config_keys(spec: Mapping[str, Any], subject: Subject) -> Found:
    """A YAML or JSON file that holds all the keys (at any depth), with one of the listed values if given."""
    keys = spec["config_keys"]
    wanted = keys if isinstance(keys, Mapping) else dict.fromkeys(_listed(keys))
    anchors = [key.encode() for key in wanted]
    for path in subject.project.files_of("yaml", "json"):
        if not 0 < subject.project.size(path) <= CONFIG_LIMIT:
            continue
        raw = subject.project.raw(path)
        if not all(anchor in raw for anchor in anchors):
            continue
        document = subject.project.read(path)
        places = _key_places(document, wanted) if isinstance(document, DataDocument) else None
        if places is not None:
            yield Evidence(path, places, ", ".join(wanted))


def _key_places(document: DataDocument, wanted: Mapping[str, Any]) -> int | None:
    """The line of the first wanted key if one document of the file has them all."""
    for root in document.roots:
        lines: dict[str, int] = {}
        for path, entry in walk(root):
            values = wanted.get(path[-1], ())
            if path[-1] in wanted and (values is None or to_python(entry.value) in _listed(values)):
                lines.setdefault(path[-1], document.source.position(entry.span.start)[0])
        if len(lines) == len(wanted):
            return min(lines.values())
    return None


def _path(spec: Mapping[str, Any], subject: Subject) -> Found:
    for pattern in _listed(spec["path"]):
        for path in subject.project.glob(pattern):
            yield Evidence(path, None, "is there")


def _git_remote(spec: Mapping[str, Any], subject: Subject) -> Found:
    for name, url, line in subject.project.git_remotes():
        if re.search(spec["git_remote"], url, re.I):
            yield Evidence(".git/config", line, f"remote {name}: {url.rpartition('@')[2]}")


def _script(spec: Mapping[str, Any], subject: Subject) -> Found:
    """A regular expression over shell scripts (or the files of ``in``), comment lines left out."""
    pattern = re.compile(spec["script"].encode(), re.M)
    paths = (
        subject.project.glob(spec["in"])
        if "in" in spec
        else subject.project.files_of("shell", "makefile", "dockerfile")
    )
    for path in paths:
        raw = subject.project.raw(path) if subject.project.size(path) <= CONFIG_LIMIT else b""
        for found in pattern.finditer(raw):
            start = raw.rfind(b"\n", 0, found.start()) + 1
            if not raw[start : found.start() + 1].lstrip().startswith(b"#"):
                line = raw.count(b"\n", 0, found.start()) + 1
                yield Evidence(path, line, found[0].decode("utf-8", "replace").strip()[:120])
                break


def _json_file(spec: Mapping[str, Any], subject: Subject) -> Found:
    for path in subject.project.glob(spec["json_file"]):
        document = subject.project.read(path, "json")
        if isinstance(document, DataDocument):
            entries = [document.find(key) for key in _listed(spec["keys"])]
            if all(entry is not None for entry in entries) and entries[0] is not None:
                yield Evidence(path, document.source.position(entries[0].span.start)[0], ", ".join(spec["keys"]))


_KINDS: dict[str, Callable[[Mapping[str, Any], Subject], Found]] = {
    "dependency": _dependency,
    "import": _import,
    "pattern": _pattern,
    "launch": _launch,
    "config_keys": _config_keys,
    "path": _path,
    "git_remote": _git_remote,
    "script": _script,
    "json_file": _json_file,
}
