"""How the case of each kind of rule is held against what comes out: one function per kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from gto_rules.check.config import Configs
from gto_rules.check.file import KINDS
from gto_rules.check.fixes import patch_of, patched
from gto_rules.check.ruleset import Selection
from gto_rules.check.run import Options, check, check_content
from gto_rules.check.targets import Targets
from gto_rules.documents import source_from_bytes
from gto_rules.errors import LaunchError
from gto_rules.evaluate.diagnosis import diagnose
from gto_rules.evaluate.finding import Finding
from gto_rules.facts.model import Hit
from gto_rules.facts.patterns import match_patterns
from gto_rules.facts.python import PythonIndex
from gto_rules.location import Evidence
from gto_rules.loop.analysis import Analysis, analyse, launcher_specs
from gto_rules.loop.repair import matching
from gto_rules.measure.model import TrialResult
from gto_rules.patch.model import Refusal
from gto_rules.patch.plan import DEFAULT_RISKS, plan_one
from gto_rules.patch.sound import faults
from gto_rules.patch.subject import Subject
from gto_rules.patch.write import changes_of
from gto_rules.project.launch import read_launch
from gto_rules.project.launch_check import differences
from gto_rules.project.project import Project
from gto_rules.rulebook.model import Rule, Rulebook

# The day on which cases of suppressions with an end are run.
_TODAY = date(2026, 6, 15)
ALL_RISKS = DEFAULT_RISKS | {"convergence", "artefact"}


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One thing that came out otherwise: what it is, what was expected, what was got, and why if known."""

    what: str
    expected: Any
    got: Any
    note: str = ""

    def __str__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"{self.what}: got {self.got!r}, expected {self.expected!r}{note}"


Mismatches = Iterator[Mismatch]


