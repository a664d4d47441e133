"""Which versions a project declares, read from the folders around a file only."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b

from gto_rules.documents import DEPENDENCY_KINDS, classify, parse
from gto_rules.documents.model import RequirementsDocument
from gto_rules.evaluate.conditions import Context, judge
from gto_rules.facts.dependencies import pinned_version
from gto_rules.facts.model import Dependency, Facts
from gto_rules.facts.python.disk import DiskFiles
from gto_rules.facts.settings.versions import Known, known_version
from gto_rules.rulebook.model import Rule

# Every file that can declare a dependency ends so; most names are passed over without a closer look.
_ENDINGS = (".txt", ".in", ".toml", ".py", ".cfg", ".yml", ".yaml", ".lock")


class Declared:
    """Dependencies as a file of the project sees them: its own folder's first, then those above it."""

    def __init__(self, files: DiskFiles) -> None:
        self._files = files
        self._folders: dict[str, Mapping[str, Dependency]] = {}
        self._stamps: dict[str, str] = {}
        self._answers: dict[tuple[str, str], bool | None] = {}

    def around(self, path: str) -> Mapping[str, Dependency]:
        """Dependencies by normalised name for a file; the nearest declaration wins."""
        return self._around(posixpath.dirname(path))

    def _around(self, folder: str) -> Mapping[str, Dependency]:
        if folder not in self._folders:
            above = self._around(posixpath.dirname(folder)) if folder else {}
            self._folders[folder] = {**above, **dict(self._own(folder))}
        return self._folders[folder]

    def _own(self, folder: str) -> Iterator[tuple[str, Dependency]]:
        found: dict[str, list[Dependency]] = {}
        for path, kind in self._declaring(folder):
            document = parse(self._files.source(path), kind)
            for one in document.requirements if isinstance(document, RequirementsDocument) else ():
                line = document.source.line(one.span.start)
                found.setdefault(one.name, []).append(
                    Dependency(one.name, one.specifier, pinned_version(one), path, line)
                )
        for name, entries in found.items():
            yield name, min(entries, key=lambda d: (d.version is None, d.path))

    def stamp(self, path: str) -> str:
        """A digest of the files that declare dependencies for a file; "" if there are none."""
        return self._stamp(posixpath.dirname(path))

    def _stamp(self, folder: str) -> str:
        if folder not in self._stamps:
            above = self._stamp(posixpath.dirname(folder)) if folder else ""
            own = list(self._declaring(folder))
            if own:
                digest = blake2b(above.encode(), digest_size=12)
                for one, _ in own:
                    digest.update(one.encode() + b"\0" + self._files.raw(one))
                above = digest.hexdigest()
            self._stamps[folder] = above
        return self._stamps[folder]

    def _declaring(self, folder: str) -> Iterator[tuple[str, str]]:
        """Files of a folder that declare dependencies, with their kinds."""
        for name in sorted(self._files.names(folder)):
            if not name.endswith(_ENDINGS):
                continue
            path = f"{folder}/{name}" if folder else name
            kind = classify(path)
            if kind in DEPENDENCY_KINDS:
                yield path, str(kind)

    def holds_package(self, path: str, packages: Iterable[str]) -> bool:
        """Whether a folder above a file, or its ``src``, holds one of these Python packages."""
        folder = posixpath.dirname(path)
        while True:
            for base in (folder, f"{folder}/src" if folder else "src"):
                if any("__init__.py" in self._files.names(f"{base}/{p}" if base else p) for p in packages):
                    return True
            if not folder:
                return False
            folder = posixpath.dirname(folder)

    def known(self, path: str, distribution: str | None, verified: tuple[str, ...]) -> Known:
        """Which versions of a distribution a file's project allows."""
        declared = self.around(path).get(distribution) if distribution else None
        return known_version(declared.version if declared else None, declared.specifier if declared else "", verified)

    def allows(self, rule: Rule, path: str) -> bool:
        """False where the rule's ``requires`` does not hold for the file's project; what is not known holds."""
        condition = rule.data.get("requires")
        if condition is None:
            return True
        key = (rule.id, posixpath.dirname(path))
        if key not in self._answers:
            facts = Facts({}, None, {}, self.around(path))
            self._answers[key] = judge(condition, Context(facts)).value
        return self._answers[key] is not False
