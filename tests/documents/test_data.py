"""YAML, JSON, TOML and INI give what the format's own loader gives, with exact places."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import pytest
import yaml
from gto_rules.documents import parse, source_from_bytes
from gto_rules.documents.model import DataDocument, Mapping, Node, Scalar, Sequence, to_python
from gto_rules.documents.scalars import plain
from hypothesis import given
from hypothesis import strategies as st

KEYS = st.text(st.characters(categories=["Ll", "Lu"], max_codepoint=0x17F), min_size=1, max_size=8)
SCALARS = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"], exclude_characters="\x85\u2028\u2029\ufeff"), max_size=20
)
VALUES = st.recursive(
    SCALARS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
TREES = st.dictionaries(KEYS, VALUES, min_size=1, max_size=5)


def read(text: str, name: str) -> DataDocument:
    document = parse(source_from_bytes(text.encode(), name))
    assert isinstance(document, DataDocument)
    return document


def check_spans(document: DataDocument, node: Node) -> None:
    """Spans lie inside one another, and a plain scalar's span is its text."""
    if isinstance(node, Mapping):
        for entry in node.entries:
            assert entry.key_span.end <= entry.span.end
            check_spans(document, entry.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            check_spans(document, item)
    elif isinstance(node, Scalar) and node.style == "plain" and isinstance(node.value, int):
        assert document.source.slice(node.span).strip()


@given(TREES, st.booleans())
def test_yaml_reads_as_pyyaml_does(tree: dict[str, Any], flow: bool) -> None:
    text = yaml.safe_dump(tree, default_flow_style=flow, allow_unicode=True)
    document = read(text, "a.yaml")
    expected = yaml.safe_load(text)
    assert to_python(document.roots[0]) == stringy(expected)
    check_spans(document, document.roots[0])


def stringy(value: Any) -> Any:
    """Keys as text, as data documents have them."""
    if isinstance(value, dict):
        return {("null" if k is None else str(k)): stringy(v) for k, v in value.items()}
    return [stringy(v) for v in value] if isinstance(value, list) else value


@given(TREES)
def test_json_reads_as_json_does(tree: dict[str, Any]) -> None:
    text = json.dumps(tree, indent=1)
    document = read(text, "a.json")
    assert to_python(document.roots[0]) == json.loads(text)
    check_spans(document, document.roots[0])


WORDS = st.sampled_from(
    re.findall(
        r"\S+",
        "yes No ON off true False null ~ Null 1 -2 +3 0x1F 0o17 017 0b11 1_000 1e5 1e-5 1.5e+3 1.0e-5 .5 -.inf .NaN "
        "12:30:45 1.2.3 1:30 2001-01-01 abc a.b -x 5e 0 -0 00 0.0 1. .",
    )
)


@given(WORDS)
def test_plain_scalars_are_resolved_as_pyyaml_does(word: str) -> None:
    expected = yaml.safe_load(word)
    if not isinstance(expected, (str, int, float, bool, type(None))):
        return  # dates stay as they are written
    found = plain(word)
    assert repr(found) == repr(expected)


def test_several_documents_anchors_and_merges() -> None:
    document = read("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n---\nz: *b\n", "a.yaml")
    assert to_python(document.roots[0]) == {"base": {"x": 1, "y": 2}, "use": {"x": 1, "y": 3}}
    assert any("not defined" in p.message for p in document.problems)


def test_a_yaml_error_keeps_what_can_be_read() -> None:
    document = read("a: 1\nb: [1, 2\nc: 3\n", "a.yaml")
    assert document.problems
    assert document.roots and to_python(document.roots[0]).get("a") == 1


def test_block_scalars_and_multi_line_text() -> None:
    text = 'a: |\n  one\n  two\nb: >-\n  three\n  four\nc: plain\n  more\nd: "x\\ty"\n'
    assert to_python(read(text, "a.yaml").roots[0]) == yaml.safe_load(text)


def test_json_with_comments_and_doubled_keys() -> None:
    document = read('{"a": 1, // one\n "a": 2}', "a.json")
    entry = document.find("a")
    assert entry is not None and to_python(entry.value) == 2
    assert any("stands twice" in p.message for p in document.problems)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with Python 3.11")
def test_toml_reads_as_tomllib_does() -> None:
    import tomllib

    text = (
        "a = 1\nb.c = \"x\\n\\u00e9\"\n[t]\nx = [1, {y = 2.5}]\nlit = 'c:\\p'\n[t.u]\nv = true\n[[rows]]\nn = 1\n"
        '[[rows]]\nn = 0x10\n[rows.sub]\nm = 1_000\n[other]\nml = """\none\\\n  two"""\n'
    )
    assert to_python(read(text, "a.toml").roots[0]) == tomllib.loads(text)


def test_ini_sections_and_continuations() -> None:
    document = read("[options]\ninstall_requires =\n    torch>=2\n    numpy\n; note\n[x]\na: b\n", "setup.ini")
    entry = document.find("options", "install_requires")
    assert entry is not None and str(to_python(entry.value)).split() == ["torch>=2", "numpy"]


def test_places_are_those_of_the_file() -> None:
    document = read("train:\r\n  lr: 1e-4\r\n  bf16: true # on\r\n", "c.yaml")
    entry = document.find("train", "bf16")
    assert entry is not None
    assert document.source.location(entry.value.span).line == 3
    assert document.source.slice(entry.value.span) == "true"
