"""Writing fixes and taking them back, diffs that git takes, copies of projects, proofs that nothing changed."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
from gto_rules.errors import PatchError
from gto_rules.location import Span
from gto_rules.patch.diff import unified
from gto_rules.patch.fork import MARKER, count_files, make_fork
from gto_rules.patch.manifest import Difference, compare, from_json, take_manifest, to_json
from gto_rules.patch.model import Applied, Edit, Fix
from gto_rules.patch.relocate import relocate, relocate_text
from gto_rules.patch.write import apply_fix, changes_of, combined_diff, undo
from gto_rules.project.project import Project
from hypothesis import given, settings
from hypothesis import strategies as st

LINES = st.lists(
    st.sampled_from([b"a\n", b"b\n", b"\n", b"c\r\n", b"\xe9\xff\n", b"- x\n", b"+ y\n", b"\\ z\n"]), max_size=12
)
ENDS = st.sampled_from([b"", b"end", b"e\r"])


def git_apply(folder: Path, diff: bytes, *options: str) -> None:
    done = subprocess.run(["git", "apply", *options, "-"], cwd=folder, input=diff, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


@settings(max_examples=40, deadline=None)
@given(LINES, ENDS, LINES, ENDS, st.sampled_from(["a.py", "d e/é b.py", 'q"uote.py', "tab\tx.py"]))
def test_git_takes_every_diff_and_takes_it_back(
    old: list[bytes], old_end: bytes, new: list[bytes], new_end: bytes, name: str
) -> None:
    before, after = b"".join(old) + old_end, b"".join(new) + new_end
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(before)
        diff = unified(name, before, after)
        assert (diff == b"") == (before == after)
        if diff:
            git_apply(Path(temporary), diff)
            assert path.read_bytes() == after
            git_apply(Path(temporary), diff, "-R")
            assert path.read_bytes() == before


@pytest.mark.parametrize(("before", "after"), [(None, b"new\n"), (b"old\n", None)])
def test_git_creates_and_deletes_files(tmp_path: Path, before: bytes | None, after: bytes | None) -> None:
    if before is not None:
        (tmp_path / "a.txt").write_bytes(before)
    git_apply(tmp_path, unified("a.txt", before, after))
    assert (tmp_path / "a.txt").exists() == (after is not None)


def fix_of(*edits: Edit, remedy: str = "core/x") -> Fix:
    return Fix(remedy, "title", edits)


def test_a_fix_is_written_and_taken_back(tmp_path: Path) -> None:
    source = "# -*- coding: latin-1 -*-\r\ns = 'é'\r\nx = 1\r\n".encode("latin-1")
    (tmp_path / "a.py").write_bytes(source)
    (tmp_path / "a.py").chmod(0o755)
    at = source.decode("latin-1").encode().index(b"1\r\n", 40)
    fix = fix_of(Edit("a.py", Span(at, at + 1), "'ü'"), Edit("new/b.py", Span(0, 0), "y = 2\n", create=True))
    applied = apply_fix(fix, tmp_path, None, None)
    assert (tmp_path / "a.py").read_bytes() == source.replace(b"x = 1", b"x = '\xfc'")
    assert (tmp_path / "new/b.py").read_text() == "y = 2\n"
    assert stat.S_IMODE((tmp_path / "a.py").stat().st_mode) == 0o755
    undo(applied, tmp_path)
    assert (tmp_path / "a.py").read_bytes() == source
    assert not (tmp_path / "new/b.py").exists()


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([Edit("a.py", Span(4, 5), "(")], "would not parse"),
        ([Edit("a.py", Span(0, 3), "y"), Edit("a.py", Span(2, 5), "z")], "overlap"),
        ([Edit("l.py", Span(30, 30), "# \u4e2d\n")], "cannot be written as"),
    ],
)
def test_a_bad_fix_writes_nothing(tmp_path: Path, edits: list[Edit], reason: str) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "l.py").write_bytes(b"# -*- coding: latin-1 -*-\ns = '\xe9'\n")
    before = take_manifest(tmp_path)
    with pytest.raises(PatchError, match=reason):
        apply_fix(fix_of(*edits), tmp_path, None, None)
    assert take_manifest(tmp_path) == before


def test_undo_refuses_to_lose_a_later_change(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    applied = apply_fix(fix_of(Edit("a.py", Span(4, 5), "2")), tmp_path, None, None)
    (tmp_path / "a.py").write_text("x = 3\n")
    with pytest.raises(PatchError, match=r"a\.py was changed after core/x"):
        undo(applied, tmp_path)
    assert (tmp_path / "a.py").read_text() == "x = 3\n"


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 9)), min_size=1, max_size=5))
def test_undoing_in_reverse_gives_back_every_state(steps: list[tuple[int, int]]) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        for name in "abc":
            (root / f"{name}.py").write_text("x = 0\n")
        states, done = [take_manifest(root)], list[Applied]()
        for file, value in steps:
            done.append(apply_fix(fix_of(Edit(f"{'abc'[file]}.py", Span(4, 5), str(value))), root, None, None))
            states.append(take_manifest(root))
        while done:
            assert take_manifest(root) == states.pop()
            undo(done.pop(), root)
        assert take_manifest(root) == states[0]


def test_planning_changes_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (change,) = changes_of(fix_of(Edit("a.py", Span(4, 5), "2")), tmp_path)
    assert (change.before, change.after) == (b"x = 1\n", b"x = 2\n")
    assert (tmp_path / "a.py").read_text() == "x = 1\n"


def sample(root: Path) -> None:
    """A project with everything that makes copying hard."""
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text(f"DATA = '{root}/data'\nOTHER = '{root}2/data'\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "locked.txt").write_text("read me only")
    (root / "locked.txt").chmod(0o444)
    (root / "link.py").symlink_to("src/a.py")
    (root / "absolute.py").symlink_to(root / "src/a.py")
    (root / "loop").symlink_to(".")
    (root / "nowhere").symlink_to("missing")
    (root / "é ü").mkdir()
    (root / "é ü/empty").touch()
    os.mkfifo(root / "pipe")


def test_a_copy_has_everything_and_nothing_goes_through_it(tmp_path: Path) -> None:
    root = tmp_path / "original"
    sample(root)
    outside = tmp_path / "outside.txt"
    outside.write_text("not yours")
    (root / "out.txt").symlink_to(outside)
    before = take_manifest(root)
    fork = make_fork(root, tmp_path / "work")
    assert fork.files_fork == fork.files_original == count_files(fork.root)
    assert take_manifest(root) == before
    assert stat.S_IMODE((fork.root / "run.sh").stat().st_mode) == 0o755
    assert (fork.root / "link.py").readlink() == Path("src/a.py")
    assert (fork.root / "absolute.py").resolve() == fork.root.resolve() / "src/a.py"
    assert not (fork.root / "pipe").exists()
    said = "\n".join(fork.notes)
    for part in ("pipe: not copied", "nowhere: a link to nothing", "out.txt: a link to a file outside", "absolute.py:"):
        assert part in said
    for path in fork.root.rglob("*"):
        if path.is_file():
            path.write_text("changed")
    assert take_manifest(root) == before
    assert outside.read_text() == "not yours"


def test_a_work_directory_inside_the_project_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    fork = make_fork(tmp_path, tmp_path / "out" / "work")
    assert {p.name for p in fork.root.rglob("*")} == {"a.py", "out"}
    assert {p.name for p in make_fork(tmp_path, tmp_path / "out" / "work").root.rglob("*")} == {"a.py", "out"}


def test_a_folder_of_someone_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "w/project").mkdir(parents=True)
    (tmp_path / "w/project/mine.txt").write_text("keep")
    with pytest.raises(PatchError, match="already exists and was not made by"):
        make_fork(tmp_path / "p", tmp_path / "w")
    assert (tmp_path / "w/project/mine.txt").read_text() == "keep"
    (tmp_path / "w" / MARKER).write_text("now it is\n")
    make_fork(tmp_path / "p", tmp_path / "w")
    assert not (tmp_path / "w/project/mine.txt").exists()


def test_a_manifest_tells_what_changed(tmp_path: Path) -> None:
    sample(tmp_path / "p")
    root = tmp_path / "p"
    before = from_json(to_json(take_manifest(root)))
    assert compare(before, take_manifest(root)) == ()
    (root / "src/a.py").write_text("y\n")
    (root / "run.sh").chmod(0o644)
    (root / "new").touch()
    (root / "link.py").unlink()
    (root / "link.py").symlink_to("run.sh")
    (root / "nowhere").unlink()
    (root / "é ü/empty").unlink()
    (root / "é ü/empty").mkdir()
    found = set(compare(before, take_manifest(root)))
    assert found == {
        Difference("src/a.py", "content"),
        Difference("run.sh", "mode"),
        Difference("new", "added"),
        Difference("link.py", "content"),
        Difference("nowhere", "removed"),
        Difference("é ü/empty", "kind"),
    }


def test_a_socket_has_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        assert take_manifest(tmp_path)["s"].kind == "other"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("/data/run/x.json", "/new/f/x.json"),
        ("p = '/data/run'", "p = '/new/f'"),
        ("--a=/data/run --b", "--a=/new/f --b"),
        ("/data/run2 /data/run-b /data/run.bak", "/data/run2 /data/run-b /data/run.bak"),
        ("/x/data/run ~/data/run ./data/run", "/x/data/run ~/data/run ./data/run"),
        ("PATH=/data/run/bin:/data/run", "PATH=/new/f/bin:/new/f"),
        ("/data/run\n/data/run,", "/new/f\n/new/f,"),
    ],
)
def test_only_whole_paths_move(text: str, after: str) -> None:
    assert relocate_text(text, Path("/data/run"), Path("/new/f"))[0] == after


def test_paths_in_a_copy_point_into_it(tmp_path: Path) -> None:
    sample(tmp_path / "p")
    fork = make_fork(tmp_path / "p", tmp_path / "w")
    moved = relocate(Project.open(fork.root), tmp_path / "p")
    assert [(one.path, one.count) for one in moved if one.path == "src/a.py"] == [("src/a.py", 1)]
    lines = (fork.root / "src/a.py").read_text().splitlines()
    assert lines == [f"DATA = '{fork.root.resolve()}/data'", f"OTHER = '{tmp_path}/p2/data'"]
    assert relocate(Project.open(fork.root), tmp_path / "p") == ()


def test_one_diff_for_all_files(tmp_path: Path) -> None:
    sample(tmp_path / "p")
    fork = make_fork(tmp_path / "p", tmp_path / "w")
    (fork.root / "run.sh").write_text("#!/bin/sh\nexit 1\n")
    (fork.root / "new.txt").write_text("n\n")
    git_apply(tmp_path / "p", combined_diff(fork.root, tmp_path / "p", ["run.sh", "new.txt", "src/a.py"]))
    assert (tmp_path / "p/run.sh").read_text() == "#!/bin/sh\nexit 1\n"
    assert (tmp_path / "p/new.txt").read_text() == "n\n"
