"""Keys of configuration files: the formats' own loaders read the new value, and nothing else differs."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from gto_rules.documents import parse, source_from_bytes
from gto_rules.documents.model import DataDocument, Mapping
from gto_rules.errors import PatchError
from gto_rules.patch.config_edit import alike, set_key
from hypothesis import assume, given, settings
from hypothesis import strategies as st

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KEYS = st.sampled_from(["lr", "bf16", "optim", "model", "data-path", "a_b", "x1", "on", "no"])
TEXTS = st.one_of(
    st.sampled_from(
        ["yes", "1e-5", "a b", "a ", "x: y", "# no", "", "null", "~", "a\nb", "it's", '"', "é", "0x1F", "- a"]
    ),
    st.text(max_size=8).filter(lambda t: t.isprintable()),
    st.text("\t\n\x7f\x85\u2028\ufeff'\"\\ #:aé", max_size=6),
)
SCALARS = st.one_of(
    st.booleans(), st.integers(-(10**6), 10**6), st.floats(allow_nan=False, allow_infinity=False), TEXTS
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(KEYS, SCALARS, max_size=2))
TREES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(KEYS, TREES, max_size=5)
PATHS = st.lists(KEYS, min_size=1, max_size=3)


def read(name: str, text: str) -> DataDocument:
    document = parse(source_from_bytes(text.encode(), name))
    assert isinstance(document, DataDocument)
    return document


def edited(name: str, text: str, path: list[str], value: object) -> str:
    raw = text.encode()
    for span, new in sorted(set_key(read(name, text), path, value), key=lambda c: c[0], reverse=True):
        raw = raw[: span.start] + new.encode() + raw[span.end :]
    return raw.decode()


def with_value(data: dict[str, Any], path: list[str], value: object) -> dict[str, Any] | None:
    """The data with a key set; None where a parent is no mapping, which must be refused."""
    data = copy.deepcopy(data)
    node = data
    for key in path[:-1]:
        if node.get(key) is None:
            node[key] = {}
        if not isinstance(node[key], dict):
            return None
        node = node[key]
    node[path[-1]] = value
    return data


def toml_of(data: dict[str, Any], prefix: tuple[str, ...] = ()) -> str:
    """Some TOML for data: tables with headers; TOML has no null."""
    tables = {k: v for k, v in data.items() if isinstance(v, dict)}
    lines = [f"{k} = {inline(v)}  # {k}" for k, v in data.items() if k not in tables]
    for key, value in tables.items():
        header = ".".join((*prefix, key))
        only_tables = value and all(isinstance(v, dict) for v in value.values())
        lines += [] if only_tables else [f"[{header}]"]
        lines.append(toml_of(value, (*prefix, key)))
    return "\n".join(lines)


def inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def check(
    name: str, text: str, load: Callable[[str], Any], data: dict[str, Any], path: list[str], value: object
) -> None:
    wanted = with_value(data, path, value)
    if wanted is None:
        with pytest.raises(PatchError):
            edited(name, text, path, value)
        return
    after = edited(name, text, path, value)
    assert alike(load(after), wanted), after
    assert edited(name, after, path, value) == after


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, PATHS, VALUES, st.sampled_from([None, 1, 2, 4]))
def test_json(data: dict[str, Any], path: list[str], value: object, indent: int | None) -> None:
    check("a.json", json.dumps(data, indent=indent), json.loads, data, path, value)


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, PATHS, VALUES, st.sampled_from([False, True, None]), st.booleans())
def test_yaml(data: dict[str, Any], path: list[str], value: object, flow: bool | None, wide: bool) -> None:
    text = yaml.safe_dump(data, default_flow_style=flow, allow_unicode=wide, sort_keys=False)
    assume(alike(yaml.safe_load(text), data))  # PyYAML does not read back every character that it writes
    check("a.yaml", text, yaml.safe_load, data, path, value)


@settings(max_examples=60, deadline=None)
@given(DOCUMENTS, PATHS, VALUES)
def test_toml(data: dict[str, Any], path: list[str], value: object) -> None:
    text = toml_of(data)
    existing = read("a.toml", text).find(*path)
    if existing is not None and isinstance(existing.value, Mapping) and not existing.value.flow:
        with pytest.raises(PatchError):  # a table with a header of its own is not replaced
            edited("a.toml", text, path, 0)
        return
    check("a.toml", text, tomllib.loads, tomllib.loads(text), path, value)


COMMENTED = """\
# how we train
model: x   # a name
train:  # the loop
  lr: 1e-4    # too high?
  steps: [1,
          2]
  note: |+
    keep

