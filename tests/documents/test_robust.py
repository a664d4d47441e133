"""Whatever a file holds, reading it ends in a document, soon, and says what could not be read."""

from __future__ import annotations

import time

import pytest
from gto_rules.documents import READERS, parse, source_from_bytes
from gto_rules.documents.grammar import MOST_PROBLEMS, NESTING_LIMIT
from gto_rules.documents.model import DataDocument, RequirementsDocument, to_python, walk
from hypothesis import given, settings
from hypothesis import strategies as st

SEEDS = {
    "python": b'import torch\n@dec\ndef f(a, *b, **c):\n    """doc"""\n    return [x for x in a if x % 2]\n',
    "shell": b'#!/bin/bash\nX=${Y:-1}\nfor i in 1 2; do echo "$X" | tee a; done\ncat <<EOF\nx $(ls)\nEOF\n',
    "yaml": b"a: &x {b: [1, 2.5, on]}\nc:\n  - <<: *x\n    d: |\n      text\n  - ? k\n    : !!int '3'\n---\ne: 'f'\n",
    "json": b'{"a": [1, -2.5e+3, true, null], "b": {"c": "\\u00e9\\n"}, "a": 2}',
    "toml": b'a = 0x1F\n[t.\'u v\']\nb = [1, {c = 2.5}]\n[[r]]\nd = 2020-01-01\ne = """\nx\\\n  y"""\n',
    "ini": b"[metadata]\nname = x\n[options]\ninstall_requires =\n    torch>=2\n    numpy\n",
    "requirements": b"-r base.txt\n"
    b"torch[a]>=2,<3 ; python_version>'3'\ngit+https://x.org/a/b.git#egg=b\nc==1 \\\n --hash=x:1\n",
    "notebook": b'{"metadata": {}, "cells": ['
    b'{"cell_type": "code", "source": ["%time\\n", "x = \\"\\u00e9\\ud83d\\ude00\\""]}]}',
    "dockerfile": b'FROM a AS b\nRUN --mount=type=cache pip install x \\\n  && y\nRUN <<EOF\nz\nEOF\nCMD ["a", "b"]\n',
    "compose": b"services:\n  t:\n    command: [a, b]\n    environment: {A: 1}\n",
    "setup_py": b"R = ['torch']\nsetup(install_requires=R, extras_require={'a': ['b>=1']})\n",
    "conda": b"dependencies:\n  - python=3.10\n  - pip:\n    - torch==2.0\n",
}
PIECES = st.sampled_from(
    [
        *(bytes([one]) for one in b"\0\"'{[\\\n\t#=\xff\r"),
        *rb'&a *a <<:*a : - \u12 !!int """ 0x ${ $( \uD800 ? ,'.split(),
        *(b": ", b"- ", b"<<: *a\n", b"|\n", b">-\n", b"---\n", b"9" * 5000, b"\xe2\x80\xa8", b"<<E\n"),
    ]
)
CHANGES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), PIECES | st.binary(max_size=4)), max_size=5)


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(sorted(SEEDS)), st.sampled_from(sorted(READERS)) | st.none(), CHANGES)
def test_no_content_raises(seed: str, kind: str | None, changes: list[tuple[float, int, bytes]]) -> None:
    raw = SEEDS[seed]
    for where, cut, piece in changes:
        at = int(where * len(raw))
        raw = raw[:at] + piece + raw[at + cut :]
    document = parse(source_from_bytes(raw, "f"), kind or seed)
    text = document.source.text
    for problem in document.problems:
        assert problem.line is None or 1 <= problem.line <= text.count(b"\n") + 1
    if isinstance(document, DataDocument):
        for root in document.roots:
            to_python(root)
            for _, entry in walk(root):
                assert 0 <= entry.key_span.start <= entry.key_span.end <= len(text)
                assert 0 <= entry.value.span.start <= entry.value.span.end <= len(text)
    if isinstance(document, RequirementsDocument):
        assert all(r.span.end <= len(text) for r in document.requirements)


@pytest.mark.parametrize("kind", sorted(READERS))
@pytest.mark.parametrize("raw", [b"", b"\xef\xbb\xbf", b"\n", b"\r\n\r\n", b"\t", b"\xff\xfe", b"\0\1\2\3"])
def test_next_to_nothing_is_read(kind: str, raw: bytes) -> None:
    assert parse(source_from_bytes(raw, "f"), kind).kind in (kind, "yaml")


