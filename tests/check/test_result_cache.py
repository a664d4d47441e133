"""Results are kept by content; whatever happens to the cache, the findings are the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checking import FAULT, ITEM, Checker, write
from gto_rules.rulebook import load

LOADER = "from torch.utils.data import DataLoader\nfrom options import WORKERS\n\n"
LOADER += "loader = DataLoader(data, shuffle=True, num_workers=WORKERS)\n"
FILES: dict[str, str | bytes] = {
    "a.py": FAULT,
    "b.py": LOADER,
    "options.py": "WORKERS = 0\n",
    "c.json": '{"train_batch_size": 1, "zero_optimization": {"stage": 9}}',
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the compiled rules and no results."""
    folder = tmp_path_factory.mktemp("compiled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GTO_RULES_CACHE", str(folder))
        load()
    return folder


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: Path) -> Path:
    """A cache of its own."""
    folder = tmp_path / "cache"
    shutil.copytree(compiled, folder)
    monkeypatch.setenv("GTO_RULES_CACHE", str(folder))
    return folder


def held(store: Path) -> list[Path]:
    return sorted(p for p in store.rglob("*") if p.is_file())


def test_a_second_run_finds_the_same(checker: Checker, store: Path) -> None:
    write(checker.root, FILES)
    first = checker.run(".")
    assert first[0] == 1 and ITEM in first[1]
    assert checker.run(".") == first == checker.run(".", "--no-cache")
    assert held(store)


def test_no_cache_writes_nothing(checker: Checker, store: Path) -> None:
    write(checker.root, FILES)
    before = {p: p.read_bytes() for p in held(store)}
    checker.run(".", "--no-cache")
    assert {p: p.read_bytes() for p in held(store)} == before


@pytest.mark.parametrize("damage", [b"", b"\x80\x04N.", b"garbage" * 50, None])
def test_a_damaged_cache_is_an_empty_one(checker: Checker, store: Path, damage: bytes | None) -> None:
    write(checker.root, FILES)
    first = checker.run(".")
    for path in held(store):
        raw = path.read_bytes()
        path.write_bytes(raw[: len(raw) // 2] + b"x" + raw[len(raw) // 2 + 1 :] if damage is None else damage)
    assert checker.run(".") == first
    for path in held(store):
        path.unlink()
        path.mkdir()
    assert checker.run(".") == first


def test_a_cache_that_cannot_be_written_is_done_without(
    checker: Checker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GTO_RULES_CACHE", str(tmp_path / "file" / "below"))
    write(checker.root, FILES)
    assert checker.run(".")[0] == 1


def test_what_a_finding_rests_on_counts(checker: Checker, store: Path) -> None:
    write(checker.root, FILES)
    rule = "b.py:4 torch/loader-without-workers"
    assert rule in checker.places(".")
    write(checker.root, {"options.py": "WORKERS = 4\n"})
    assert rule not in checker.places(".")
    (checker.root / "options.py").unlink()
    assert rule not in checker.places(".")
    write(checker.root, {"options/__init__.py": "WORKERS = 0\n"})
    assert rule in checker.places(".")


def test_the_declared_version_counts(checker: Checker, store: Path) -> None:
    code = "from transformers import TrainingArguments\n\nargs = TrainingArguments('o', evaluation_strategy='no')\n"
    write(checker.root, {"train.py": code, "requirements.txt": "transformers==4.30.0\n"})
    assert checker.places("train.py") == []
    write(checker.root, {"requirements.txt": "transformers==5.0.0\n"})
    assert checker.places("train.py") == ["train.py:3 hf_trainer/renamed-argument"]


def test_the_selection_counts(checker: Checker, store: Path) -> None:
    write(checker.root, FILES)
    assert len(checker.places(".")) > 2
    assert checker.places(".", "--select", "deepspeed/impossible-value") == ["c.json:1 deepspeed/impossible-value"]
    assert len(checker.places(".")) > 2


def test_four_processes_at_once(checker: Checker, store: Path) -> None:
    write(checker.root, FILES)
    write(checker.root, {f"many/f{n}.py": FAULT for n in range(30)})
    command = [sys.executable, "-m", "gto_rules.cli.main", "check", "--jobs", "2", "."]
    running = [
        subprocess.Popen(command, cwd=checker.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ)
        for _ in range(4)
    ]
    outputs = [(process.communicate(), process.returncode) for process in running]
    assert {code for _, code in outputs} == {1}
    assert len({out for out, _ in outputs}) == 1 and outputs[0][0][1] == b""
    assert checker.run(".")[1].encode() == outputs[0][0][0]
