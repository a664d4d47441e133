"""Check many files: results from the cache, the rest in as many processes as pay off."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from gto_rules.check.cache import Plain, ResultCache, digest_of, freeze, rules_key, thaw
from gto_rules.check.file import KINDS, FileChecker, FileResult
from gto_rules.check.model import CheckResult, Skipped
from gto_rules.check.ruleset import RuleSet, Selection, rule_set, starts
from gto_rules.check.suppress import MARK
from gto_rules.check.targets import OTHER_KIND, Target
from gto_rules.documents import classify
from gto_rules.evaluate.finding import Finding, Suppression
from gto_rules.project.project import glob_regex
from gto_rules.rulebook.model import Rulebook

# Below this many bytes to look at, a second process costs more than it saves.
_WORTH_A_PROCESS = 1_500_000
_CHUNKS_PER_PROCESS = 8


@dataclass(frozen=True)
class Options:
    """How to run a check.

    Attributes:
        selection: What the command line wants; None leaves it to each file's configuration.
        use_cache: Read and write results by content.
        jobs: Processes at most.
        today: The day that suppressions with an end are held against.
    """

    selection: Selection | None = None
    use_cache: bool = True
    jobs: int = 1
    today: date = date(1970, 1, 1)


def check(targets: Sequence[Target], rulebook: Rulebook, options: Options, base: Path) -> CheckResult:
    """Check files.

    Args:
        targets: The files with the configuration that holds for each.
        rulebook: The compiled packs.
        options: How.
        base: The folder that shown paths are relative to.
    """
    runs = _Runs(rulebook, options)
    for target in targets:
        runs.add(target)
    findings: list[Finding] = []
    suppressed: list[Finding] = []
    skipped: list[Skipped] = []
    for target, result in runs.results():
        kept, hidden = per_path(result.findings, target, options.today)
        findings += (shown(f, target) for f in kept)
        suppressed += (shown(f, target) for f in (*result.suppressed, *hidden))
        skipped += (replace(s, path=target.shown) for s in result.skipped)
    return CheckResult(
        base,
        tuple(sorted(findings, key=order)),
        tuple(sorted(suppressed, key=order)),
        tuple(skipped),
        len(targets),
        runs.rules,
    )


def check_content(target: Target, raw: bytes, rulebook: Rulebook, options: Options, base: Path) -> CheckResult:
    """Check one file's content that comes from elsewhere, as if it stood in the file."""
    rules = rule_set(rulebook, options.selection or target.config.selection())
    if classify(target.path, raw[:128]) not in KINDS:
        return CheckResult(base, skipped=(Skipped(target.shown, OTHER_KIND),), rules=rules.rules)
    answer = _Worker(rules, options.today, None).content(target, raw)
    result = answer.result or thaw(answer.plain)
    kept, hidden = per_path(result.findings, target, options.today)
    return CheckResult(
        base,
        tuple(shown(f, target) for f in kept),
        tuple(shown(f, target) for f in (*result.suppressed, *hidden)),
        tuple(replace(s, path=target.shown) for s in result.skipped),
        1,
        rules.rules,
    )


def shown(one: Finding, target: Target) -> Finding:
    """A finding with its places named as people named the file."""
    if target.shown == target.path:
        return one
    related = tuple(replace(e, path=target.shown) if e.path == target.path else e for e in one.related)
    return replace(one, path=target.shown, related=related)


def order(one: Finding) -> tuple[str, int, int, str]:
    return one.path, one.span.start, one.span.end, one.rule


def per_path(findings: Iterable[Finding], target: Target, today: date) -> tuple[list[Finding], list[Finding]]:
    """Findings to report, and those that the configuration lets pass in this file."""
    rows = target.config.per_path
    if not rows:
        return list(findings), []
    relative = os.path.relpath(target.file, target.config.folder).replace(os.sep, "/")
    held = [r for r in rows if any(_fits(relative, glob) for glob in r.paths)]
    held = [r for r in held if r.until is None or date.fromisoformat(r.until) >= today]
    kept: list[Finding] = []
    hidden: list[Finding] = []
    for one in findings:
        row = next((r for r in held if any(starts(one.rule, prefix) for prefix in r.ignore)), None)
        if row is None:
            kept.append(one)
        else:
            hidden.append(replace(one, suppression=Suppression("path", row.reason)))
    return kept, hidden


def _fits(path: str, glob: str) -> bool:
    whole = path if "/" in glob else path.rpartition("/")[2]
    return glob_regex(glob).fullmatch(whole) is not None


