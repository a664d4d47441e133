"""Test files beside rules, and the commands that list, check and run them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from gto_rules.cli.main import main
from gto_rules.loop.rule_cases import is_positive, run_case
from gto_rules.rulebook.cases import TESTED, read_cases
from gto_rules.rulebook.validate import kinds
from small_pack import FILES, compiled, write_pack

HALF_CASES = """\
kind: test
rule: acme/half
cases:
  - name: switched on
    files: {train.py: "import acme\\n"}
    launch: python train.py --half_precision True
    expect: {status: enabled}
  - name: switched off
    files: {train.py: "import acme\\n"}
    launch: python train.py
    expect: {status: [not_enabled, recommended]}
"""
INLINE = 'files: {train.py: "import acme\\n"}'
COMPILED_CASES = """\
kind: test
rule: acme/compiled
cases:
  - name: a call
    files: {train.py: "import acme\\nacme.compile(1)\\n"}
    expect: {hits: ["train.py:2"]}
  - name: another call
    files: {train.py: "import acme\\nacme.load(1)\\n"}
    expect: {hits: []}
"""

# file, content → words of the diagnostic
WRONG = {
    "no cases": ("items/half.test.yaml", "kind: test\nrule: acme/half\n", "the key 'cases' is missing"),
    "no rule": ("items/half.test.yaml", "kind: test\ncases: []\n", "the key 'rule' is missing"),
    "another rule": ("items/half.test.yaml", HALF_CASES.replace("acme/half", "acme/hlaf"), "rule: acme/half"),
    "nothing beside": ("items/none.test.yaml", HALF_CASES.replace("acme/half", "acme/none"), "no rule beside"),
    "no expectation": ("items/half.test.yaml", HALF_CASES.replace("    expect: {status: enabled}\n", ""), "'expect'"),
    "unknown key": ("items/half.test.yaml", HALF_CASES.replace("launch:", "lanch:", 1), "did you mean 'launch'?"),
    "not YAML": ("items/half.test.yaml", "a: [", "YAML syntax error"),
    "not text": ("items/half.test.yaml", b"\xff\xfe\x00", "UTF-8"),
    "a list": ("items/half.test.yaml", "- a\n", "not object"),
    "unknown expectation": (
        "items/half.test.yaml",
        HALF_CASES.replace("status: enabled", "state: enabled"),
        "7:14: a case of kind 'item' cannot expect 'state'",
    ),
    "no expectation in it": ("items/half.test.yaml", HALF_CASES.replace("status: enabled", ""), "expects nothing"),
    "no such folder": ("items/half.test.yaml", HALF_CASES.replace(INLINE, "files_from: none"), "no folder 'none'"),
    "a folder elsewhere": ("items/half.test.yaml", HALF_CASES.replace(INLINE, "files_from: ../../x"), "outside"),
    "an absolute folder": ("items/half.test.yaml", HALF_CASES.replace(INLINE, "files_from: /etc"), "outside"),
    "the whole pack": ("items/half.test.yaml", HALF_CASES.replace(INLINE, "files_from: .."), "outside"),
    "YAML that is a rule": ("items/half.test.yaml", HALF_CASES.replace(INLINE, "files_from: ../patterns"), ".files"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_test_file_is_named(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, content, said = WRONG[name]
    root = write_pack(tmp_path, {path: content})
    cases, wrong = read_cases([root])
    assert not cases
    assert any(said in d.render() and str(d.location).startswith(f"acme/{path}") for d in wrong), wrong


def test_every_kind_that_needs_cases_has_a_schema() -> None:
    assert set(TESTED) <= kinds()


@pytest.mark.parametrize(
    ("kind", "expect", "positive"),
    [
        ("item", {"status": "enabled"}, True),
        ("item", {"status": "not_applicable"}, False),
        ("item", {"status": ["not_enabled", "recommended"]}, False),
        ("pattern", {"hits": ["a.py:1"]}, True),
        ("pattern", {"hits": []}, False),
        ("pattern", {"unknown": ["a.py:1"]}, False),
        ("detector", {"framework": "acme"}, True),
        ("detector", {"not": "acme"}, False),
        ("remedy", {"files": {}}, True),
        ("remedy", {"refused": "no"}, False),
        ("diagnosis", {"found": True}, True),
        ("diagnosis", {"found": False}, False),
        ("repair", {"matches": False}, False),
    ],
)
def test_which_cases_hold(kind: str, expect: dict[str, object], positive: bool) -> None:
    assert is_positive(kind, expect) is positive


# rule, the case's expectation → what the runner says; "" where it is right
CASE_RESULTS = [
    ("acme/compiled", {"hits": ["train.py:2"]}, ""),
    ("acme/compiled", {"hits": ["train.py:3"]}, "hits: got ['train.py:2'], expected ['train.py:3']"),
    ("acme/compiled", {"hits": []}, "expected []"),
    ("acme/acme", {"framework": "other"}, "expected 'other'"),
]


@pytest.mark.parametrize(("rule", "expect", "said"), CASE_RESULTS)
def test_a_case_that_fails_says_what_it_found(rule: str, expect: dict[str, object], said: str, tmp_path: Path) -> None:
    book = compiled(write_pack(tmp_path))
    case = {"name": "x", "files": {"train.py": "import acme\nacme.compile(1)\n"}, "expect": expect}
    result = run_case(book.get(rule), case, book)
    assert said in result.problem and bool(said) == bool(result.problem)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No built-in packs: the commands see the small pack alone."""
    for module in ("load", "discover", "cases"):
        monkeypatch.setattr(sys.modules[f"gto_rules.rulebook.{module}"], "builtin_packs", lambda: ())
    monkeypatch.setenv("GTO_RULES_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("alone")
def test_running_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write_pack(tmp_path, {"patterns/compiled.test.yaml": COMPILED_CASES})
    assert main(["rules", "test", str(root), "-k", "compiled"]) == 0
    assert "2 cases passed, 0 failed, 0 known gaps, 0 rules lack cases" in capsys.readouterr().out
    assert main(["rules", "test", str(root)]) == 1
    assert "LACKS  acme/half: needs a case where it holds" in capsys.readouterr().out
    assert main(["rules", "test", "--pack", str(root), "-k", "compiled"]) == 0
    assert "2 cases passed" in capsys.readouterr().out


@pytest.mark.usefixtures("alone")
def test_a_failing_case_and_a_known_gap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failing = COMPILED_CASES.replace("train.py:2", "train.py:7")
    root = write_pack(tmp_path, {"patterns/compiled.test.yaml": failing})
    assert main(["rules", "test", str(root), "-k", "compiled"]) == 1
    said = capsys.readouterr().out
    assert "FAILED acme/compiled: a call\n" in said and "compiled.test.yaml:4\n" in said
    assert said.index("- train.py:7") < said.index("+ train.py:2") < said.index(">   2 | acme.compile(1)")
    assert "1 cases passed, 1 failed" in said
    gap = failing.replace("  - name: a call\n", "  - name: a call\n    gap: not yet\n")
    write_pack(tmp_path, {"patterns/compiled.test.yaml": gap})
    assert main(["rules", "test", str(root), "-k", "compiled"]) == 0
    assert "1 cases passed, 0 failed, 1 known gaps" in capsys.readouterr().out
    write_pack(tmp_path, {"patterns/compiled.test.yaml": gap.replace("train.py:7", "train.py:2")})
    assert main(["rules", "test", str(root), "-k", "compiled"]) == 1
    assert "this known gap comes out right now: remove its 'gap'" in capsys.readouterr().out


@pytest.mark.usefixtures("alone")
def test_no_cases_are_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write_pack(tmp_path, {"patterns/compiled.test.yaml": COMPILED_CASES})
    assert main(["rules", "test", str(root), "-k", "nothing-of-the-kind"]) == 1
    assert "no cases were found for rules whose id holds 'nothing-of-the-kind'" in capsys.readouterr().err


@pytest.mark.usefixtures("alone")
def test_results_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write_pack(tmp_path, {"patterns/compiled.test.yaml": COMPILED_CASES.replace("train.py:2", "train.py:7")})
    write_pack(tmp_path, {"items/half.test.yaml": "a: ["})
    assert main(["rules", "test", str(root), "--format", "json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["passed"], data["failed"], data["gaps"]) == (1, 1, 0)
    failed, passed = data["cases"]
    assert failed["path"] == "acme/patterns/compiled.test.yaml" and failed["line"] == 4
    assert failed["mismatches"] == [{"what": "hits", "expected": ["train.py:7"], "got": ["train.py:2"], "note": None}]
    assert passed["outcome"] == "passed" and passed["positive"] is False
    assert {"acme/half", "acme/compile"} <= {row["rule"] for row in data["lacking"]}
    assert data["errors"][0]["path"] == "acme/items/half.test.yaml"


@pytest.mark.usefixtures("alone")
def test_processes_change_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = COMPILED_CASES.partition("cases:\n")[2]
    failing = case.replace("train.py:2", "train.py:7")
    many = COMPILED_CASES + (case + failing) * 30
    root = write_pack(tmp_path, {"patterns/compiled.test.yaml": many})
    said = []
    for jobs in ("1", "3"):
        assert main(["rules", "test", str(root), "-j", jobs]) == 1
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] and "92 cases passed, 30 failed" in said[0]


def test_a_number_of_processes_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["rules", "test", "-j", "0"])
    assert stop.value.code == 2 and "'0' is not a whole number from 1" in capsys.readouterr().err


@pytest.mark.usefixtures("alone")
def test_rules_of_a_given_pack_are_listed_with_their_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write_pack(tmp_path, {"items/half.test.yaml": HALF_CASES})
    main(["rules", "list", "--pack", str(root), "--format", "json"])
    rows = {r["id"]: r for r in json.loads(capsys.readouterr().out)["rules"]}
    assert rows["acme/half"]["tests"] == {"positive": 1, "negative": 1}
    assert rows["acme/half"]["points"] == 3 and rows["acme/speed"]["max"] == 5
    assert "acme/half_precision" not in rows


@pytest.mark.usefixtures("alone")
def test_show_from_inside_the_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(write_pack(tmp_path))
    assert main(["rules", "show", "acme/half", "--pack", "."]) == 0
    assert capsys.readouterr().out == "# acme/items/half.yaml:3\n" + FILES["items/half.yaml"]


@pytest.mark.usefixtures("alone")
def test_validate_prints_every_mistake_with_a_caret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = FILES["items/half.yaml"].replace("points: 3", "pionts: 3")
    root = write_pack(tmp_path, {"items/half.yaml": broken})
    assert main(["rules", "validate", str(root)]) == 2
    said = capsys.readouterr().err
    assert "acme/items/half.yaml:8:1: unknown key 'pionts' [acme/half]\n    pionts: 3\n    ^\n" in said
    assert said.rstrip().endswith("2 error(s)")
    write_pack(tmp_path, {"items/half.test.yaml": "a: ["})
    assert main(["rules", "validate", str(root)]) == 2
    assert "acme/items/half.test.yaml:1:5: YAML syntax error" in capsys.readouterr().err
