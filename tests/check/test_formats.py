"""Output formats: each parses, none lets a control character of the project through."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from checking import FAULT, ITEM, Checker, write
from gto_rules.check.model import CheckResult, Skipped
from gto_rules.evaluate.finding import Finding, FindingFix, Suppression, TextEdit
from gto_rules.location import Evidence, Span
from gto_rules.report.findings import FORMATS, render_check
from gto_rules.rulebook import load
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

# Everything that a terminal, XML or a reader of lines could act upon.
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@cache
def sarif() -> Draft7Validator:
    schema = json.loads(Path(__file__).with_name("sarif-schema-2.1.0.json").read_text("utf-8"))
    return Draft7Validator(schema)


@cache
def rules() -> tuple[Any, ...]:
    return tuple(load().of("finding"))


ANYTHING = st.text(st.characters(codec=None), max_size=30)


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    source = draw(ANYTHING).replace("\n", "").replace("\r", "")
    start = draw(st.integers(0, len(source)))
    end = draw(st.integers(start, len(source)))
    line = draw(st.integers(1, 9))
    hidden = st.builds(Suppression, st.sampled_from(("inline", "path", "baseline")), ANYTHING)
    fix = FindingFix({"en": draw(ANYTHING)}, (TextEdit(Span(0, 0), draw(ANYTHING)),))
    return Finding(
        draw(st.sampled_from(rules())).id,
        draw(st.sampled_from(("error", "warning", "info"))),
        draw(ANYTHING.filter(lambda t: t.strip("/") and "\0" not in t)),
        line,
        start + 1,
        line,
        end + 1,
        Span(start, end),
        {"en": draw(ANYTHING)},
        source,
        "f00d",
        draw(st.sampled_from((None, fix))),
        draw(st.sampled_from(((), (Evidence(draw(ANYTHING), 3, draw(ANYTHING)),)))),
        draw(st.one_of(st.none(), hidden)),
    )


@given(st.lists(findings(), max_size=4), ANYTHING, st.sampled_from(FORMATS), st.sampled_from(("en", "zh")))
def test_whatever_a_project_holds_every_format_stands(drawn: list[Finding], text: str, form: str, lang: str) -> None:
    kept = tuple(replace(f, suppression=None) for f in drawn)
    hidden = tuple(f for f in drawn if f.suppression is not None)
    out = render_check(CheckResult(Path("/nowhere"), kept, hidden, (Skipped(text, text),), 3, rules()), form, lang)
    assert not CONTROLS.search(out)
    if form in ("json", "sarif", "gitlab"):
        json.loads(out)
    if form == "sarif":
        assert [e.message for e in sarif().iter_errors(json.loads(out))] == []
    if form == "jsonl":
        assert len([json.loads(line) for line in out.splitlines()]) == len(kept)
    if form == "junit":
        cases = ET.fromstring(out.encode()).findall(".//failure")
        assert len(cases) == len(kept)
    if form == "github":
        lines = out.splitlines()
        assert len(lines) == len(kept) and all(re.match(r"::(error|warning|notice) file=", line) for line in lines)


FILES: dict[str, str | bytes] = {
    "train.py": FAULT + "    x = 1  # the end\n",
    "known.py": FAULT.replace("item()\n", "item()  # gto-rules: ignore[torch]: shown to a person\n"),
    "ds.json": '{"train_batch_size": 1,\n "zero_optimization": {"overlap_com": true}}\n',
    "old.py": b"\0" + FAULT.encode(),
}


def test_sarif_of_real_findings(checker: Checker) -> None:
    write(checker.root, FILES)
    code, out, _ = checker.run(".", "--format", "sarif")
    data = json.loads(out)
    assert code == 1 and [e.message for e in sarif().iter_errors(data)] == []
    (run,) = data["runs"]
    by_rule = {r["ruleId"]: r for r in run["results"] if "suppressions" not in r}
    fix = by_rule["deepspeed/unknown-key"]["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert fix == {
        "deletedRegion": {"startLine": 2, "startColumn": 24, "endLine": 2, "endColumn": 37},
        "insertedContent": {"text": '"overlap_comm"'},
    }
    region = by_rule[ITEM]["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (4, 14, 25)
    (hidden,) = [r["suppressions"] for r in run["results"] if "suppressions" in r]
    assert hidden == [{"kind": "inSource", "justification": "shown to a person"}]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert ["old.py" in json.dumps(n) for n in notes] == [True]


def test_text_shows_the_place(checker: Checker) -> None:
    write(checker.root, {"train.py": FAULT.replace("    total", "\ttotal").replace("\n    ", "\n\t")})
    out = checker.run("train.py")[1].splitlines()
    assert out[0].startswith("train.py:4:11: warning: ") and out[0].endswith(f"[{ITEM}]")
    at = out[1].index("loss.item()")
    assert out[2] == " " * at + "^" + "~" * 10
    assert not any("\x1b" in line for line in out)


def test_colour_only_where_it_is_wanted(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    write(checker.root, {"train.py": FAULT})
    assert "\x1b[" in checker.run("train.py", "--color", "always")[1]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in checker.run("train.py")[1]


def test_gitlab_sees_the_same_fault_after_lines_moved(checker: Checker) -> None:
    def marks() -> list[str]:
        out = json.loads(checker.run(".", "--format", "gitlab")[1])
        return [row["fingerprint"] for row in out]

    write(checker.root, {"train.py": FAULT, "other/train.py": FAULT})
    before = marks()
    write(checker.root, {"train.py": "import os\n\n" + FAULT})
    assert marks() == before and len(set(before)) == 2


def test_output_goes_to_a_file(checker: Checker) -> None:
    write(checker.root, {"train.py": FAULT})
    code, out, _ = checker.run("train.py", "--format", "junit", "--output", "report.xml")
    assert code == 1 and out == "" and ET.parse(checker.root / "report.xml").getroot().get("failures") == "1"
    assert checker.run("train.py", "--output", "no/such/folder.txt")[0] == 2