class _Runs:
    """Targets by the rules that hold for them."""

    def __init__(self, rulebook: Rulebook, options: Options) -> None:
        self._rulebook = rulebook
        self._options = options
        self._sets: dict[Selection, RuleSet] = {}
        self._targets: dict[Selection, list[Target]] = {}

    def add(self, target: Target) -> None:
        selection = self._options.selection or target.config.selection()
        self._targets.setdefault(selection, []).append(target)

    @property
    def rules(self) -> tuple[Any, ...]:
        found = {rule.id: rule for rules in self._sets.values() for rule in rules.rules}
        return tuple(found[name] for name in sorted(found))

    def results(self) -> Iterator[tuple[Target, FileResult]]:
        for selection, targets in self._targets.items():
            rules = self._sets[selection] = rule_set(self._rulebook, selection)
            yield from _checked(targets, rules, self._options)


def _checked(targets: Sequence[Target], rules: RuleSet, options: Options) -> Iterator[tuple[Target, FileResult]]:
    cache = ResultCache(rules_key(rules)) if options.use_cache else None
    worker = _Worker(rules, options.today, cache)
    size = sum(os.path.getsize(t.file) for t in targets) if options.jobs > 1 and len(targets) > 1 else 0  # noqa: PTH202
    if size < _WORTH_A_PROCESS:
        answers: Iterable[_Answer] = (worker.one(t) for t in targets)
    else:
        answers = _in_processes(worker, targets, options.jobs)
    for target, answer in zip(targets, answers, strict=True):
        if answer.new and cache is not None:
            cache.put(answer.key, answer.plain, answer.rests_on)
        yield target, thaw(answer.plain) if answer.result is None else answer.result
    if cache is not None:
        cache.save()


@dataclass(frozen=True)
class _Answer:
    """What checking one target gave, in a form that crosses processes cheaply."""

    key: str
    plain: Plain
    rests_on: dict[str, str]
    new: bool
    result: FileResult | None = None


class _Worker:
    """Checks targets one by one; one per process."""

    def __init__(self, rules: RuleSet, today: date, cache: ResultCache | None) -> None:
        self._rules = rules
        self._today = today
        self._cache = cache
        self._checkers: dict[Path, FileChecker] = {}
        self._digests: dict[str, str] = {}

    def one(self, target: Target) -> _Answer:
        try:
            raw = Path(target.file).read_bytes()
        except OSError as error:
            reason = f"cannot be read ({error.strerror or error})"
            return _Answer("", freeze(FileResult(skipped=(Skipped(target.path, reason),))), {}, False)
        return self.content(target, raw)

    def content(self, target: Target, raw: bytes) -> _Answer:
        checker = self._checkers.get(target.root)
        if checker is None:
            checker = self._checkers[target.root] = FileChecker(target.root, self._rules, self._today)
        day = self._today.isoformat() if MARK in raw else ""
        key = digest_of(f"{target.path}\0{checker.surroundings(target.path)}\0{day}\0".encode() + raw)

        def digest(path: str) -> str:
            return self._digest(target.root, path)

        if self._cache is not None:
            held = self._cache.get(key, digest)
            if held is not None:
                return _Answer(key, (), {}, False, held)
        result = checker.check(target.path, raw)
        rests_on = {path: digest(path) for path in result.walked} if self._cache is not None else {}
        return _Answer(key, freeze(result), rests_on, True, result)

    def _digest(self, root: Path, path: str) -> str:
        full = f"{root}/{path}"
        if full not in self._digests:
            try:
                self._digests[full] = digest_of(Path(full).read_bytes())
            except OSError:
                self._digests[full] = ""
        return self._digests[full]


_worker: _Worker | None = None


def _start(worker: _Worker) -> None:
    global _worker
    _worker = worker


def _chunk(targets: Sequence[Target]) -> list[_Answer]:
    worker = _worker
    if worker is None:
        raise RuntimeError("the process was not started with a worker")
    answers = [worker.one(t) for t in targets]
    # What was in the cache is with the parent too, but finding it there again costs more than sending it.
    return [replace(a, plain=freeze(a.result) if a.result else a.plain, result=None) for a in answers]


def _in_processes(worker: _Worker, targets: Sequence[Target], jobs: int) -> Iterator[_Answer]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    size = max(1, len(targets) // (jobs * _CHUNKS_PER_PROCESS))
    chunks = [targets[at : at + size] for at in range(0, len(targets), size)]
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else None)
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(worker,)) as pool:
        for answers in pool.map(_chunk, chunks):
            yield from answers
