"""Flags and typed values out of words."""

from __future__ import annotations

import pytest
from gto_rules.facts.settings.typed import from_text
from gto_rules.facts.settings.words import flag_origin, read_flags
from gto_rules.project.model import Place, Word
from hypothesis import given
from hypothesis import strategies as st


def words(text: str) -> tuple[Word, ...]:
    return tuple(Word(t, known="$" not in t, value_place=Place("run.sh", 3)) for t in text.split())


def value(text: str, kind: str) -> object:
    flags, _ = read_flags(words(text))
    return flag_origin(flags[0], kind).value


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("--bf16", "bool", True),
        ("--bf16 True", "bool", True),
        ("--bf16 false", "bool", False),
        ("--bf16 0", "bool", False),
        ("--bf16=False", "bool", False),
        ("--bf16 data.json", "bool", True),
        ("--lr 1e-5", "float", 1e-5),
        ("--offset -2", "int", -2),
        ("--weight_decay 0.", "float", 0.0),
        ("--names a b c", "list", ["a", "b", "c"]),
        ("--names a key=1", "list", ["a"]),
        ("--deepspeed null", "any", None),
        ("--eval_strategy no", "str", "no"),
        ("--x [1,2]", "any", [1, 2]),
        ("--id 007", "str", "007"),
    ],
)
def test_values_are_typed(text: str, kind: str, expected: object) -> None:
    assert value(text, kind) == expected
    assert type(value(text, kind)) is type(expected)


def test_hyphens_and_positions() -> None:
    flags, before = read_flags(words("cfg.yaml --dataset-name d -m --x=1 rest"))
    assert [w.text for w in before] == ["cfg.yaml"]
    assert [(f.name, [v.text for v in f.values]) for f in flags] == [("dataset_name", ["d"]), ("m", []), ("x", ["1"])]


def test_an_unknown_word_is_computed_not_guessed() -> None:
    flags, _ = read_flags(words("--lr $LR"))
    origin = flag_origin(flags[0], "float")
    assert origin.computed
    assert origin.value is None
    assert origin.reason == "depends on $LR"


@given(st.integers())
def test_integers_survive(number: int) -> None:
    assert from_text(str(number), "int") == number
    assert from_text(str(number), "any") == number


@given(st.text(max_size=30))
def test_text_never_fails(text: str) -> None:
    for kind in ("bool", "int", "float", "list", "dict", "any"):
        from_text(text, kind)
    assert from_text(text, "str") == text
