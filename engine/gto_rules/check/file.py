"""Check one file: its bytes in, its findings out. Nothing here depends on which other files are checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from gto_rules.check.build import with_fingerprints
from gto_rules.check.code import code_findings
from gto_rules.check.declared import Declared
from gto_rules.check.model import Skipped
from gto_rules.check.ruleset import RuleSet
from gto_rules.check.suppress import MARK, apply_directives, read_directives
from gto_rules.documents import classify, parse, source_from_bytes
from gto_rules.documents.model import DataDocument, Problem, SourceText
from gto_rules.evaluate.finding import Finding
from gto_rules.facts.prefilter import words_of
from gto_rules.facts.python.disk import DiskFiles, DiskIndex
from gto_rules.facts.settings.groups import Group, call_groups, file_groups
from gto_rules.facts.settings.surface import Surface

DATA_KINDS = frozenset(("yaml", "json", "toml"))
PYTHON_KINDS = frozenset(("python", "setup_py", "notebook"))
COMMAND_KINDS = frozenset(("shell",))
KINDS = PYTHON_KINDS | DATA_KINDS | COMMAND_KINDS


@dataclass(frozen=True, slots=True)
class FileResult:
    """What checking one file gave. ``walked`` are other files that decided something."""

    findings: tuple[Finding, ...] = ()
    suppressed: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    walked: tuple[str, ...] = ()


class FileChecker:
    """Checks files below one root, one after the other.

    Args:
        root: The folder that names and versions are looked up in.
        rules: What to look for.
        today: The day that suppressions with an end are held against.
    """

    def __init__(self, root: Path, rules: RuleSet, today: date) -> None:
        self.root = root
        self._rules = rules
        self._today = today
        self._files = DiskFiles(root)
        self._declared = Declared(self._files)
        self._by_id = {rule.id: rule for rule in rules.rules}
        self._ids = frozenset(rule.id for rule in rules.rulebook.of("finding"))

    def surroundings(self, path: str) -> str:
        """What identifies the versions that the project of a file declares."""
        return self._declared.stamp(path)

    def check(self, path: str, raw: bytes) -> FileResult:
        """Check a file's content.

        Args:
            path: Relative to the root, with POSIX separators.
            raw: Its bytes.
        """
        kind = classify(path, raw[:128])
        if kind not in KINDS:
            return FileResult()
        words = frozenset(words_of(_plain(raw, kind)))
        if not self._can_matter(kind, words, raw):
            return FileResult()
        source = source_from_bytes(raw, path)
        if source.problems and not source.text:
            return FileResult(skipped=(_in_part(source.problems[0]),))
        self._files.give(path, raw)
        self._files.touched.clear()
        self._files.problems.clear()
        self._files.note(path, source.problems)
        index = DiskIndex(self._files, path, self._rules.named_words)
        findings = self._findings(kind, source, words, index)
        findings = [one for one in findings if self._declared.allows(self._by_id[one.rule], path)]
        return self._judged(findings, source, kind, index)

    def _can_matter(self, kind: str, words: frozenset[bytes], raw: bytes) -> bool:
        if MARK in raw or (kind in DATA_KINDS and self._rules.places):
            return True
        if kind in PYTHON_KINDS:
            return not words.isdisjoint(self._rules.call_words) or bool(self._rules.code_rules(words))
        return any(words.issuperset(group) for group in self._rules.command_words)

    def _findings(self, kind: str, source: SourceText, words: frozenset[bytes], index: DiskIndex) -> list[Finding]:
        groups: Iterator[Group] | list[Group] = []
        found: list[Finding] = []
        if kind in PYTHON_KINDS:
            module = index.module(source.path)
            if module is None:
                return []
            found += code_findings(module, index, self._rules.code_rules(words), self._by_id)
            if not words.isdisjoint(self._rules.call_words):
                groups = call_groups(module, index, self._surfaces)
        elif kind in DATA_KINDS:
            document = parse(source, kind)
            self._files.note(source.path, document.problems)
            if isinstance(document, DataDocument):
                groups = file_groups(document, kind, self._surfaces)
        else:
            groups = self._commands(source)
        from gto_rules.check.places import place_findings

        return found + place_findings(groups, source, self._rules.places, self._declared)

    @property
    def _surfaces(self) -> Sequence[Surface]:
        return tuple(self._rules.surfaces.values())

    def _commands(self, source: SourceText) -> Iterator[Group]:
        from gto_rules.check.commands import commands_of
        from gto_rules.facts.settings.groups import command_groups

        launches = commands_of(source, self.root, self._rules.rulebook)
        return command_groups(launches, source.path, self._surfaces)

    def _judged(self, findings: list[Finding], source: SourceText, kind: str, index: DiskIndex) -> FileResult:
        kept, suppressed = findings, list[Finding]()
        if MARK in source.text:
            module = index.module(source.path) if kind in PYTHON_KINDS else None
            directives = read_directives(source, module) if kind != "json" else []
            kept, suppressed = apply_directives(
                findings, directives, self._today, self._rules.comments, frozenset(self._by_id), self._ids, source
            )
        path = source.path
        marked = with_fingerprints([*kept, *suppressed], path)
        return FileResult(
            tuple(f for f in marked if f.suppression is None),
            tuple(f for f in marked if f.suppression is not None),
            tuple(_in_part(one) for one in self._files.problems.get(path, ())),
            tuple(sorted(self._files.touched)),
        )


def _in_part(problem: Problem) -> Skipped:
    return Skipped(problem.path, problem.message.partition(" at column")[0], problem.line)


def _plain(raw: bytes, kind: str) -> bytes:
    """Bytes to look for words in: UTF-16 as UTF-8, a notebook's line ends as spaces."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return source_from_bytes(raw, "").text
    return raw.replace(b"\\n", b" ") if kind == "notebook" else raw
