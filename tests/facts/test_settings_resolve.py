"""Resolved settings of small projects: value, kind and place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from gto_rules.facts.model import SettingValue
from gto_rules.facts.settings import settings_json
from settings_case import settings_of

CASES = yaml.safe_load((Path(__file__).parent / "data_settings_cases.yaml").read_text(encoding="utf-8"))


def resolve(case: dict[str, Any], folder: Path) -> dict[str, SettingValue]:
    return settings_of(
        folder,
        case["files"],
        case["command"],
        framework=case.get("framework", "hf_trainer"),
        versions=case.get("versions"),
    )


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    settings = resolve(case, tmp_path)
    found = {}
    for name in case["expect"]:
        held = settings.get(name)
        origin = held.origin if held is not None else None
        place = [origin.path, origin.line] if origin is not None else [None, None]
        found[name] = [held.value, held.kind, *place] if held is not None else "absent"
    assert found == case["expect"]
    for name, values in case.get("overrides", {}).items():
        assert [o.value for o in settings[name].overrides] == values


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_spans_hold_what_is_written(case: dict[str, Any], tmp_path: Path) -> None:
    """Every place of every setting can be edited: its span holds its text, inside its anchor."""
    for value in resolve(case, tmp_path).values():
        for origin in (value.origin, *value.overrides):
            if origin is None or origin.span is None or origin.text == "":
                continue
            text = (case["command"] if origin.path is None else case["files"][origin.path]).encode()
            written = text[origin.span.start : origin.span.end].decode()
            assert text[: origin.span.start].count(b"\n") + 1 == origin.line
            if origin.kind not in ("cli", "override", "env"):
                assert written == origin.text, (value.name, origin)
            if origin.anchor is not None and origin.kind in ("config", "nested", "keyword", "attribute", "field"):
                assert origin.anchor.start <= origin.span.start
                assert origin.span.end <= origin.anchor.end


def test_json_contract(tmp_path: Path) -> None:
    settings = resolve(CASES[0], tmp_path)
    shown = settings_json(settings)["settings"]
    assert list(shown) == sorted(shown)
    bf16 = shown["bf16"]
    assert {k: bf16[k] for k in ("value", "kind", "path", "line", "overrides")} == {
        "value": True,
        "kind": "literal",
        "path": None,
        "line": 1,
        "overrides": [],
    }


def test_the_same_inputs_give_the_same_answer(tmp_path: Path) -> None:
    for case in CASES[:8]:
        folder = tmp_path / case["name"].replace(" ", "-").replace("/", "-")
        folder.mkdir()
        assert settings_json(resolve(case, folder)) == settings_json(resolve(case, folder))


def test_strangers_keep_their_own_names(tmp_path: Path) -> None:
    """A name that two unrelated packs define belongs to the framework; the other appears under its pack's name."""
    files = {"train.py": "from transformers import TrainingArguments\nTrainingArguments('o', seed=3)\n"}
    settings = settings_of(tmp_path, files, "python train.py --seed 4", framework="hf_trainer")
    assert settings["seed"].value == 4
    assert settings["seed"].pack == "hf_trainer"


def test_broken_files_do_not_stop_the_rest(tmp_path: Path) -> None:
    files = {
        "train.py": "from transformers import TrainingArguments\ndef broken(:\nTrainingArguments('o', bf16=True)\n",
        "cfg.yaml": "a: [1\nb: }{",
        "ds.json": "{not json",
    }
    command = "python train.py --config cfg.yaml --deepspeed ds.json --fp16"
    settings = settings_of(tmp_path, files, command)
    assert settings["fp16"].value is True
    assert settings["deepspeed_zero_stage"].kind in ("computed", "default", "unset")
