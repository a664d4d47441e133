"""Run the cases that stand beside rules: small inputs, expected verdicts."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from gto_rules.check.config import Configs
from gto_rules.check.file import KINDS
from gto_rules.check.fixes import patch_of, patched
from gto_rules.check.ruleset import Selection
from gto_rules.check.run import Options, check
from gto_rules.check.targets import Targets
from gto_rules.errors import GtoError, LaunchError
from gto_rules.evaluate.diagnosis import diagnose
from gto_rules.facts.patterns import match_patterns
from gto_rules.facts.python import PythonIndex
from gto_rules.loop.analysis import Analysis, analyse, launcher_specs
from gto_rules.loop.repair import matching
from gto_rules.measure.model import TrialResult
from gto_rules.patch.model import Refusal
from gto_rules.patch.plan import DEFAULT_RISKS, plan_one
from gto_rules.patch.subject import Subject
from gto_rules.patch.write import changes_of
from gto_rules.project.launch import read_launch
from gto_rules.project.launch_check import differences
from gto_rules.project.project import Project
from gto_rules.rulebook.model import Rule, Rulebook

# Facts about a machine that a case did not think of: nothing is known.
# The day on which cases of suppressions with an end are run.
_TODAY = date(2026, 6, 15)
ALL_RISKS = DEFAULT_RISKS | {"convergence", "artefact"}


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case: ``problem`` is empty when it came out as expected; ``positive`` when it expects the rule to hold."""

    rule: str
    name: str
    positive: bool
    problem: str
    gap: str = ""


def run_case(rule: Rule, case: Mapping[str, Any], rulebook: Rulebook) -> CaseResult:
    """Run one case of a rule in a folder of its own."""
    expect = case["expect"]
    checker = _CHECKERS.get(rule.kind)
    problem = f"there is no way to test a {rule.kind}"
    if checker is not None:
        with tempfile.TemporaryDirectory(prefix="gto-rules-case-") as folder:
            root = Path(folder).resolve() / "case"
            root.mkdir()
            try:
                _write(root, case.get("files") or {})
                problem = "; ".join(checker(rule, case, root, rulebook))
            except GtoError as error:
                problem = f"{type(error).__name__}: {error}"
    return CaseResult(rule.id, case["name"], is_positive(rule.kind, expect), problem, case.get("gap", ""))


