"""The settings-table language, on the committed tables and on small ones."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from gto_rules.facts.settings.table import SOURCE_KINDS, Table, from_mapping
from gto_rules.facts.settings.versions import Known, known_version

RULES = Path(__file__).parents[2] / "rules"
TABLES = sorted(RULES.glob("*/settings/*.yaml"))


def table(path: Path) -> Table:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return from_mapping(data["id"], data["id"].partition("/")[0], data, path.name)


@pytest.mark.parametrize("path", TABLES, ids=lambda p: f"{p.parts[-3]}/{p.stem}")
def test_every_committed_table_is_read_whole(path: Path) -> None:
    read = table(path)
    assert read.id == f"{path.parts[-3]}/{path.stem}"
    for name, spec in read.settings.items():
        assert spec.type in {"bool", "int", "float", "str", "list", "dict", "any", "name"}, name
        assert all(s.kind in SOURCE_KINDS for s in spec.sources), name
        if spec.type == "bool":
            assert all(a.value in (True, False, None) for a in spec.defaults), name
        if spec.choices and spec.type == "str":
            # choices are those of the newest version
            assert all(a.version or a.value is None or a.value in spec.choices for a in spec.defaults), name


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("optim", "4.57.3", "adamw_torch_fused"),
        ("optim", "4.40.2", "adamw_torch"),
        ("average_tokens_across_devices", "4.53.0", False),
        ("average_tokens_across_devices", "5.19.0", True),
        ("report_to", "5.19.0", "none"),
        ("report_to", "4.57.3", None),
        ("group_by_length", "4.57.3", False),
        ("dataloader_num_workers", "4.40.2", 0),
    ],
)
def test_defaults_follow_the_version(name: str, version: str, expected: object) -> None:
    spec = table(RULES / "hf_trainer/settings/training-arguments.yaml").settings[name]
    chosen, note = spec.default_for(known_version(version, "", ()))
    assert chosen is not None
    assert chosen.value == expected
    assert note is None


def test_a_removed_setting_has_no_default_and_an_unpinned_version_says_so() -> None:
    read = table(RULES / "hf_trainer/settings/training-arguments.yaml")
    spec = read.settings["group_by_length"]
    assert spec.default_for(known_version("5.19.0", "", ()))[0] is None
    chosen, note = spec.default_for(known_version(None, ">=4.50", read.verified))
    assert chosen is None
    assert note is not None
    assert "False" in note
    assert spec.default_for(known_version(None, "<5", read.verified)) == (spec.defaults[0], None)


def test_old_names_belong_to_old_versions() -> None:
    spec = table(RULES / "hf_trainer/settings/training-arguments.yaml").settings["eval_strategy"]
    assert spec.spelling_for("4.40.0") == "evaluation_strategy"
    assert spec.spelling_for("4.46.0") == "eval_strategy"
    assert spec.spelling_for(None) == "eval_strategy"


def test_known_version_takes_the_newest_that_the_requirement_allows() -> None:
    verified = ["4.40.2", "5.0.0", "4.57.3"]
    assert known_version(None, "<5", verified) == Known("4.57.3", ("4.40.2", "4.57.3"))
    assert known_version(None, "", verified).assumed == "5.0.0"
    assert known_version("4.44.1", ">=4", verified) == Known("4.44.1", ("4.44.1",), pinned=True)
    assert known_version(None, "not a specifier", verified).assumed == "5.0.0"


def test_a_setting_can_replace_or_add_sources() -> None:
    data = {
        "classes": ["lib.Config"],
        "sources": [{"cli": "--{name}"}],
        "settings": {
            "a": {"type": "int"},
            "b": {"sources": [{"env": "B_{NAME}"}]},
            "c": {"also": [{"keyword": "cc"}]},
        },
    }
    settings = from_mapping("p/t", "p", data).settings
    assert [s.kind for s in settings["a"].sources] == ["cli"]
    assert settings["b"].sources[0].spelt("b") == "B_B"
    assert [(s.kind, s.of) for s in settings["c"].sources] == [("keyword", ("lib.Config",)), ("cli", ("lib.Config",))]
