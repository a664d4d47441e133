"""Packs from folders, git repositories and installed packages; the lock file; what changed between two states."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from gto_rules.cli.main import main
from gto_rules.errors import GtoError, UsageError
from gto_rules.rulebook import load
from gto_rules.rulebook.compare import compare
from gto_rules.rulebook.sources import GitSource, find_pack, parse_git

PACK = 'kind: pack\nschema: 1\nname: acme_rules\nversion: "1.0.0"\ntitle: Acme\n'
RULE = """\
kind: finding
schema: 1
id: acme_rules/feed
title: Feed without workers
message: this feed has no workers
severity: warning
why: It is slow.
match: {call: [acme.feed], keywords: {workers: absent}}
references: [{url: "https://example.org", proves: it}]
example: {bad: "import acme\\nacme.feed()\\n", good: "import acme\\nacme.feed(workers=2)\\n"}
"""


def write_rules(folder: Path, rule: str = RULE, pack: str = PACK) -> Path:
    (folder / "findings").mkdir(parents=True, exist_ok=True)
    (folder / "pack.yaml").write_text(pack, "utf-8")
    (folder / "findings" / "feed.yaml").write_text(rule, "utf-8")
    return folder


def git(root: Path, *words: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    names = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    command = ["git", "-C", str(root), *names, *words]
    return subprocess.run(command, check=True, capture_output=True, env=environment, text=True).stdout.strip()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("GTO_RULES_CACHE", str(folder))
    return folder


@pytest.fixture
def remote(tmp_path: Path, store: Path) -> Path:
    """A repository with a pack at the tag v1, a severer rule at v2, and a hook that must not run."""
    root = tmp_path / "remote"
    write_rules(root / "packs" / "acme_rules")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    git(root, "tag", "v1")
    write_rules(root / "packs" / "acme_rules", RULE.replace("warning", "error"), PACK.replace("1.0.0", "2.0.0"))
    git(root, "commit", "-qam", "two")
    git(root, "tag", "v2")
    return root


def source(remote: Path, revision: str) -> str:
    return f"git+file://{remote}@{revision}#subdirectory=packs/acme_rules"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("git+https://h.example/x.git@v1", GitSource("https://h.example/x.git", "v1")),
        ("git+ssh://git@h.example/x@main#subdirectory=a/b", GitSource("ssh://git@h.example/x", "main", "a/b")),
        ("git+https://h.example/x", "names no revision"),
        ("git+ssh://git@h.example/x", "names no revision"),
        ("git+https://h.example/x@", "names no revision"),
        ("git+https://h.example/x@v1#folder=a", "is not understood"),
        ("git+https://h.example/x@v1#subdirectory=../a", "could lead elsewhere"),
        ("git+https://h.example/x@--upload-pack=touch", "could lead elsewhere"),
    ],
)
def test_addresses(text: str, wanted: GitSource | str) -> None:
    if isinstance(wanted, GitSource):
        assert parse_git(text) == wanted
    else:
        with pytest.raises(UsageError, match=wanted):
            parse_git(text)


def test_revisions_of_a_repository(remote: Path) -> None:
    assert load((find_pack(source(remote, "v1"), Path()).folder,)).get("acme_rules/feed").data["severity"] == "warning"
    found = find_pack(source(remote, "v2"), Path())
    assert load((found.folder,)).packs["acme_rules"].version == "2.0.0"
    assert found.commit == git(remote, "rev-parse", "v2")
    by_commit = find_pack(source(remote, git(remote, "rev-parse", "v1")), Path())
    assert by_commit.commit == git(remote, "rev-parse", "v1")


def test_what_was_fetched_is_kept(remote: Path) -> None:
    before = find_pack(source(remote, "main"), Path())
    (remote / "packs/acme_rules/pack.yaml").write_text(PACK.replace("1.0.0", "3.0.0"))
    git(remote, "commit", "-qam", "three")
    assert find_pack(source(remote, "main"), Path()) == before
    assert (
        find_pack(source(remote, "main"), Path(), anew=True).commit == git(remote, "rev-parse", "main") != before.commit
    )


def test_a_pack_at_the_top_of_a_repository(tmp_path: Path, store: Path) -> None:
    root = write_rules(tmp_path / "some-repository")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    assert "acme_rules" in load((find_pack(f"git+file://{root}@main", Path()).folder,)).packs


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("v1", "v9"), "cannot be fetched"),
        (("packs/", "pakcs/"), "has no pack.yaml"),
        (("remote", "gone"), "cannot be"),
    ],
)
def test_what_is_not_there_is_said(remote: Path, change: tuple[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        find_pack(source(remote, "v1").replace(*change), Path())


def test_no_hook_of_a_template_runs(remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = tmp_path / "template" / "hooks"
    hooks.mkdir(parents=True)
    hook = hooks / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(tmp_path / "template"))
    find_pack(source(remote, "v1"), Path())
    assert not (tmp_path / "ran").exists()


def test_an_installed_package_is_found_and_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    site = tmp_path / "site"
    write_rules(site / "acme_tools" / "acme_rules")
    (site / "acme_tools" / "__init__.py").write_text("raise SystemExit('imported')\n")
    info = site / "acme_tools-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-tools\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        textwrap.dedent(
            """\
            [gto_rules.packs]
            acme_rules = acme_tools:acme_rules
            empty = acme_tools:nothing
            """
        )
    )
    monkeypatch.syspath_prepend(str(site))
    folder = find_pack("package:acme_rules", Path()).folder
    assert folder == site / "acme_tools" / "acme_rules" and "acme_tools" not in sys.modules
    with pytest.raises(UsageError) as wrong:
        find_pack("package:acme_rulse", Path())
    assert wrong.value.hint == "did you mean 'acme_rules'?"
    with pytest.raises(UsageError, match=r"has no pack\.yaml"):
        find_pack("package:empty", Path())


class Folder:
    """Runs commands in a project with a configuration."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys

    def run(self, *words: str) -> tuple[int, str]:
        self._capsys.readouterr()
        try:
            code = main(list(words))
        except GtoError as error:
            return error.exit_code, f"{error} {error.hint or ''}"
        return code, self._capsys.readouterr().out


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Folder:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    (root / "use.py").write_text("import acme\n\nacme.feed(data)\n")
    return Folder(root, capsys)