def nested(kind: str, levels: int) -> bytes:
    return {
        "json": b"[" * levels + b"]" * levels,
        "toml": b"a = " + b"[" * levels + b"]" * levels,
        "toml keys": b".".join([b"a"] * levels) + b" = 1",
        "yaml flow": b"[" * levels + b"]" * levels,
        "yaml block": b"".join(b" " * at + b"a:\n" for at in range(levels)),
        "yaml list": b"- " * levels + b"x",
        "yaml tagged": b"- !!seq &a " * levels + b"x",
        "python": b"x = " + b"(" * levels + b")" * levels,
        "shell": b"$(" * levels + b")" * levels,
    }[kind]


@pytest.mark.parametrize("levels", [NESTING_LIMIT + 50, 300, 1000])
@pytest.mark.parametrize(
    "kind",
    ["json", "toml", "toml keys", "yaml flow", "yaml block", "yaml list", "yaml tagged", "python", "shell"],
)
def test_deep_nesting_is_said_and_survived(kind: str, levels: int) -> None:
    document = parse(source_from_bytes(nested(kind, levels), "f"), kind.split()[0])
    if isinstance(document, DataDocument):
        assert document.problems
        for root in document.roots:
            to_python(root)


def test_nesting_that_people_write_is_read() -> None:
    for kind in ("json", "toml", "yaml flow", "yaml block", "yaml list"):
        assert not parse(source_from_bytes(nested(kind, 45), "f"), kind.split()[0]).problems


def test_a_wide_file_is_not_taken_for_a_deep_one() -> None:
    text = b"a: |\n" + b" " * 120 + b"picture\nb:\n" + b" " * 110 + b"c: 1\n"
    document = parse(source_from_bytes(text, "a.yaml"))
    assert isinstance(document, DataDocument) and not document.problems
    assert to_python(document.roots[0]) == {"a": "picture\n", "b": {"c": 1}}


def test_aliases_that_multiply_are_stopped() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    started = time.perf_counter()
    document = parse(source_from_bytes("\n".join(rows).encode(), "a.yaml"))
    assert isinstance(document, DataDocument)
    assert len(str(to_python(document.roots[0]))) < 20_000_000
    assert time.perf_counter() - started < 10
    assert "aliases" in document.problems[0].message


def test_many_problems_are_cut_short() -> None:
    text = "{" + ", ".join('"a": 1' for _ in range(1000)) + "}"
    document = parse(source_from_bytes(text.encode(), "a.json"))
    assert len(document.problems) == MOST_PROBLEMS


def test_a_notebook_with_a_large_picture_is_read() -> None:
    picture = b"x" * 2_000_000
    text = b'{"cells": [{"cell_type": "code", "outputs": ["' + picture + b'"], "source": "import torch"}]}'
    document = parse(source_from_bytes(text, "n.ipynb"))
    assert not document.problems and document.cells[0].document.source.text == b"import torch"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "name", ["a.py", "a.sh", "a.yaml", "a.toml", "requirements.txt", "a.cfg", "Dockerfile", "a.json"]
)
def test_one_enormous_line_takes_no_time(name: str) -> None:
    started = time.perf_counter()
    document = parse(source_from_bytes(b"a: (" * 3_000_000, name))
    assert time.perf_counter() - started < 10
    # The other two are read line by line, and this is a line of theirs.
    assert document.problems or name in ("a.cfg", "Dockerfile")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", b"+/" * 20_000),
        ("a.sh", b"[a]" * 20_000),
        ("a.sh", b"[a]" * 6000),
        ("requirements.txt", b"a." * 200_000),
        ("a.cfg", b"[a]\nb" + b" " * 200_000),
        ("Dockerfile", b"RUN <<" * 20_000),
    ],
)
def test_garbage_does_not_take_the_square_of_its_length(name: str, text: bytes) -> None:
    started = time.perf_counter()
    assert parse(source_from_bytes(text, name)).problems or name == "Dockerfile"
    assert time.perf_counter() - started < 10
