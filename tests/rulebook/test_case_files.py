"""Inputs and expected results of cases that lie in folders beside the test file."""

from __future__ import annotations

from pathlib import Path

import pytest
from gto_rules.loop.rule_cases import run_case
from gto_rules.rulebook.cases import read_cases
from small_pack import compiled, mistakes, write_pack

CASES = """\
kind: test
rule: acme/compiled
cases:
  - name: files beside
    files_from: compiled.files/one
    files: {more.py: "import acme\\nacme.compile(2)\\n"}
    expect: {hits: ["more.py:2", "train.py:2"]}
  - name: written here
    files: {train.py: "import acme\\n"}
    expect: {hits: []}
"""
FOLDER = {
    "patterns/compiled.test.yaml": CASES,
    "patterns/compiled.files/one/train.py": b"import acme\nacme.compile(1)\n# \xff\n",
    "patterns/compiled.files/one/config.yaml": "kind: nothing\n",
    "patterns/compiled.files/one/x.test.yaml": "no: test\n",
    "patterns/compiled.files/one/deep/er.txt": "x",
}


def test_files_of_a_folder_and_written_ones_come_together(tmp_path: Path) -> None:
    root = write_pack(tmp_path, FOLDER)
    assert not mistakes(root), "what lies in a .files folder is no rule"
    cases, wrong = read_cases([root])
    assert not wrong
    one = cases["acme/compiled"]
    assert sorted(one.cases[0]["files"]) == ["config.yaml", "deep/er.txt", "more.py", "train.py", "x.test.yaml"]
    assert one.lines == (4, 8)
    book = compiled(root)
    assert [run_case(book.get(one.rule), case, book).problem for case in one.cases] == ["", ""]


def test_bytes_that_are_no_text_come_through(tmp_path: Path) -> None:
    content = b"import acme\nacme.compile(1)\n# \xff\n"
    case = read_cases([write_pack(tmp_path, FOLDER)])[0]["acme/compiled"].cases[0]
    assert case["files"]["train.py"].encode("utf-8", "surrogateescape") == content


REMEDY = """\
kind: remedy
schema: 1
id: acme/compile-fast
title: Compile fast
why: It is faster.
risk: neutral
edits:
  - set_keyword: {pattern: acme/compiled, keyword: fast, value: "True"}
"""
REMEDY_CASES = """\
kind: test
rule: acme/compile-fast
cases:
  - name: the call gets the keyword
    files_from: fast.files/before
    expect: {files_from: fast.files/after}
  - name: no place
    files: {train.py: "import acme\\n"}
    expect: {refused: "nothing to change"}
"""


def test_edited_files_are_expected_from_a_folder(tmp_path: Path) -> None:
    files = {
        "remedies/compile-fast.yaml": REMEDY,
        "remedies/compile-fast.test.yaml": REMEDY_CASES,
        "remedies/fast.files/before/train.py": "import acme\nacme.compile(1)\n",
        "remedies/fast.files/after/train.py": "import acme\nacme.compile(1, fast=True)\n",
    }
    root = write_pack(tmp_path, files)
    book = compiled(root)
    one = read_cases([root])[0]["acme/compile-fast"]
    assert [run_case(book.get(one.rule), case, book).problem for case in one.cases] == ["", ""]
    wrong = {**files, "remedies/fast.files/after/train.py": "import acme\nacme.compile(1, fast=1)\n"}
    again = read_cases([write_pack(tmp_path, wrong)])[0]["acme/compile-fast"].cases[0]
    assert (
        "train.py: got 'import acme\\nacme.compile(1, fast=True)" in run_case(book.get(one.rule), again, book).problem
    )


@pytest.mark.parametrize("target", ["../../../outside", "../../outside/train.py", "nothing"])
def test_links_do_not_leave_the_pack(target: str, tmp_path: Path) -> None:
    root = write_pack(tmp_path, FOLDER)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "train.py").write_text("secret\n", "utf-8")
    folder = root / "patterns" / "compiled.files"
    if target.startswith("../../../"):
        (folder / "two").symlink_to(tmp_path / "outside")
        (root / "patterns" / "compiled.test.yaml").write_text(CASES.replace("/one", "/two"), "utf-8")
    else:
        (folder / "one" / "link.py").symlink_to(Path(target if target == "nothing" else tmp_path / "outside/train.py"))
    cases, wrong = read_cases([root])
    assert "acme/compiled" not in cases
    assert len(wrong) == 1 and any(word in wrong[0].message for word in ("link", "outside"))
    assert wrong[0].location is not None and wrong[0].location.line == 5
