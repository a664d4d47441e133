"""``gto-rules check``: which files, which findings, which exit code."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from checking import FAULT, ITEM, Checker, write

HERE = f"train.py:4 {ITEM}"


def test_exit_codes(checker: Checker) -> None:
    write(checker.root, {"train.py": FAULT, "clean.py": "x = 1\n"})
    assert checker.run("clean.py")[0] == 0
    assert checker.run("train.py")[0] == 1
    assert checker.run("train.py", "--fail-on", "error")[0] == 0
    assert checker.run("train.py", "--fail-on", "never")[0] == 0
    assert checker.run("train.py", "--severity", "error")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["missing.py"], "missing.py"),
        (["--select", "torch/item-in-trainig-loop"], "did you mean 'torch/item-in-training-loop'"),
        (["--ignore", "torhc"], "torhc"),
        (["--baseline", "none.json"], "no baseline"),
        (["--pack", "nowhere"], "nowhere"),
        (["--stdin-filename", "x.py"], "goes with the path -"),
        (["--jobs", "0"], "at least 1"),
        (["--config", "none.yaml"], "cannot be read"),
    ],
)
def test_wrong_use_is_said(checker: Checker, words: list[str], said: str) -> None:
    write(checker.root, {"train.py": FAULT})
    code, _, error = checker.run(*words)
    assert code == 2 and said in error


def test_a_file_is_judged_the_same_however_it_is_named(checker: Checker) -> None:
    write(
        checker.root,
        {
            "src/pkg/__init__.py": "",
            "src/pkg/options.py": "WORKERS = 0\n",
            "src/pkg/train.py": "from torch.utils.data import DataLoader\nfrom pkg.options import WORKERS\n\n"
            "loader = DataLoader(data, shuffle=True, num_workers=WORKERS)\n" + FAULT,
            "build/lib/train.py": FAULT,
            "ds.json": '{"zero_optimization": {"stage": 4}, "steps_per_print": 10}',
            "run.sh": "CUDA_LAUNCH_BLOCKING=1 torchrun train.py\n",
        },
    )
    whole = checker.json(".")["findings"]
    names = sorted(str(p.relative_to(checker.root)) for p in checker.root.rglob("*") if p.is_file())
    assert whole == checker.json(*names)["findings"]
    assert whole == checker.json(*names, ".", "src", "--jobs", "2")["findings"]
    assert {f["rule"] for f in whole} >= {ITEM, "torch/loader-without-workers", "deepspeed/impossible-value"}
    assert [f["path"] for f in whole if f["rule"] == ITEM] == ["build/lib/train.py", "src/pkg/train.py"]


@pytest.mark.parametrize(
    ("content", "column"),
    [
        (FAULT.encode("utf-8-sig"), 14),
        (FAULT.replace("\n", "\r\n").encode(), 14),
        (f"# {'é'}\n".encode("latin-1") + FAULT.encode(), 14),
        (FAULT.encode("utf-16"), 14),
        (FAULT.replace("total", "總計總計").encode(), 13),
        (FAULT.replace("    ", "\t").encode(), 11),
        ((FAULT + "def broken(:\n").encode(), 14),
        (b"\x00" + FAULT.encode(), None),
    ],
)
def test_encodings_keep_places_right(checker: Checker, content: bytes, column: int | None) -> None:
    write(checker.root, {"train.py": content})
    data = checker.json("train.py")
    found = [(f["column"], f["rule"]) for f in data["findings"]]
    assert found == ([(column, ITEM)] if column else [])
    assert bool(data["skipped"]) is (column is None or b"broken" in content)


def test_notebooks_with_magics(checker: Checker) -> None:
    cell = ["%matplotlib inline\n", "!pip install x\n", *FAULT.splitlines(keepends=True)]
    book = {"cells": [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": []}], "metadata": {}}
    write(checker.root, {"a.ipynb": json.dumps({**book, "nbformat": 4, "nbformat_minor": 5}, indent=1)})
    (found,) = checker.json("a.ipynb")["findings"]
    lines = (checker.root / "a.ipynb").read_text().splitlines()
    assert "loss.item()" in lines[found["line"] - 1] and found["fix"] is None


def test_what_is_not_checked_is_said(checker: Checker) -> None:
    write(checker.root, {"big.py": FAULT + "x = 1\n" * 400_000, "gto-rules.yaml": "max_file_kb: 100\n"})
    os.mkfifo(checker.root / "pipe.py")
    (checker.root / "nothing.py").symlink_to("gone.py")
    skipped = {s["path"]: s["reason"] for s in checker.json(".")["skipped"]}
    assert skipped["big.py"] == "is larger than 100 kB"
    assert set(skipped) == {"big.py", "pipe.py", "nothing.py"}
    assert "not checked" in checker.run(".")[1]
    assert checker.json("pipe.py")["skipped"]


def test_parts_that_do_not_read_are_said_with_their_line(checker: Checker) -> None:
    write(checker.root, {"a.py": FAULT + "args = TrainingArguments(bf16=\n", "c.yaml": "a: 1\nb: [1,\nc: {x\n"})
    data = checker.json(".")
    assert [f["rule"] for f in data["findings"]] == [ITEM]
    last = FAULT.count("\n") + 1
    assert [(s["path"], s["line"]) for s in data["skipped"]] == [("a.py", last), ("c.yaml", 1)]
    assert f"a.py:{last}" in checker.run(".")[1] and data == checker.json(".")


def test_a_named_file_of_another_kind_is_said(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    write(checker.root, {"notes.txt": FAULT})
    assert "look at" in checker.json("notes.txt")["skipped"][0]["reason"]
    assert checker.json(".")["skipped"] == []


def test_excludes_hold_for_named_files_too(checker: Checker) -> None:
    write(
        checker.root,
        {"third_party/train.py": FAULT, "train.py": FAULT, "gto-rules.yaml": "exclude: [third_party/**, '*_pb2.py']\n"},
    )
    assert checker.places(".") == [HERE]
    assert checker.places("third_party/train.py", "train.py") == [HERE]


def test_a_checkout_below_an_excluded_name_is_checked(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    write(checker.root, {"build/me/train.py": FAULT, "build/me/gto-rules.yaml": "exclude: [build]\n"})
    monkeypatch.chdir(checker.root / "build" / "me")
    assert checker.places(".") == [HERE]


def test_the_nearest_configuration_holds(checker: Checker) -> None:
    write(
        checker.root,
        {
            "pyproject.toml": '[tool.gto-rules]\nignore = ["torch"]\n',
            "train.py": FAULT,
            "inner/gto-rules.yaml": "{}\n",
            "inner/train.py": FAULT,
        },
    )
    assert checker.places(".") == [f"inner/train.py:4 {ITEM}"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("gto-rules.yaml", "selct: [torch]\n", "did you mean 'select'?"),
        ("gto-rules.yaml", "exclude: third_party\n", "'exclude' is text"),
        ("gto-rules.yaml", "a: [\n", "YAML syntax error"),
        ("gto-rules.yaml", "select: [a]\nselect: [b]\n", "select"),
        ("gto-rules.yaml", "per_path:\n  - {paths: [a], ignore: [torch]}\n", "the key 'reason' is missing"),
        ("pyproject.toml", "[tool.gto-rules]\nselct = []\n", "did you mean 'select'?"),
        ("pyproject.toml", "[tool.gto-rules]\nselect = [\n", "pyproject.toml:"),
    ],
)
def test_a_broken_configuration_is_an_error_with_its_place(checker: Checker, name: str, text: str, said: str) -> None:
    write(checker.root, {name: text, "train.py": FAULT})
    code, out, error = checker.run("train.py")
    assert code == 2 and said in error and name in error and not out


def test_paths_of_the_configuration(checker: Checker) -> None:
    rows = "per_path:\n  - {paths: ['tests/**'], ignore: [torch], reason: examples%s}\n"
    write(checker.root, {"gto-rules.yaml": rows % "", "tests/train.py": FAULT, "train.py": FAULT})
    data = checker.json(".")
    assert [f["path"] for f in data["findings"]] == ["train.py"]
    assert [(s["path"], s["suppression"]["reason"]) for s in data["suppressed"]] == [("tests/train.py", "examples")]
    write(checker.root, {"gto-rules.yaml": rows % ", until: '2020-01-01'"})
    assert len(checker.places(".")) == 2


def test_stdin(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stream:
        def __init__(self, text: str) -> None:
            import io

            self.buffer = io.BytesIO(text.encode())

    monkeypatch.setattr("sys.stdin", Stream(FAULT))
    assert checker.places("-", "--stdin-filename", "train.py") == [HERE]
    assert checker.run("-")[0] == 2


def test_a_baseline_survives_moved_lines_and_sees_new_faults(checker: Checker) -> None:
    write(checker.root, {"train.py": FAULT, "other.py": "x = 1\n"})
    assert checker.run(".", "--write-baseline", "known.json")[0] == 0
    write(checker.root, {"train.py": "import os\n\n\n" + FAULT})
    assert checker.places(".", "--baseline", "known.json") == []
    assert len(checker.json(".", "--baseline", "known.json")["suppressed"]) == 1
    write(checker.root, {"train.py": FAULT + "    more += loss.item()\n", "other.py": FAULT})
    assert checker.places(".", "--baseline", "known.json") == [f"other.py:4 {ITEM}", f"train.py:5 {ITEM}"]
    write(checker.root, {"train.py": FAULT + "    total += loss.item()\n"})
    assert checker.places("train.py", "--baseline", "known.json") == [f"train.py:5 {ITEM}"]
    write(checker.root, {"known.json": "{}"})
    assert checker.run(".", "--baseline", "known.json")[0] == 2


def git(root: Path, *words: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    names = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", str(root), *names, *words], check=True, capture_output=True, env=environment)


def test_only_what_a_change_brings(checker: Checker) -> None:
    git(checker.root, "init", "-q")
    write(checker.root, {"train.py": FAULT, "moved.py": FAULT + "# the same file\n" * 9, "same.py": FAULT})
    git(checker.root, "add", ".")
    git(checker.root, "commit", "-qm", "one")
    assert checker.places(".", "--diff", "HEAD") == []
    write(checker.root, {"train.py": "import os\n" + FAULT + "    more += loss.item()\n", "new.py": FAULT})
    git(checker.root, "mv", "moved.py", "elsewhere.py")
    assert checker.places(".", "--diff", "HEAD") == [f"new.py:4 {ITEM}", f"train.py:6 {ITEM}"]
    code, _, error = checker.run(".", "--diff", "nothing")
    assert code == 2 and "no revision 'nothing'" in error


def test_diff_outside_of_a_repository(checker: Checker) -> None:
    write(checker.root, {"train.py": FAULT})
    assert checker.run(".", "--diff", "HEAD")[0] == 2


LOADER = "from torch.utils.data import DataLoader\n\nloader = DataLoader(data, num_worker=2, shuffle=True)\n"


def test_the_patch_applies_and_mends(checker: Checker) -> None:
    files = {
        "a/train.py": LOADER.replace("\n", "\r\n").encode("utf-8-sig"),
        "ds config.json": json.dumps({"train_batch_size": 1, "zero_optimization": {"overlap_com": True}}, indent=1),
    }
    write(checker.root, files)
    git(checker.root, "init", "-q")
    before = {p: p.read_bytes() for p in checker.root.rglob("*") if p.is_file() and ".git" not in p.parts}
    code, _, said = checker.run(".", "--emit-patch", "fix.patch")
    assert code == 1 and "2 fixes in 2 files" in said
    # Both fixes of the loader would name the argument twice.
    assert "a/train.py:3: torch/loader-without-workers is not in the patch: its fix does not go together" in said
    assert before == {p: p.read_bytes() for p in before}
    git(checker.root, "apply", "fix.patch")
    after = (checker.root / "a/train.py").read_bytes()
    assert after == LOADER.replace("num_worker=2", "num_workers=2").replace("\n", "\r\n").encode("utf-8-sig")
    assert "overlap_comm" in (checker.root / "ds config.json").read_text()
    assert checker.places(".") == []


def test_a_patch_made_in_a_folder_of_the_repository_applies(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    git(checker.root, "init", "-q")
    write(checker.root, {"sub/train.py": LOADER})
    monkeypatch.chdir(checker.root / "sub")
    assert "1 fix in 1 file" in checker.run("train.py", "--emit-patch", "../fix.patch")[2]
    git(checker.root, "apply", "fix.patch")
    assert "num_workers=2" in (checker.root / "sub/train.py").read_text()


def test_a_baseline_holds_wherever_the_check_runs(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    write(checker.root, {"sub/train.py": FAULT})
    checker.run(".", "--write-baseline", "known.json")
    monkeypatch.chdir(checker.root / "sub")
    assert checker.places("train.py", "--baseline", "../known.json") == []


def test_fixes_are_shown_as_a_diff(checker: Checker) -> None:
    write(checker.root, {"ds.json": '{"train_batch_size": 1, "steps_per_print": 9, "wall_clock_breakdown": true}\n'})
    out = checker.run(".", "--show-fixes")[1]
    assert "+{" in out and '"wall_clock_breakdown": false' in out


def test_show_origin_of_configuration(checker: Checker, capsys: pytest.CaptureFixture[str]) -> None:
    from gto_rules.cli.main import main

    write(checker.root, {"pyproject.toml": '[project]\nname = "x"\n\n[tool.gto-rules]\nseverity = "error"\n'})
    assert main(["config", "show"]) == 0
    out = capsys.readouterr().out
    assert f'"error"  ({checker.root}/pyproject.toml:5)' in out and "(default)" in out
