"""Paths into the original become paths into the copy, wherever a file or command writes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from gto_rules.patch.relocate import Relocation, relocate, relocate_text
from gto_rules.project.project import Project
from hypothesis import given
from hypothesis import strategies as st

OLD, NEW = Path("/data/my run"), Path("/work dir/f")


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("cd '/data/my run' && x", "cd '/work dir/f' && x"),
        (r"cd /data/my\ run/src", r"cd /work\ dir/f/src"),
        ('path: "/data/my run/a.json"', 'path: "/work dir/f/a.json"'),
        (r'"/data/my run\n"', r'"/work dir/f\n"'),
        ("file:///data/my run/x", "file:///work dir/f/x"),
        ("see /data/my run.", "see /work dir/f."),
        ("/data/my run2 /data/my run-x /data/my run.bak /data/my run@v1", None),
        ("/x/data/my run $X/data/my run ${X}/data/my run", None),
        ("/data/my run数据/x", None),
        ("数据：/data/my run，好", "数据：/work dir/f，好"),
        ("/data/my run*", None),
    ],
)
def test_what_counts_as_the_path(text: str, after: str | None) -> None:
    assert relocate_text(text, OLD, NEW)[0] == (text if after is None else after)


@pytest.mark.parametrize("start", ["~", "$HOME", "${HOME}"])
def test_the_home_folder_in_other_words(start: str) -> None:
    home, old = Path("/home/me"), Path("/home/me/run")
    text = f"python {start}/run/train.py --data={start}/run2 --out '{start}/run'"
    after, count = relocate_text(text, old, Path("/w/f"), home=home)
    assert after == f"python /w/f/train.py --data={start}/run2 --out '/w/f'" and count == 2
    assert relocate_text(text, old, Path("/w/f")) == (text, 0)
    assert relocate_text("cd ~/run", home, Path("/w/f"), home=home)[1] == 0


PIECES = st.lists(
    st.sampled_from(
        ["/data/run", "/data/run2", "/data", "/w/f", "x", " ", "/", "'", '"', "\n", "=", ":", ".", "~", "é"]
    ),
    max_size=12,
).map("".join)


@given(PIECES)
def test_moving_twice_moves_nothing(text: str) -> None:
    after, count = relocate_text(text, Path("/data/run"), Path("/w/f"))
    assert relocate_text(after, Path("/data/run"), Path("/w/f")) == (after, 0)
    assert after.count("/w/f") == text.count("/w/f") + count
    assert count <= text.count("/data/run")


@given(PIECES)
def test_a_copy_inside_the_original_moves_only_once(text: str) -> None:
    old, new = Path("/data/run"), Path("/data/run/out/project")
    after, _ = relocate_text(text, old, new)
    assert relocate_text(after, old, new) == (after, 0)


@given(PIECES)
def test_nothing_else_changes(text: str) -> None:
    after, count = relocate_text(text, Path("/data/run"), Path("/w/f"))
    assert (after == text) == (count == 0)
    assert after.replace("/w/f", "") == text.replace("/w/f", "").replace("/data/run", "\0").replace("\0", "") or (
        "/data/run" in after
    )


def project(root: Path, files: dict[str, bytes]) -> Project:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return Project.open(root)


def test_every_kind_of_file_that_names_places(tmp_path: Path) -> None:
    names = [
        "a.py",
        "c.yaml",
        "d.json",
        "run.sh",
        "e.toml",
        "f.cfg",
        "g.conf",
        ".env",
        "list.txt",
        "n.ipynb",
        "Makefile",
    ]
    fork = project(tmp_path / "f", dict.fromkeys(names, b"/data/run/x\r\n") | {"image.bin": b"/data/run\0"})
    changed = relocate(fork, Path("/data/run"))
    assert sorted(one.path for one in changed) == sorted(names)
    for name in names:
        assert (tmp_path / "f" / name).read_bytes() == f"{fork.root}/x\r\n".encode()
    assert (tmp_path / "f/image.bin").read_bytes() == b"/data/run\0"
    assert relocate(Project.open(fork.root), Path("/data/run")) == ()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_encodings_stay(tmp_path: Path, encoding: str) -> None:
    fork = project(tmp_path / "f", {"c.yaml": "é: /data/run/é\r\n".encode(encoding)})
    assert relocate(fork, Path("/data/run")) == (Relocation("c.yaml", 1),)
    assert (tmp_path / "f/c.yaml").read_bytes().decode(encoding) == f"é: {fork.root}/é\r\n"


def test_a_path_that_the_encoding_cannot_write_is_said(tmp_path: Path) -> None:
    fork = project(tmp_path / "中", {"c.yaml": b"\xe9: /data/run\n"})
    (one,) = relocate(fork, Path("/data/run"))
    assert one.count == 0 and "latin-1" in one.problem
    assert (tmp_path / "中/c.yaml").read_bytes() == b"\xe9: /data/run\n"


def test_the_original_under_another_spelling(tmp_path: Path) -> None:
    (tmp_path / "real/p").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    fork = project(tmp_path / "f", {"a.py": f"A = '{tmp_path}/link/p/x'\nB = '{tmp_path}/real/p'\n".encode()})
    assert relocate(fork, tmp_path / "link/p") == (Relocation("a.py", 2),)


def test_links_are_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("/data/run\n")
    fork = project(tmp_path / "f", {"a.py": b"/data/run\n"})
    (tmp_path / "f/b.py").symlink_to("a.py")
    (tmp_path / "f/c.py").symlink_to(tmp_path / "outside.py")
    mode = (tmp_path / "f/a.py").stat().st_mode
    assert relocate(Project.open(fork.root), Path("/data/run")) == (Relocation("a.py", 1),)
    assert (tmp_path / "outside.py").read_text() == "/data/run\n"
    assert (tmp_path / "f/a.py").stat().st_mode == mode and (tmp_path / "f/b.py").is_symlink()
