"""What a project holds: the walk, links, limits, look-ups, and git's remotes as text."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from gto_rules.documents.model import DataDocument, PythonDocument
from gto_rules.errors import ProjectError
from gto_rules.project.inventory import TOOL_FOLDERS, Limits, printable, take_inventory
from gto_rules.project.project import Project, glob_regex, normalise
from hypothesis import given
from hypothesis import strategies as st


def make(root: Path, *paths: str) -> Path:
    for path in paths:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"# {path}\n")
    return root


def paths(root: Path) -> list[str]:
    return [entry.path for entry in take_inventory(root).files]


def reasons(root: Path) -> dict[str, str]:
    return {one.path: one.reason for one in take_inventory(root).skipped}


def test_the_order_is_that_of_the_paths(tmp_path: Path) -> None:
    make(tmp_path, "b/z.py", "b/a.py", "a.py", "b.py", "B.py", "a-b/x.py", "a/b/c.py")
    assert paths(tmp_path) == sorted(paths(tmp_path))
    assert take_inventory(tmp_path) == take_inventory(tmp_path)


@pytest.mark.parametrize("name", sorted(TOOL_FOLDERS))
def test_folders_of_tools_are_left_out(tmp_path: Path, name: str) -> None:
    assert paths(make(tmp_path, f"{name}/x.py", f"src/{name}/y.py", "train.py")) == ["train.py"]


@pytest.mark.parametrize("name", ["build", "dist", "env", "venv", "lib", "data", "out", ".github", "wandb"])
def test_no_folder_is_left_out_for_a_plain_name(tmp_path: Path, name: str) -> None:
    assert f"{name}/x.py" in paths(make(tmp_path, f"{name}/x.py"))


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "conda-meta/history"])
def test_python_environments_are_known_by_what_they_hold(tmp_path: Path, mark: str) -> None:
    make(tmp_path, f"my env/{mark}", "my env/lib/x.py", "train.py")
    assert paths(tmp_path) == ["train.py"]
    assert "environment" in reasons(tmp_path)["my env"]


def test_a_project_that_is_an_environment_itself_is_read(tmp_path: Path) -> None:
    assert "train.py" in paths(make(tmp_path, "pyvenv.cfg", "train.py", "lib/site-packages/x.py"))


def test_links_inside_outside_and_in_circles(tmp_path: Path) -> None:
    root = make(tmp_path / "p", "z/real.py", "z/deep/er.py")
    make(tmp_path, "elsewhere/secret.py")
    (root / "a").symlink_to("z")
    (root / "file.py").symlink_to("z/real.py")
    (root / "z/up").symlink_to("..")
    (root / "self").symlink_to("self")
    (root / "gone").symlink_to("missing")
    (root / "out").symlink_to(tmp_path / "elsewhere")
    (root / "absolute").symlink_to(root / "z/deep")
    assert paths(root) == ["file.py", "z/deep/er.py", "z/real.py"]
    said = reasons(root)
    assert set(said) == {"self", "gone", "out"}
    assert "out of the project" in said["out"]
    project = Project.open(root)
    assert project.exists("a/real.py") and project.exists("absolute/er.py") and project.exists("z/up/a/deep/er.py")
    assert not project.exists("out/secret.py") and not project.exists("a/gone.py")
    assert project.size("a/real.py") == project.size("z/real.py") > 0
    assert project.source("a/real.py").text == b"# z/real.py\n"


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "locked/b.py")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "locked").chmod(0)
    try:
        said = reasons(tmp_path)
        assert "regular" in said["pipe"]
        if os.geteuid() != 0:  # an administrator reads everything
            assert "cannot be read" in said["locked"]
    finally:
        (tmp_path / "locked").chmod(0o700)


def test_a_name_that_is_no_text_is_said(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    (tmp_path / name).touch()
    assert paths(tmp_path) == []
    assert reasons(tmp_path) == {r"caf\xe9.py": "has a name that is not UTF-8"}
    assert printable("é ü") == "é ü"


def test_limits_are_kept_and_said(tmp_path: Path) -> None:
    make(tmp_path, *(f"f{n}.py" for n in range(20)), "a/b/c/d.py")
    few = take_inventory(tmp_path, limits=Limits(files=5))
    assert len(few.files) == 5 and "more than 5 files" in few.skipped[0].reason
    flat = take_inventory(tmp_path, limits=Limits(depth=2))
    assert "a/b/c/d.py" not in [f.path for f in flat.files]
    assert [(s.path, s.reason) for s in flat.skipped] == [("a/b/c", "lies more than 2 folders deep")]


def test_a_file_that_vanishes_is_an_empty_text_with_a_problem(tmp_path: Path) -> None:
    project = Project.open(make(tmp_path, "a.py", "b.yaml"))
    (tmp_path / "a.py").unlink()
    assert project.raw("a.py") == b""
    assert "cannot be read" in project.source("a.py").problems[0].message
    assert isinstance(project.read("a.py"), PythonDocument)


def test_thousands_of_files_take_no_time(tmp_path: Path) -> None:
    for folder in range(50):
        (tmp_path / f"d{folder}").mkdir()
        for file in range(60):
            (tmp_path / f"d{folder}" / f"f{file}.py").touch()
    started = time.perf_counter()
    project = Project.open(tmp_path)
    assert len(project.files_of("python")) == len(project.glob("**/*.py")) == 3000
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    ("root", "message"),
    [
        ("missing", "there is no folder"),
        ("file.txt", "is a file"),
        ("x" * 5000, "cannot be read"),
        ("a\0b", "no folder|cannot"),
    ],
)
def test_no_project_is_a_plain_sentence(tmp_path: Path, root: str, message: str) -> None:
    make(tmp_path, "file.txt")
    with pytest.raises(ProjectError, match=message):
        Project.open(tmp_path / root)


def test_an_empty_folder_is_a_project_without_files(tmp_path: Path) -> None:
    project = Project.open(tmp_path)
    assert project.paths == () and project.files_of("python") == () and project.glob("**") == ()


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", ["a.py", "s/b.py", "s/t/c.py"]),
        ("./*.py".removeprefix("./"), ["a.py", "s/b.py", "s/t/c.py"]),
        ("s/*.py", ["s/b.py"]),
        ("s/**/*.py", ["s/b.py", "s/t/c.py"]),
        ("**/c.py", ["s/t/c.py"]),
        ("**/a.py", ["a.py"]),
        ("s/**", ["s/b.py", "s/t/c.py"]),
        ("S/*.py", []),
        ("?.yaml", ["x.yaml"]),
        ("[!b-z].py", ["a.py"]),
        ("[ab].py", ["a.py", "s/b.py"]),
        ("a+b.txt", ["a+b.txt"]),
    ],
)
def test_globs(tmp_path: Path, pattern: str, found: list[str]) -> None:
    make(tmp_path, "a.py", "s/b.py", "s/t/c.py", "x.yaml", "a+b.txt")
    assert list(Project.open(tmp_path).glob(pattern)) == found


@given(
    st.text(st.characters(exclude_characters="/\0*?["), min_size=1, max_size=8).filter(lambda t: t not in (".", ".."))
)
def test_a_glob_without_signs_means_itself(name: str) -> None:
    assert glob_regex(name).fullmatch(name)
    assert glob_regex("*").fullmatch(name) and glob_regex("**/" + name).fullmatch(f"a/b/{name}")


@given(st.lists(st.sampled_from(["a", "b", ".", "..", ""]), max_size=8))
def test_normal_paths_are_those_of_posix(parts: list[str]) -> None:
    path = "/".join(parts).lstrip("/")
    assert normalise(path) == (os.path.normpath(path) if path else ".")


def test_kinds_come_from_names_and_shebangs(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "c.yaml", "docker/Dockerfile", "environment.yml")
    (tmp_path / "run").write_text("#!/usr/bin/env bash\n")
    (tmp_path / "LICENSE").write_text("words\n")
    project = Project.open(tmp_path)
    assert project.files_of("shell") == ("run",)
    assert project.files_of("python", "yaml") == ("a.py", "c.yaml")
    assert project.files_of("conda", "dockerfile") == ("environment.yml", "docker/Dockerfile")
    document = project.read("c.yaml")
    assert project.read("c.yaml") is document
    (tmp_path / "x.conf").write_text('{"a": 1}')
    assert isinstance(Project.open(tmp_path).read("x.conf", "json"), DataDocument)


CONFIG = '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@x.org:a/b.git\n\tfetch = +refs\n[Remote "up"]\nurl="https://x.org/c"\n'
REMOTES = (("origin", "git@x.org:a/b.git", 4), ("up", "https://x.org/c", 7))


def test_remotes_of_a_plain_checkout(tmp_path: Path) -> None:
    assert Project.open(tmp_path).git_remotes() == ()
    make(tmp_path, ".git/config", "a.py")
    (tmp_path / ".git/config").write_text(CONFIG)
    project = Project.open(tmp_path)
    assert project.git_remotes() == REMOTES
    assert project.paths == ("a.py",)


def test_remotes_of_a_work_tree_and_of_a_submodule(tmp_path: Path) -> None:
    make(
        tmp_path,
        "main/.git/config",
        "main/.git/worktrees/w/HEAD",
        "main/.git/modules/s/config",
        "w/a.py",
        "main/s/b.py",
    )
    (tmp_path / "main/.git/config").write_text(CONFIG)
    (tmp_path / "main/.git/worktrees/w/commondir").write_text("../..\n")
    (tmp_path / "main/.git/modules/s/config").write_text('[remote "sub"]\n url = s\n')
    (tmp_path / "w/.git").write_text(f"gitdir: {tmp_path}/main/.git/worktrees/w\n")
    (tmp_path / "main/s/.git").write_text("gitdir: ../.git/modules/s\n")
    assert Project.open(tmp_path / "w").git_remotes() == REMOTES
    assert Project.open(tmp_path / "main/s").git_remotes() == (("sub", "s", 2),)


@pytest.mark.parametrize("content", ["gitdir: /nowhere/.git\n", "nonsense", "", "gitdir: \0\n"])
def test_a_strange_git_file_means_no_remotes(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content)
    assert Project.open(tmp_path).git_remotes() == ()
