"""A manifest sees every change that matters, survives JSON, and says what it cannot vouch for."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from gto_rules.patch import manifest
from gto_rules.patch.manifest import UNREADABLE, Difference, compare, from_json, take_manifest, to_json, unreadable
from hypothesis import given, settings
from hypothesis import strategies as st


def sample(root: Path) -> Path:
    (root / "sub").mkdir(parents=True)
    (root / "a.txt").write_text("one")
    (root / "sub/b.txt").write_text("two")
    (root / "link").symlink_to("a.txt")
    return root


CHANGES: dict[str, tuple[Callable[[Path], object], set[Difference]]] = {
    "nothing": (lambda r: (r / "a.txt").read_text(), set()),
    "touched": (lambda r: os.utime(r / "a.txt", (1, 1)), set()),
    "same size": (lambda r: (r / "a.txt").write_text("eno"), {Difference("a.txt", "content")}),
    "appended": (lambda r: (r / "sub/b.txt").write_text("two!"), {Difference("sub/b.txt", "content")}),
    "mode": (lambda r: (r / "a.txt").chmod(0o600), {Difference("a.txt", "mode")}),
    "mode of a folder": (lambda r: (r / "sub").chmod(0o700), {Difference("sub", "mode")}),
    "mode of the root": (lambda r: r.chmod(0o700), {Difference(".", "mode")}),
    "new folder": (lambda r: (r / "sub/new").mkdir(), {Difference("sub/new", "added")}),
    "gone": (lambda r: (r / "sub/b.txt").unlink(), {Difference("sub/b.txt", "removed")}),
    "moved": (
        lambda r: (r / "a.txt").rename(r / "c.txt"),
        {Difference("a.txt", "removed"), Difference("c.txt", "added")},
    ),
    "link turned": (
        lambda r: ((r / "link").unlink(), (r / "link").symlink_to("sub/b.txt")),
        {Difference("link", "content")},
    ),
    "link became a file": (
        lambda r: ((r / "link").unlink(), (r / "link").write_text("one")),
        {Difference("link", "kind")},
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_seen(tmp_path: Path, change: str) -> None:
    root = sample(tmp_path / "p")
    root.chmod(0o755)
    before = from_json(json.loads(json.dumps(to_json(take_manifest(root)))))
    act, expected = CHANGES[change]
    act(root)
    assert set(compare(before, take_manifest(root))) == expected


FILES = st.dictionaries(st.sampled_from(["a", "b/c", "b/d", "e/f/g"]), st.binary(max_size=5), max_size=4)


@settings(max_examples=60, deadline=None)
@given(FILES, FILES)
def test_the_difference_of_two_trees_is_that_of_their_files(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    taken = []
    for files in (one, other):
        with tempfile.TemporaryDirectory() as temporary:
            for path, content in files.items():
                (Path(temporary) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(temporary) / path).write_bytes(content)
            taken.append({k: v for k, v in take_manifest(Path(temporary)).items() if v.kind == "file"})
    found = {d.path: d.what for d in compare(*taken)}
    expected = dict.fromkeys(one.keys() - other.keys(), "removed") | dict.fromkeys(other.keys() - one.keys(), "added")
    expected |= {p: "content" for p in one.keys() & other.keys() if one[p] != other[p]}
    assert found == expected


def test_a_work_directory_inside_can_be_left_out(tmp_path: Path) -> None:
    root = sample(tmp_path / "p")
    before = take_manifest(root, without=[root / "out"])
    (root / "out/journal").mkdir(parents=True)
    (root / "out/journal/x").touch()
    assert compare(before, take_manifest(root, without=[root / "out"])) == ()
    assert {d.path for d in compare(before, take_manifest(root))} == {"out", "out/journal", "out/journal/x"}


def test_names_that_are_no_text_survive(tmp_path: Path) -> None:
    root = sample(tmp_path / "p")
    (root / os.fsdecode(b"caf\xe9")).write_text("x")
    before = from_json(json.loads(json.dumps(to_json(take_manifest(root)))))
    assert compare(before, take_manifest(root)) == ()
    (root / os.fsdecode(b"caf\xe9")).unlink()
    (found,) = compare(before, take_manifest(root))
    assert found == Difference(r"caf\xe9", "removed") and found.path.encode()


def test_what_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = sample(tmp_path / "p")
    real = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("sub"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(manifest.os, "scandir", scandir)
    monkeypatch.setattr(manifest, "_digest", lambda path: UNREADABLE)
    assert set(unreadable(take_manifest(root))) == {"sub//", "a.txt"}


def test_folders_nested_beyond_recursion(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 1500)
    here = os.open(tmp_path, os.O_RDONLY)
    try:
        for _ in range(1500):
            os.mkdir("d", dir_fd=here)
            there = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = there
    finally:
        os.close(here)
    assert len(take_manifest(tmp_path)) == 1 + len(deep.relative_to(tmp_path).parts)