def test_the_lock_holds_packs_to_what_they_were(remote: Path, project: Folder) -> None:
    (project.root / "gto-rules.yaml").write_text(f"packs: ['{source(remote, 'v1')}', own_rules]\n")
    own = PACK.replace("acme_rules", "own_rules")
    write_rules(
        project.root / "own_rules", RULE.replace("acme_rules", "own_rules").replace("acme.feed", "acme.food"), own
    )
    assert project.run("check", "use.py")[0] == 1
    assert project.run("rules", "lock")[0] == 0
    rows = json.loads((project.root / "gto-rules.lock").read_text())["packs"]
    assert [(r["name"], r["version"], r["source"][:9]) for r in rows] == [
        ("acme_rules", "1.0.0", "git+file:"),
        ("own_rules", "1.0.0", "own_rules"),
    ]
    assert rows[0]["commit"] == git(remote, "rev-parse", "v1")
    assert project.run("check", "use.py")[0] == 1 and project.run("rules", "lock", "--check")[0] == 0
    # A rule that changed under the same version.
    rule = project.root / "own_rules" / "findings" / "feed.yaml"
    rule.write_text(rule.read_text().replace("It is slow.", "It is very slow."))
    code, said = project.run("check", "use.py")
    assert code == 2 and "'own_rules' changed, but its version did not" in said and "rules lock" in said
    assert project.run("rules", "lock", "--check")[0] == 1
    assert project.run("rules", "lock")[0] == 0 and project.run("check", "use.py")[0] == 1
    # Another revision.
    (project.root / "gto-rules.yaml").write_text(f"packs: ['{source(remote, 'v2')}', own_rules]\n")
    code, said = project.run("check", "use.py")
    assert code == 2 and "comes from" in said
    # A damaged lock file.
    (project.root / "gto-rules.lock").write_text("{")
    assert project.run("check", "use.py")[0] == 2


def test_lock_without_packs(project: Folder) -> None:
    assert project.run("rules", "lock")[0] == 2


def test_what_changed_between_two_revisions(remote: Path, project: Folder) -> None:
    code, out = project.run("rules", "diff", source(remote, "v1"), source(remote, "v2"))
    assert code == 1
    assert out == (
        '1.0.0 → 2.0.0\n\nThe weight of what is found changes (1)\n  acme_rules/feed: severity: "warning" → "error"\n'
    )
    assert project.run("rules", "diff", source(remote, "v1"), source(remote, "v1")) == (0, "1.0.0\nno difference\n")


def test_changes_are_told_by_what_they_do(tmp_path: Path, store: Path) -> None:
    rule = RULE.replace("It is slow.", "Slow.").replace("acme.feed]", "acme.food]").replace("warning", "info")
    extra = RULE.replace("acme_rules/feed", "acme_rules/more")
    old = write_rules(tmp_path / "old" / "acme_rules")
    new = write_rules(tmp_path / "new" / "acme_rules", rule)
    (new / "findings" / "more.yaml").write_text(extra)
    (new / "pack.yaml").write_text(PACK + "override: {torch/item-in-training-loop: {severity: info, reason: r}}\n")
    before, after = ({r.id: r for r in load((folder,)).rules} for folder in (old, new))
    assert [(c.rule, c.effect, c.path) for c in compare(before, after)] == [
        ("acme_rules/feed", "weight", "severity"),
        ("acme_rules/feed", "words", "why"),
        ("acme_rules/feed", "verdict", "match.call"),
        ("acme_rules/more", "new", ""),
        ("torch/item-in-training-loop", "weight", "severity"),
    ]
    assert [c.effect for c in compare(after, before) if not c.path] == ["removed"]