# after
data:
- name: a
  path: 'p'
last: "q"
"""


@pytest.mark.parametrize(
    ("path", "value", "changed"),
    [
        (["model"], "y", {"model: x   # a name": "model: y   # a name"}),
        (["train", "lr"], 1e-5, {"  lr: 1e-4    # too high?": "  lr: 1.0e-05    # too high?"}),
        (["last"], "r", {'last: "q"': 'last: "r"'}),
        (["last"], True, {'last: "q"': "last: true"}),
        (["new"], 3, {'last: "q"': 'last: "q"\nnew: 3'}),
        (["train", "bf16"], True, {"  lr: 1e-4    # too high?": "  bf16: true\n  lr: 1e-4    # too high?"}),
        (["train", "a", "b"], 1, {"  lr: 1e-4    # too high?": "  a:\n    b: 1\n  lr: 1e-4    # too high?"}),
    ],
)
def test_comments_and_layout_stay(path: list[str], value: object, changed: dict[str, str]) -> None:
    expected = COMMENTED
    for old, new in changed.items():
        expected = expected.replace(old, new)
    assert edited("a.yaml", COMMENTED, path, value) == expected


@pytest.mark.parametrize(
    ("name", "before", "path", "value", "after"),
    [
        ("a.yaml", "", ["a"], 1, "a: 1\n"),
        ("a.yaml", "# only words\n", ["a", "b"], 1, "# only words\na:\n  b: 1\n"),
        ("a.yaml", "a:\nb: 2\n", ["a"], 1, "a: 1\nb: 2\n"),
        ("a.yaml", "a:   # later\nb: 2\n", ["a"], "x", "a: x   # later\nb: 2\n"),
        ("a.yaml", "a: null\n", ["a", "b"], 1, "a: {b: 1}\n"),
        ("a.yaml", "a: 1\r\nb: 2\r\n", ["c"], 3, "a: 1\r\nb: 2\r\nc: 3\r\n"),
        ("a.yaml", "a: 'x'\n", ["a"], "it's", "a: 'it''s'\n"),
        ("a.yaml", "a: {b: 1,}\n", ["a", "c"], 2, "a: {b: 1, c: 2,}\n"),
        ("a.yaml", "a: |\n  text\nb: 1\n", ["a"], "x", "a: x\nb: 1\n"),
        ("a.json", "{}", ["a"], None, '{"a": null}'),
        ("a.json", '{\n\t"a": 1\n}\n', ["b", "c"], "x", '{\n\t"a": 1,\n\t"b": {"c": "x"}\n}\n'),
        ("a.toml", "[a.b]\nx = 1\n", ["a", "y"], 2, "[a.b]\nx = 1\n\n[a]\ny = 2\n"),
        ("a.toml", "[a]\nx = 1 # one\n[b]\n", ["a", "y"], "z", '[a]\nx = 1 # one\ny = "z"\n[b]\n'),
        ("a.toml", "# head\n[a]\n", ["y"], True, "y = true\n# head\n[a]\n"),
    ],
)
def test_places(name: str, before: str, path: list[str], value: object, after: str) -> None:
    assert edited(name, before, path, value) == after


@pytest.mark.parametrize(
    ("name", "text", "path", "value", "reason"),
    [
        ("a.yaml", "base: &b {x: 1}\nuse: *b\n", ["use", "x"], 2, "without changing what else"),
        ("a.yaml", "a: 1\n---\nb: 2\n", ["c"], 3, "several documents"),
        ("a.yaml", "a: 1\n", ["a", "b"], 3, "a is not a mapping"),
        ("a.yaml", "- a\n", ["b"], 3, "the file is not a mapping"),
        ("a.ini", "[a]\nb = 1\n", ["a", "b"], 3, "ini files cannot be edited"),
        ("a.toml", "a = 1\n", ["a"], None, "TOML cannot write an empty value"),
        ("a.json", "{}", ["a"], float("nan"), "JSON cannot write nan"),
    ],
)
def test_refusals(name: str, text: str, path: list[str], value: object, reason: str) -> None:
    with pytest.raises(PatchError, match=reason):
        edited(name, text, path, value)