def _analysis(case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Analysis:
    return analyse(
        root,
        command=case.get("launch"),
        cwd=case.get("cwd", "."),
        rulebook=rulebook,
        hardware=case.get("hardware"),
        metrics=case.get("metrics"),
    )


def _item(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Mismatches:
    expect = case["expect"]
    analysis = _analysis(case, root, rulebook)
    verdict = next((i for a in analysis.audits for i in a.items if i.id == rule.id), None)
    if verdict is None:
        yield Mismatch("status", expect["status"], None, f"its audit does not apply: {analysis.detection.framework}")
        return
    wanted = expect["status"] if isinstance(expect["status"], list) else [expect["status"]]
    if verdict.status.value not in wanted:
        yield Mismatch("status", " or ".join(wanted), verdict.status.value, verdict.reason["en"])
    lines = [e.line for e in verdict.evidence]
    if "line" in expect and expect["line"] not in lines:
        yield Mismatch("line", expect["line"], lines)
    yield from _evidence(verdict.evidence, expect)


def _evidence(found: Iterable[Evidence], expect: Mapping[str, Any]) -> Mismatches:
    """Every place that is expected is among those found; others may be there too."""
    places = [f"{e.path}:{e.line}" for e in found if e.path]
    if not set(expect.get("evidence", ())) <= set(places):
        yield Mismatch("evidence", list(expect["evidence"]), places)


def _pattern(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Mismatches:
    # Asked for by name: pieces that only serve other patterns are left out of the facts.
    index = PythonIndex(Project.open(root))
    hits, unknown = match_patterns(index, rulebook.of("pattern"), only=(rule.id,))
    for key, found in (("hits", hits), ("unknown", unknown)):
        if key in case["expect"]:
            yield from _places(key, found.get(rule.id, ()), case["expect"][key])


def _places(what: str, found: Sequence[Hit] | Sequence[Finding], expected: Sequence[str]) -> Mismatches:
    """Exactly the expected places, as ``path:line``, or ``path:line:column`` where that is expected."""
    exact = [f"{one.path}:{one.line}:{one.column}" for one in found]
    places = [full if full in expected else full.rpartition(":")[0] for full in exact]
    if sorted(places) != sorted(expected):
        with_columns = any(re.search(r":\d+:\d+$", place) for place in expected)
        yield Mismatch(what, list(expected), exact if with_columns else places)


def _detector(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Mismatches:
    found = _analysis(case, root, rulebook).detection
    expect = case["expect"]
    if "framework" in expect and found.framework != expect["framework"]:
        yield Mismatch("framework", expect["framework"], found.framework)
    if "not" in expect and found.framework == expect["not"]:
        yield Mismatch("framework", f"anything but {expect['not']}", found.framework)
    for engine, wanted in (expect.get("inference") or {}).items():
        if found.inference.get(engine) != wanted:
            yield Mismatch(f"inference.{engine}", wanted, found.inference.get(engine))


def _remedy(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Mismatches:
    expect = case["expect"]
    analysis = _analysis(case, root, rulebook)
    launch = analysis.launch
    command = case.get("launch") or (launch.command if launch else None)
    subject = Subject(analysis.project, analysis.index, analysis.facts, rulebook, launch, command, analysis.packs)
    planned = plan_one(rule, subject, allow_risks=ALL_RISKS)
    if isinstance(planned, Refusal):
        if "refused" not in expect:
            yield Mismatch("edit", "an edit", "refused", planned.reason)
        elif str(expect["refused"]).lower() not in f"{planned.reason} ({planned.status})".lower():
            yield Mismatch("refused", str(expect["refused"]), f"{planned.reason} ({planned.status})")
        return
    if "refused" in expect:
        yield Mismatch("refused", str(expect["refused"]), "an edit")
        return
    fix, changed = planned
    after = {c.path: (c.after or b"").decode("utf-8", "surrogateescape") for c in changes_of(fix, root)}
    for path, wanted in (expect.get("files") or {}).items():
        if after.get(path) != wanted:
            yield Mismatch(path, wanted, after.get(path))
    for path in sorted(after.keys() - (expect.get("files") or {}).keys()):
        yield Mismatch(path, None, after[path], "it was edited, which was not expected")
    if "command" in expect and changed != expect["command"]:
        yield Mismatch("command", expect["command"], changed)


def _diagnosis(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Mismatches:
    facts = _analysis(case, root, rulebook).facts
    own = next((b for b in diagnose(facts, rulebook) if b.id == rule.id), None)
    expect = case["expect"]
    if "found" in expect and (own is not None) != expect["found"]:
        yield Mismatch("found", expect["found"], own is not None)
    yield from _evidence(own.evidence if own else (), expect)


def _repair(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Mismatches:
    status = case.get("status", "failed")
    result = TrialResult(status, case.get("exit_code", 1), error=case.get("log", ""))
    found = matching((rule,), result) is not None
    if found != case["expect"]["matches"]:
        yield Mismatch("matches", case["expect"]["matches"], found)


def _launcher(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Mismatches:
    project = Project.open(root) if case.get("files") else None
    options = {key: case[key] for key in ("cwd", "environment") if key in case}
    expect = dict(case["expect"])
    refused = expect.pop("error", None)
    try:
        launch = read_launch(case["launch"], project=project, launchers=launcher_specs(rulebook), **options)
    except LaunchError as error:
        if refused is None or str(refused) not in str(error):
            yield Mismatch("error", refused, str(error))
        return
    if refused is not None:
        yield Mismatch("error", refused, None, "the command was read")
    for name, expected, found in differences(launch, expect):
        yield Mismatch(name, expected, found)


def _settings(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Mismatches:
    settings = _analysis(case, root, rulebook).facts.settings
    for name, wanted in case["expect"].items():
        setting = settings.get(name)
        found = setting.value if setting else None
        value = wanted.get("value") if isinstance(wanted, Mapping) else wanted
        if found != value:
            yield Mismatch(name, value, found)
        line = wanted.get("line") if isinstance(wanted, Mapping) else None
        if line is not None and setting is not None and setting.evidence.line != line:
            yield Mismatch(f"line of {name}", line, setting.evidence.line)


def _finding(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Mismatches:
    expect = case["expect"]
    targets = Targets(root, Configs(), KINDS)
    targets.add(["."])
    selection = Selection((rule.id, *case.get("also", ())))
    result = check(targets.found, rulebook, Options(selection, use_cache=False, today=_TODAY), root)
    own = [f for f in result.findings if f.rule == rule.id]
    if "findings" in expect:
        yield from _places("findings", own, expect["findings"])
    for said in [expect["message"]] if isinstance(expect.get("message"), str) else expect.get("message", ()):
        if not any(said in f.message["en"] for f in own):
            yield Mismatch("message", said, [f.message["en"] for f in own])
    if any(re.search(r"\{[A-Za-z_][\w.]*\}", text) for f in own for text in f.message.values()):
        yield Mismatch("message", None, [f.message["en"] for f in own], "a placeholder is not filled")
    if "fixed" in expect:
        patch = patch_of(own, root, ALL_RISKS)
        for path, wanted in expect["fixed"].items():
            source = source_from_bytes((root / path).read_bytes(), path)
            after = patched(source, [f for f in patch.fixed if f.path == path]).decode("utf-8", "surrogateescape")
            if after != wanted:
                yield Mismatch(path, wanted, after)
    yield from _mended(own, root, rulebook, selection)


def _mended(own: list[Finding], root: Path, rulebook: Rulebook, selection: Selection) -> Mismatches:
    """A fix must remove its finding, bring no other, and leave the file readable."""
    patch = patch_of(own, root, ALL_RISKS)
    targets = Targets(root, Configs(), KINDS)
    targets.add(["."])
    for path in patch.diffs:
        target = next(t for t in targets.found if t.shown == path)
        before = source_from_bytes((root / path).read_bytes(), path)
        fixed = [f for f in patch.fixed if f.path == path]
        after = patched(before, fixed)
        again = check_content(target, after, rulebook, Options(selection, use_cache=False, today=_TODAY), root)
        left = sum(f.path == path for f in own) - len(fixed)
        if len(again.findings) > left:
            yield Mismatch(path, left, [f.message["en"] for f in again.findings], "findings left by the fix")
        wrong = faults(path, source_from_bytes(after, path).text) - faults(path, before.text)
        if wrong:
            yield Mismatch(path, [], sorted(wrong), "faults that the fix brings")


CHECKERS: dict[str, Callable[[Rule, Mapping[str, Any], Path, Rulebook], Mismatches]] = {
    "item": _item,
    "pattern": _pattern,
    "finding": _finding,
    "detector": _detector,
    "remedy": _remedy,
    "diagnosis": _diagnosis,
    "repair": _repair,
    "launcher": _launcher,
    "settings": _settings,
}
