"""``rules new`` and the two commands that an author runs next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gto_rules.cli.main import _guarded, main
from gto_rules.rulebook.scaffolding import KINDS


def test_a_new_pack_of_every_kind_is_valid_and_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = str(tmp_path / "acme")
    chosen = [word for kind in KINDS for word in ("--kind", kind)]
    assert main(["rules", "new", root, *chosen, "--title", "Our rules"]) == 0
    said = capsys.readouterr().out
    assert "pack.yaml" in said and said.endswith(f"next: gto-rules rules test {root}\n")
    assert main(["rules", "validate", root]) == 0
    assert "are valid" in capsys.readouterr().out
    assert main(["rules", "test", root]) == 0
    assert "0 failed, 0 known gaps, 0 rules lack cases" in capsys.readouterr().out


def test_the_files_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["rules", "new", "acme", "--kind", "repair", "--format", "json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert "acme/repairs/table-locked.yaml" in files and all((tmp_path / path).is_file() for path in files)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["My-Pack"], "for example 'my_pack'"),
        (["torch"], "built-in pack"),
        (["acme", "--kind", "remedi"], "did you mean 'remedy'?"),
        (["."], "cannot be the name"),
    ],
)
def test_wrong_use(
    argv: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Here").mkdir()
    monkeypatch.chdir(tmp_path / "Here")
    assert _guarded(["rules", "new", *argv]) == 2
    assert said in capsys.readouterr().err
    assert not any((tmp_path / "Here").iterdir())


def test_the_help_names_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["rules", "new", "--help"])
    shown = capsys.readouterr().out
    assert all(kind in shown for kind in KINDS)
