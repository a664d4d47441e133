"""The hook under the real pre-commit, in a fresh repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from checking import FAULT, ITEM, write

TOP = Path(__file__).parents[2]
IDENTITY = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
pytestmark = pytest.mark.skipif(
    not shutil.which("pre-commit", path=Path(sys.executable).parent), reason="pre-commit is not installed"
)


class Repository:
    """A git repository whose hook is the checkout's own, run by this interpreter's environment."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environment = {
            **os.environ,
            **IDENTITY,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "PRE_COMMIT_HOME": str(root.parent / "pre-commit"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }
        root.mkdir()
        self.git("init", "-q")
        (hook,) = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text("utf-8"))
        # The environment is there already: building one more of the checkout would test pip.
        hook = {**hook, "language": "system"}
        hook.pop("minimum_pre_commit_version")
        config = {"repos": [{"repo": "local", "hooks": [hook]}]}
        write(root, {".pre-commit-config.yaml": yaml.safe_dump(config)})
        self.git("add", ".")
        self.git("commit", "-qm", "begin")
        self.run("pre-commit", "install", check=True)

    def run(self, *command: str, check: bool = False) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=self.root, env=self.environment, text=True, capture_output=True, check=check)

    def git(self, *words: str) -> str:
        return self.run("git", *words, check=True).stdout

    def commit(self) -> tuple[int, str]:
        done = self.run("git", "commit", "-qm", "work")
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def test_changed_partially_staged_and_renamed_files(repository: Repository) -> None:
    # Nothing that it looks at.
    write(repository.root, {"notes.txt": FAULT})
    repository.git("add", ".")
    code, said = repository.commit()
    assert code == 0 and "Skipped" in said
    # A fault stops the commit and is shown with its place.
    write(repository.root, {"train.py": FAULT, "other.py": "x = 1\n"})
    repository.git("add", ".")
    code, said = repository.commit()
    assert code == 1 and "train.py:4:14: warning" in said and ITEM in said
    # Only what is staged counts: the fault below is in the work tree alone, and stays there.
    write(repository.root, {"train.py": "x = 1\n"})
    repository.git("add", ".")
    write(repository.root, {"train.py": "x = 1\n" + FAULT})
    code, said = repository.commit()
    assert code == 0, said
    assert (repository.root / "train.py").read_text() == "x = 1\n" + FAULT
    # The other way round: the fault is staged, the work tree is clean.
    repository.git("add", ".")
    write(repository.root, {"train.py": "x = 2\n"})
    code, said = repository.commit()
    assert code == 1 and "train.py:5:14" in said
    # A renamed file is looked at under its new name.
    repository.git("checkout", "-q", "-f", "HEAD", "--", ".")
    repository.git("mv", "other.py", "a file.py")
    write(repository.root, {"a file.py": "x = 1\n" + FAULT})
    repository.git("add", ".")
    code, said = repository.commit()
    assert code == 1 and "a file.py:5:14" in said


def test_five_thousand_files_in_several_invocations(repository: Repository) -> None:
    # Names long enough that one command line cannot hold them all.
    folder = "/".join(["a_folder_with_a_rather_long_name"] * 4)
    files: dict[str, str | bytes] = {f"{folder}/module_{n:04}.py": f"x = {n}\n" for n in range(5000)}
    files[f"{folder}/module_0007.py"] = files[f"{folder}/module_4990.py"] = FAULT
    write(repository.root, files)
    repository.git("add", ".")
    done = repository.run("pre-commit", "run", "--all-files", "--verbose")
    assert done.returncode == 1
    found = sorted(line.split(":")[0][-7:-3] for line in done.stdout.splitlines() if line.endswith(f"[{ITEM}]"))
    assert found == ["0007", "4990"]