def _write(root: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8"))


def is_positive(kind: str, expect: Mapping[str, Any]) -> bool:
    """Whether a case expects its rule to hold."""
    tests: dict[str, Callable[[], bool]] = {
        "item": lambda: expect.get("status") == "enabled",
        "pattern": lambda: bool(expect.get("hits")),
        "finding": lambda: bool(expect.get("findings")),
        "detector": lambda: not expect.get("not") and expect.get("framework") is not None,
        "remedy": lambda: "files" in expect or "command" in expect,
        "diagnosis": lambda: expect.get("found") is True,
        "repair": lambda: expect.get("matches") is True,
    }
    return tests[kind]() if kind in tests else True


def _analysis(case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Analysis:
    return analyse(
        root,
        command=case.get("launch"),
        cwd=case.get("cwd", "."),
        rulebook=rulebook,
        hardware=case.get("hardware"),
        metrics=case.get("metrics"),
    )


Problems = Iterator[str]


def _item(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Problems:
    expect = case["expect"]
    analysis = _analysis(case, root, rulebook)
    verdict = next((i for a in analysis.audits for i in a.items if i.id == rule.id), None)
    if verdict is None:
        yield f"its audit does not apply (framework {analysis.detection.framework})"
        return
    wanted = expect["status"] if isinstance(expect["status"], list) else [expect["status"]]
    if verdict.status.value not in wanted:
        yield f"status {verdict.status.value}, expected {' or '.join(wanted)} ({verdict.reason['en']})"
    lines = [e.line for e in verdict.evidence]
    if "line" in expect and expect["line"] not in lines:
        yield f"evidence on lines {lines}, expected {expect['line']}"


def _pattern(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Problems:
    # Asked for by name: pieces that only serve other patterns are left out of the facts.
    index = PythonIndex(Project.open(root))
    hits, unknown = match_patterns(index, rulebook.of("pattern"), only=(rule.id,))
    for key, found in (("hits", hits), ("unknown", unknown)):
        if key in case["expect"]:
            places = [f"{h.path}:{h.line}" for h in found.get(rule.id, ())]
            if sorted(places) != sorted(case["expect"][key]):
                yield f"{key} at {places}, expected {case['expect'][key]}"


def _detector(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Problems:
    found = _analysis(case, root, rulebook).detection
    expect = case["expect"]
    if "framework" in expect and found.framework != expect["framework"]:
        yield f"framework {found.framework}, expected {expect['framework']}"
    if "not" in expect and found.framework == expect["not"]:
        yield f"framework {found.framework}, which it must not be"
    for engine, wanted in (expect.get("inference") or {}).items():
        if found.inference.get(engine) != wanted:
            yield f"{engine} {found.inference.get(engine)}, expected {wanted}"


def _remedy(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Problems:
    expect = case["expect"]
    analysis = _analysis(case, root, rulebook)
    launch = analysis.launch
    command = case.get("launch") or (launch.command if launch else None)
    subject = Subject(analysis.project, analysis.index, analysis.facts, rulebook, launch, command, analysis.packs)
    planned = plan_one(rule, subject, allow_risks=ALL_RISKS)
    if isinstance(planned, Refusal):
        if "refused" not in expect:
            yield f"refused: {planned.reason}"
        elif str(expect["refused"]).lower() not in f"{planned.reason} ({planned.status})".lower():
            yield f"refused with {planned.reason!r}, expected {expect['refused']!r}"
        return
    if "refused" in expect:
        yield "not refused"
        return
    fix, changed = planned
    after = {c.path: (c.after or b"").decode("utf-8", "replace") for c in changes_of(fix, root)}
    for path, wanted in (expect.get("files") or {}).items():
        if after.get(path) != wanted:
            yield f"{path} became {after.get(path)!r}, expected {wanted!r}"
    for path in after.keys() - (expect.get("files") or {}).keys():
        yield f"{path} was edited, which was not expected"
    if "command" in expect and changed != expect["command"]:
        yield f"the command became {changed!r}, expected {expect['command']!r}"


def _diagnosis(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Problems:
    facts = _analysis(case, root, rulebook).facts
    found = any(b.id == rule.id for b in diagnose(facts, rulebook))
    if found != case["expect"]["found"]:
        yield f"{'found' if found else 'not found'}, expected the opposite"


def _repair(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Problems:
    status = case.get("status", "failed")
    result = TrialResult(status, case.get("exit_code", 1), error=case.get("log", ""))
    found = matching((rule,), result) is not None
    if found != case["expect"]["matches"]:
        yield f"{'matches' if found else 'does not match'}, expected the opposite"


def _launcher(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Problems:
    project = Project.open(root) if case.get("files") else None
    options = {key: case[key] for key in ("cwd", "environment") if key in case}
    expect = dict(case["expect"])
    refused = expect.pop("error", None)
    try:
        launch = read_launch(case["launch"], project=project, launchers=launcher_specs(rulebook), **options)
    except LaunchError as error:
        if refused is None or str(refused) not in str(error):
            yield f"{error}"
        return
    if refused is not None:
        yield "it was read, which was not expected"
    for name, expected, found in differences(launch, expect):
        yield f"{name} {found!r}, expected {expected!r}"


def _settings(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Problems:
    settings = _analysis(case, root, rulebook).facts.settings
    for name, wanted in case["expect"].items():
        setting = settings.get(name)
        found = setting.value if setting else None
        value = wanted.get("value") if isinstance(wanted, Mapping) else wanted
        if found != value:
            yield f"{name} is {found!r}, expected {value!r}"
        line = wanted.get("line") if isinstance(wanted, Mapping) else None
        if line is not None and setting is not None and setting.evidence.line != line:
            yield f"{name} is set on line {setting.evidence.line}, expected {line}"


def _finding(rule: Rule, case: Mapping[str, Any], root: Path, rulebook: Rulebook) -> Problems:
    expect = case["expect"]
    targets = Targets(root, Configs(), KINDS)
    targets.add(["."])
    selection = Selection((rule.id, *case.get("also", ())))
    result = check(targets.found, rulebook, Options(selection, use_cache=False, today=_TODAY), root)
    own = [f for f in result.findings if f.rule == rule.id]
    places = [f"{f.path}:{f.line}" for f in own]
    if sorted(places) != sorted(expect["findings"]):
        yield f"findings at {places}, expected {expect['findings']}"
    for said in [expect["message"]] if isinstance(expect.get("message"), str) else expect.get("message", ()):
        if not any(said in f.message["en"] for f in own):
            yield f"no message holds {said!r}: {[f.message['en'] for f in own]}"
    if any(re.search(r"\{[A-Za-z_][\w.]*\}", text) for f in own for text in f.message.values()):
        yield f"a placeholder is not filled: {[dict(f.message) for f in own]}"
    if "fixed" in expect:
        patch = patch_of(own, root, ALL_RISKS)
        for path, wanted in expect["fixed"].items():
            after = patched(root / path, [f for f in patch.fixed if f.path == path]).decode("utf-8", "replace")
            if after != wanted:
                yield f"{path} became {after!r}, expected {wanted!r}"


_CHECKERS: dict[str, Callable[[Rule, Mapping[str, Any], Path, Rulebook], Problems]] = {
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
