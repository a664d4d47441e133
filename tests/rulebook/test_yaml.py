"""What YAML does to the unwary, and files made to hang or fill the machine that reads them."""

from __future__ import annotations

import time

import pytest
import yaml
from gto_rules.rulebook.places import SIZE_LIMIT, load_placed
from hypothesis import given
from hypothesis import strategies as st

# text → (place of the first diagnostic, words in it)
TRAPS = {
    "tab": ("a:\n\tb: 1\n", "2:1", "does not allow tabs"),
    "syntax": ("a: [1, 2\nb: 3\n", "2:2", "YAML syntax error"),
    "colon in a word": ("a: b: c\n", "1:5", "YAML syntax error"),
    "empty": ("# nothing\n", "1:1", "the file is empty"),
    "two documents": ("a: 1\n---\nb: 2\n", "2:1", "YAML syntax error"),
    "twice": ("a: 1\nb: 2\na: 3\n", "3:1", "the key 'a' stands twice"),
    "twice below": ("x:\n  - {k: 1, k: 2}\n", "2:12", "the key 'k' stands twice"),
    "key on": ("on: 1\n", "1:1", 'write it in quotes: "on"'),
    "key no": ("x: {no: 1}\n", "1:5", 'write it in quotes: "no"'),
    "value no": ("x: no\n", "1:4", 'write false, or "no" in quotes'),
    "value On": ("x: [a, On]\n", "1:8", 'write true, or "On" in quotes'),
    "octal": ("x: 010\n", "1:4", 'write 8, or "010" in quotes'),
    "sixties": ("x: 1:30\n", "1:4", 'write 90, or "1:30" in quotes'),
    "object": ("x: !!python/object/apply:os.system [echo]\n", None, None),
    "scalar object": ("x: !!python/name:os.system\n", "1:4", "cannot be read"),
    "tag that does not fit": ("x: !!bool maybe\n", "1:4", "'maybe' is no bool"),
    "tag without a text": ("x: !!int\n", "1:4", "'' is no int"),
    "tag of a date": ("x: !!timestamp soon\n", "1:4", "'soon' is no timestamp"),
    "own tag": ("x: !mine 1\n", "1:4", "cannot be read"),
    "impossible date": ("x: 2024-13-45\n", "1:4", "cannot be read"),
    "list as a key": ("? [a, b]\n: 1\n", "1:3", "a key must be a plain word"),
    "merge of a word": ("a: {<<: b}\n", "1:9", "'<<' takes a mapping"),
    "unknown anchor": ("a: *b\n", "1:4", "YAML syntax error"),
}


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_is_named_with_its_place(name: str) -> None:
    text, place, said = TRAPS[name]
    found = load_placed(text, "x.yaml")
    if place is None:  # nothing is built from the tag: the list stays a list
        assert found.data == {"x": ["echo"]}
        return
    assert found.diagnostics and said in found.diagnostics[0].render()
    assert str(found.diagnostics[0].location) == f"x.yaml:{place}"


BOMBS = {
    "laughs": "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)),
    "laughing keys": "a0: &a0 {x: 1}\n"
    + "".join(f"a{n}: &a{n} {{p: *a{n - 1}, q: *a{n - 1}}}\n" for n in range(1, 40)),
    "merges": "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 40)),
    "itself": "a: &a [*a, *a, *a]\n",
    "merged with itself": "a: &a {<<: *a, b: 1}\n",
    "deep": "[" * 5000,
    "deep and whole": "[" * 300 + "]" * 300,
    "deep keys": "".join(" " * n + "k:\n" for n in range(400)),
    "large": "#" * (SIZE_LIMIT + 1),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_at_once(name: str) -> None:
    before = time.perf_counter()
    found = load_placed(BOMBS[name], "x.yaml")
    assert found.diagnostics
    assert time.perf_counter() - before < 5


def test_every_key_and_value_has_its_place() -> None:
    found = load_placed("base: &b {p: 1, q: 2}\nrows:\n  - name: x\n    <<: *b\n    q: 3\n", "x.yaml")
    assert found.data["rows"] == [{"name": "x", "p": 1, "q": 3}]
    assert not found.diagnostics
    assert found.places["rows", 0] == (3, 5)
    assert found.places["rows", 0, "name", "<key>"] == (3, 5)
    assert found.places["rows", 0, "q"] == (5, 8)
    assert found.places["rows", 0, "p"] == (1, 14)


def test_a_diagnostic_of_an_unknown_place_stands_at_the_nearest_known() -> None:
    found = load_placed("a:\n  b: [1, 2]\n", "x.yaml")
    assert str(found.diagnostic("m", ("a", "b", 7, "z")).location) == "x.yaml:2:6"
    assert str(found.diagnostic("m", ("z",)).location) == "x.yaml:1:1"


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
_DATA = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)


@given(st.dictionaries(st.text(), _DATA, max_size=4))
def test_what_yaml_writes_reads_back(data: dict[str, object]) -> None:
    text = yaml.safe_dump(data, allow_unicode=True)
    found = load_placed(text, "x.yaml")
    assert found.data == yaml.safe_load(text) and not found.diagnostics


@given(st.text(alphabet="ab01:-[]{}&*!|>'\"#%@,?\t\n <.é\u2028\x00", max_size=60))
def test_any_text_gives_data_or_a_place(text: str) -> None:
    found = load_placed(text, "x.yaml")
    for one in found.diagnostics:
        assert one.location is not None and one.location.line >= 1 and one.location.column >= 1
        assert one.render()
    if not found.diagnostics and "!" not in text:  # a tag on a list or mapping is passed over, not obeyed
        assert found.data == yaml.safe_load(text)
