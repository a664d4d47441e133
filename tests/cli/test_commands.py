"""The command line: every command answers --help, bad use gets a sentence and not a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gto_rules.cli.commands import COMMANDS
from gto_rules.cli.main import _guarded, main

PROJECTS = Path(__file__).parent.parent / "projects"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    assert f"gto-rules {name}" in capsys.readouterr().out


def test_overview_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in COMMANDS)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["tunne", "x"], "Did you mean 'tune'?"),
        (["detect", "/nowhere/at/all"], "does not exist"),
        (["detect", __file__], "is a file, not a folder"),
        (["detect", str(PROJECTS / "plain_torch"), "--cwd", "no/such"], "no folder 'no/such'"),
        (["detect", str(PROJECTS / "plain_torch"), "--pack", "/nowhere"], "is not a folder"),
        (["tune", "/nowhere"], "does not exist"),
        (["tune", str(PROJECTS / "plain_torch"), "--workdir", str(PROJECTS / "plain_torch")], "cannot be the project"),
        (["tune", str(PROJECTS / "plain_torch"), "--workdir", str(PROJECTS)], "is not a work directory"),
        (["tune", str(PROJECTS / "plain_torch"), "--workdir", str(PROJECTS / "plain_torch" / "w")], "lie inside"),
        (["resume", str(PROJECTS)], "not a work directory"),
        (["report", str(PROJECTS)], "not a work directory"),
        (["diagnose", "/nowhere.json"], "does not exist"),
        (["diagnose", __file__], "is not JSON"),
        (["apply", str(PROJECTS / "plain_torch"), "--remedy", "torch/fused-optimiser"], "torch/fused-optimizer"),
        (["rules", "show", "torch/compled"], "torch/compiled"),
        (["tune", str(PROJECTS / "plain_torch"), "--env", "novalue"], "NAME=VALUE"),
    ],
)
def test_wrong_use_is_explained(argv: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _guarded(argv) == 2
    error = capsys.readouterr().err
    assert said in error and "Traceback" not in error


def test_an_unexpected_error_leaves_a_log(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(argv: list[str]) -> int:
        raise RuntimeError("odd")

    monkeypatch.setattr("gto_rules.cli.main.main", broken)
    assert _guarded(["detect", "."]) == 70
    said = capsys.readouterr().err
    log = Path(said.rsplit(" ", 1)[-1].strip())
    assert "RuntimeError: odd" in log.read_text("utf-8")
    log.unlink()


def test_detect_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["detect", str(PROJECTS / "hf_trainer"), "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["framework"] == "hf_trainer"
    assert data["inference"] == {"sglang": False, "vllm": False}
    assert data["multi_node"] == "none"
    assert data["launch"]["entry"] == "train.py" and data["launch"]["launcher"] == "python"
    assert all({"path", "line", "text"} == set(e) for e in data["evidence"])


def test_settings_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    main(["settings", str(PROJECTS / "hf_trainer"), "--launch", "python train.py --bf16 True", "--format", "json"])
    settings = json.loads(capsys.readouterr().out)["settings"]
    assert settings["bf16"]["value"] is True and settings["bf16"]["path"] is None
    assert settings["per_device_train_batch_size"]["value"] == 16
    assert settings["per_device_train_batch_size"]["path"] == "train.py"
    line = settings["per_device_train_batch_size"]["line"]
    source = (PROJECTS / "hf_trainer" / "train.py").read_text("utf-8").splitlines()
    assert "per_device_train_batch_size" in source[line - 1]


def test_audit_as_json_adds_up(capsys: pytest.CaptureFixture[str]) -> None:
    main(["audit", str(PROJECTS / "hf_trainer"), "--format", "json"])
    audits = {a["id"]: a for a in json.loads(capsys.readouterr().out)["audits"]}
    assert audits["hf_trainer/transformers"]["max"] == 69
    for audit in audits.values():
        assert audit["score"] == sum(c["score"] for c in audit["categories"])
        assert audit["max"] == sum(c["max"] for c in audit["categories"])
        for category in audit["categories"]:
            assert category["score"] <= category["applicable"] <= category["max"]


def test_the_project_is_not_written_to(capsys: pytest.CaptureFixture[str]) -> None:
    from gto_rules.patch.manifest import compare, take_manifest

    before = take_manifest(PROJECTS)
    main(["audit", str(PROJECTS / "plain_torch")])
    main(["apply", str(PROJECTS / "plain_torch"), "--dry-run"])
    assert "fused=True" in capsys.readouterr().out
    assert compare(before, take_manifest(PROJECTS)) == ()


def test_control_characters_of_a_project_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text("import torch\nopt = torch.optim.SGD([])\n", "utf-8")
    (tmp_path / "README.md").write_text("```bash\npython train.py --name '\x1b[31mred\u202e'\n```\n", "utf-8")
    main(["detect", str(tmp_path)])
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and "\u202e" not in shown


def test_rules_list_has_cases_for_every_rule(capsys: pytest.CaptureFixture[str]) -> None:
    main(["rules", "list", "--format", "json"])
    rows = json.loads(capsys.readouterr().out)["rules"]
    items = [r for r in rows if r["kind"] == "item"]
    assert len([r for r in items if r["pack"] == "general"]) >= 30
    assert all(r["tests"]["positive"] and r["tests"]["negative"] for r in items)
    assert sum(r["max"] for r in rows if r["id"] == "hf_trainer/transformers") == 69


def test_eval_points_at_a_misspelt_path(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["rules", "eval", "settings.bf61.value", "--on", str(PROJECTS / "hf_trainer")])
    said = capsys.readouterr().err
    assert code == 2 and "did you mean 'bf16'" in said and "         ^" in said


@pytest.mark.parametrize("command", ["settings", "audit"])
def test_what_could_not_be_read_is_said(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.py").write_text("from transformers import TrainingArguments\nargs = TrainingArguments(bf16=\n")
    assert main([command, str(tmp_path)]) == 0
    assert "train.py:2: syntax error" in capsys.readouterr().err
    assert main([command, str(tmp_path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["problems"] == ["train.py:2: syntax error at column 1"]
