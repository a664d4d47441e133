"""Copies of projects: complete, honest about what they left out, and no way back into the original."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections import namedtuple
from pathlib import Path

import pytest
from gto_rules.errors import PatchError
from gto_rules.patch import copy_tree, fork
from gto_rules.patch.fork import MARKER, count_files, make_fork
from gto_rules.patch.manifest import take_manifest
from hypothesis import given, settings
from hypothesis import strategies as st

Usage = namedtuple("Usage", "total used free")


def write_everywhere(root: Path) -> None:
    """What a careless run could do: write to every path that it can name."""
    for folder, _, names in os.walk(root, followlinks=False):
        for name in names:
            path = Path(folder) / name
            try:
                path.write_text("overwritten")
            except OSError:
                continue
    for folder in [p for p in root.rglob("*") if p.is_dir()]:
        (folder / "new-file").write_text("new")


NAMES = st.sampled_from(["a", "b", "c", "d e"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
LINKS = st.tuples(
    PATHS, st.sampled_from(["relative", "absolute", "parent", "other spelling", "dangling", "root"]), PATHS
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PATHS, max_size=5), st.lists(LINKS, max_size=5))
def test_nothing_goes_through_a_copy(files: list[str], links: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        top = Path(temporary)
        root = top / "real/p"
        root.mkdir(parents=True)
        (top / "spelled").symlink_to("real")
        for path in files:
            try:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(path)
            except OSError:  # a file where a folder is wanted
                continue
        for path, way, to in links:
            target = {
                "relative": os.path.relpath(root / to, (root / path).parent),
                "absolute": str(root / to),
                "parent": os.path.relpath(root.parent, (root / path).parent) + f"/p/{to}",
                "other spelling": str(top / "spelled/p" / to),
                "dangling": str(root / "missing" / to),
                "root": str(root),
            }[way]
            try:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).symlink_to(target)
            except OSError:
                continue
        before = take_manifest(root)
        made = make_fork(top / "spelled/p", top / "w")
        assert made.files_fork == made.files_original == count_files(root), made.notes
        assert take_manifest(root) == before
        for folder, names, files_there in os.walk(made.root):
            for name in (*names, *files_there):
                leads = Path(os.path.realpath(Path(folder) / name))
                assert not leads.is_relative_to(root), (folder, name, leads)
        write_everywhere(made.root)
        assert take_manifest(root) == before


def test_a_way_round_through_a_folder_outside_is_straightened(tmp_path: Path) -> None:
    root = tmp_path / "p"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text("x")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/back").symlink_to(root / "src")
    (root / "shared").symlink_to("../shared")
    (root / "round").symlink_to("shared/back")
    made = make_fork(root, tmp_path / "w")
    assert os.path.realpath(made.root / "round") == os.path.realpath(made.root / "src")
    assert any("outside the project; kept" in note for note in made.notes)


def test_links_up_through_the_parent_point_into_the_copy(tmp_path: Path) -> None:
    root = tmp_path / "p"
    root.mkdir()
    (root / "a.py").write_text("x")
    (root / "b.py").symlink_to("../p/a.py")
    made = make_fork(root, tmp_path / "w")
    assert (made.root / "b.py").readlink() == Path("a.py")


def test_holes_stay_holes(tmp_path: Path) -> None:
    root = tmp_path / "p"
    root.mkdir()
    with (root / "sparse.bin").open("wb") as stream:
        stream.write(b"head")
        stream.seek(64 << 20)
        stream.write(b"tail")
        stream.truncate(256 << 20)
    original = (root / "sparse.bin").stat()
    if original.st_blocks * 512 > 1 << 20:
        pytest.skip("the file system keeps no holes")
    made = make_fork(root, tmp_path / "w")
    copy = made.root / "sparse.bin"
    assert copy.stat().st_size == 256 << 20 and copy.stat().st_blocks * 512 < 1 << 20
    assert take_manifest(root)["sparse.bin"] == take_manifest(made.root)["sparse.bin"]


def test_hard_links_become_files_of_their_own(tmp_path: Path) -> None:
    root = tmp_path / "p"
    root.mkdir()
    (root / "a").write_text("one")
    os.link(root / "a", root / "b")
    made = make_fork(root, tmp_path / "w")
    (made.root / "a").write_text("two")
    assert (made.root / "b").read_text() == (root / "a").read_text() == "one"


def test_modes_are_kept_and_everything_can_be_written(tmp_path: Path) -> None:
    root = tmp_path / "p"
    (root / "locked").mkdir(parents=True)
    (root / "locked/x.sh").write_text("x")
    (root / "locked/x.sh").chmod(0o555)
    (root / "locked").chmod(0o555)
    try:
        made = make_fork(root, tmp_path / "w")
    finally:
        (root / "locked").chmod(0o755)
    assert stat.S_IMODE((made.root / "locked/x.sh").stat().st_mode) == 0o755
    assert stat.S_IMODE((made.root / "locked").stat().st_mode) == 0o755


def test_deep_trees_and_odd_names(tmp_path: Path) -> None:
    root = tmp_path / "p"
    deep = root.joinpath(*["d"] * 600)
    deep.mkdir(parents=True)
    (deep / os.fsdecode(b"caf\xe9")).write_text("x")
    os.mkfifo(root / os.fsdecode(b"pi\xffpe"))
    made = make_fork(root, tmp_path / "w")
    assert made.files_fork == made.files_original == 1
    assert made.notes == (r"pi\xffpe: not copied, it is neither a file nor a folder",)


def linkable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_tree, "unwritable", lambda path, status: True)
    monkeypatch.setattr(copy_tree, "_clone", lambda source, target: False)


def test_large_files_are_linked_only_where_nothing_can_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "p"
    root.mkdir()
    (root / "big.bin").write_bytes(b"x" * 2000)
    (root / "small.bin").write_bytes(b"x")
    (root / "model.ckpt").write_bytes(b"x")
    made = make_fork(root, tmp_path / "w", link_over_bytes=1000, link_suffixes=[".ckpt"])
    assert made.linked == 0 and not (made.root / "big.bin").is_symlink()
    linkable(monkeypatch)
    made = make_fork(root, tmp_path / "w", link_over_bytes=1000, link_suffixes=[".ckpt"])
    assert made.linked == 2 and made.files_fork == made.files_original == 3
    assert {p.name for p in made.root.iterdir() if p.is_symlink()} == {"big.bin", "model.ckpt"}
    assert sum("nothing can write to it" in note for note in made.notes) == 2


def test_a_run_that_sees_the_original_read_only_may_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_tree, "_clone", lambda source, target: False)
    root = tmp_path / "p"
    root.mkdir()
    (root / "big.bin").write_bytes(b"x" * 2000)
    (tmp_path / "outside.bin").write_bytes(b"y" * 2000)
    (root / "out.bin").symlink_to("../outside.bin")
    made = make_fork(root, tmp_path / "w", link_over_bytes=1000, protected=True)
    assert (made.root / "big.bin").is_symlink()
    # What lies outside the original is not protected with it.
    assert not (made.root / "out.bin").is_symlink() and (made.root / "out.bin").read_bytes() == b"y" * 2000


def test_permission_bits_do_not_protect(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("x")
    path.chmod(0o444)
    # We own it: the mode can be changed. An administrator need not even do that.
    assert not copy_tree.unwritable(path, path.stat())


def test_a_full_disk_is_said_before_copying(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "p"
    root.mkdir()
    (root / "a.bin").write_bytes(b"x" * 5000)
    monkeypatch.setattr(copy_tree, "_clone", lambda source, target: False)
    monkeypatch.setattr(fork.shutil, "disk_usage", lambda path: Usage(10**9, 10**9, 1000))
    with pytest.raises(PatchError, match=r"needs .* GB, but only .* free"):
        make_fork(root, tmp_path / "w")
    assert not (tmp_path / "w/project").exists()


def test_a_disk_that_fills_up_ends_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "p"
    root.mkdir()
    (root / "a").write_text("x")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(copy_tree, "_clone", lambda source, target: False)
    monkeypatch.setattr(copy_tree, "_copy", full)
    with pytest.raises(PatchError, match=r"disk .* is full"):
        make_fork(root, tmp_path / "w")


def test_a_file_that_cannot_be_read_is_missed_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "p"
    root.mkdir()
    (root / "bad").write_text("x")
    (root / "good").write_text("y")
    plain = shutil.copyfile

    def copyfile(source: Path, target: Path) -> object:
        if source.name == "bad":
            raise OSError(errno.EIO, "Input/output error")
        return plain(source, target)

    monkeypatch.setattr(copy_tree, "_clone", lambda source, target: False)
    monkeypatch.setattr(copy_tree.shutil, "copyfile", copyfile)
    made = make_fork(root, tmp_path / "w")
    assert (made.files_original, made.files_fork) == (2, 1)
    assert made.notes == ("bad: not copied (Input/output error)",)


def test_blocks_are_shared_where_the_file_system_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "p"
    root.mkdir()
    (root / "a").write_text("x")

    def clone(source: Path, target: Path) -> bool:
        shutil.copyfile(source, target)
        return True

    monkeypatch.setattr(copy_tree, "_clone", clone)
    monkeypatch.setattr(fork.shutil, "disk_usage", lambda path: Usage(1, 1, 0))
    made = make_fork(root, tmp_path / "w")
    assert (made.cloned, made.bytes_copied, made.files_fork) == (1, 0, 1)


def test_only_a_copy_of_the_same_project_is_replaced(tmp_path: Path) -> None:
    for name in ("p", "q"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.py").write_text("x")
    first = make_fork(tmp_path / "p", tmp_path / "w")
    (first.root / "left-over").write_text("x")
    (first.root / "locked").mkdir()
    (first.root / "locked/x").touch()
    (first.root / "locked").chmod(0o500)
    with pytest.raises(PatchError, match="already holds the copy of an earlier run"):
        make_fork(tmp_path / "p", tmp_path / "w", exist="fail")
    with pytest.raises(PatchError, match="copy of another project"):
        make_fork(tmp_path / "q", tmp_path / "w")
    assert (first.root / "left-over").exists()
    again = make_fork(tmp_path / "p", tmp_path / "w")
    assert sorted(p.name for p in again.root.iterdir()) == ["p.py"]


def test_a_link_in_the_place_of_the_copy_is_taken_away_not_followed(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "w").mkdir()
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious/x").touch()
    (tmp_path / "w/project").symlink_to(tmp_path / "precious")
    with pytest.raises(PatchError, match="was not made by"):
        make_fork(tmp_path / "p", tmp_path / "w")
    (tmp_path / "w" / MARKER).write_bytes(os.fsencode(tmp_path / "p") + b"\n")
    make_fork(tmp_path / "p", tmp_path / "w")
    assert (tmp_path / "precious/x").exists() and not (tmp_path / "w/project").is_symlink()


@pytest.mark.parametrize("original", ["missing", "file"])
def test_no_project_no_copy(tmp_path: Path, original: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PatchError, match="there is no folder"):
        make_fork(tmp_path / original, tmp_path / "w")
