"""A run that sees the original read-only, where the kernel allows that."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from gto_rules.patch import protect
from gto_rules.patch.manifest import take_manifest
from gto_rules.patch.protect import readonly_original


@pytest.fixture
def original(tmp_path: Path) -> Path:
    root = tmp_path / "my 'odd' project"
    (root / "out").mkdir(parents=True)
    (root / "a.py").write_text("x = 1\n")
    if readonly_original(["true"], root) is None:
        pytest.skip("this kernel allows no mount namespace here")
    return root


def run(argv: list[str] | None, cwd: Path) -> subprocess.CompletedProcess[str]:
    assert argv is not None
    return subprocess.run(argv, cwd=cwd, capture_output=True, text=True, timeout=60)


WRITES = 'echo y > a.py; echo y > new.py; rm -f a.py; mkdir d; chmod 600 a.py; echo "arguments: $*"; id -u'


def test_nothing_below_the_original_can_be_written(original: Path) -> None:
    before = take_manifest(original)
    done = run(readonly_original(["sh", "-c", WRITES, "sh", "a b", "c"], original), original)
    assert done.stderr.count("Read-only file system") == 5
    assert done.stdout.splitlines() == ["arguments: a b c", str(os.geteuid())]
    assert take_manifest(original) == before


def test_everything_else_can_be_written(original: Path, tmp_path: Path) -> None:
    done = run(readonly_original(["sh", "-c", "echo 1 > ../beside; exit 7"], original), original)
    assert (tmp_path / "beside").read_text() == "1\n" and done.returncode == 7
    (original / "after.py").write_text("outside of the run nothing has changed")


def test_a_work_directory_inside_stays_writable(original: Path) -> None:
    command = ["sh", "-c", "echo 1 > here; echo 1 > ../there; pwd"]
    done = run(readonly_original(command, original, writable=[original / "out"]), original / "out")
    assert (original / "out/here").exists() and not (original / "there").exists()
    assert done.stdout.strip() == os.path.realpath(original / "out")


def test_children_inherit_the_view(original: Path) -> None:
    done = run(
        readonly_original(["sh", "-c", "(sh -c 'sh -c \"echo 1 > child\"' &) ; wait; sleep 0.2"], original), original
    )
    assert "Read-only" in done.stderr and not (original / "child").exists()


def test_where_the_kernel_refuses_there_is_no_wrapper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protect, "_PROBE", "exit 1")
    assert readonly_original(["true"], tmp_path / "p") is None
    monkeypatch.setattr(protect.shutil, "which", lambda name: None)
    assert readonly_original(["true"], tmp_path / "q") is None


def test_mount_points_below_are_covered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(
        "1 0 8:1 / / rw,relatime - ext4 /dev/a rw\n2 1 8:2 / /home rw,nosuid,nodev - ext4 /dev/b rw\n"
        "3 2 8:3 / /home/p/my\\040data rw,noexec - ext4 /dev/c rw\n4 2 8:4 / /home/p2 rw - ext4 /dev/d rw\n"
    )
    monkeypatch.setattr(protect, "_MOUNTS", table)
    assert list(protect._places("/home/p")) == [("/home/p", ["nosuid", "nodev"]), ("/home/p/my data", ["noexec"])]
