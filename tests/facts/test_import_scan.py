"""Imports read off the text agree with those read off the tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from gto_rules.facts.python.grammar import import_captures, parse
from gto_rules.facts.python.import_lines import read_import
from gto_rules.facts.python.import_scan import scan_imports, scan_reached, without_strings
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    [*ROOT.glob("engine/gto_rules/**/*.py"), *ROOT.glob("tests/facts/*.py"), *ROOT.glob("tests/projects/**/*.py")]
)


def absolute(written: str) -> str:
    return written.replace(".", "~", len(written) - len(written.lstrip(".")))


def scanned(text: bytes) -> list[tuple[str, str, str]]:
    return [(i.name, i.alias, i.bound) for i in scan_imports(without_strings(text), absolute)]


def parsed(text: bytes) -> list[tuple[str, str, str]]:
    found = (i for node in import_captures(parse(text).root_node) for i in read_import(node, absolute))
    return [(i.name, i.alias, i.bound) for i in found]


def test_real_files_give_the_same_imports() -> None:
    different = [str(p) for p in SOURCES if scanned(p.read_bytes()) != parsed(p.read_bytes())]
    assert different == []


@pytest.mark.parametrize(
    "text",
    [
        "import a",
        "import a.b as c, d",
        "from a import b",
        "from a import b as c, d",
        "from a import (\n    b,  # why\n    c as d,\n)",
        "from . import a",
        "from ..a.b import c",
        "from a import *",
        "from .import a",
        "import a; import b",
        "try: import a\nexcept ImportError: a = None",
        "if x:\n\timport a",
        "from a import b, \\\n    c",
        "x = '''\nimport a\n'''",
        'x = """it\'s\nimport a\n"""\nimport b',
        "# import a",
        "x = 'a' # it's\nimport a",
        "x = f'{y[\"a\"]}'\nimport a",
        'x = f"{y["a"]}"\nimport a',
        "x = '\\''\nimport a",
        "x = r'\\\\'\nimport a",
        "from __future__ import annotations\nimport a",
        "importa = 1\nfrom_a = 2",
        "x.importer\nyield_from = 1",
        "def f():\n    yield from a\n",
        "raise E from e",
    ],
)
def test_every_way_to_write_an_import(text: str) -> None:
    assert scanned(text.encode()) == parsed(text.encode())


_NAME = st.sampled_from(["a", "b.c", "d_1"])
_STATEMENT = st.one_of(
    st.builds("import {}".format, _NAME),
    st.builds("import {} as z, {}".format, _NAME, _NAME),
    st.builds("from {} import x, y as z".format, _NAME),
    st.builds("from {} import (\n    x,\n    y,\n)".format, _NAME),
    st.sampled_from(
        ["x = 'import a'", '"""\nimport a\n"""', "# import a", "x = {'a': 1}", "def f(): import a", 'y = "\'"']
    ),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_STATEMENT, max_size=8).map("\n".join))
def test_any_mixture_gives_the_same_imports(text: str) -> None:
    assert scanned(text.encode()) == parsed(text.encode())


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_blanking_keeps_every_line_and_offset(raw: bytes) -> None:
    blanked = without_strings(raw)
    assert len(blanked) == len(raw)
    assert blanked.count(b"\n") == raw.count(b"\n")


def test_names_reached_through_an_import() -> None:
    code = b"import a.b\nfrom a import c as d\nx = a.b.X(1) + d.e.X + y.X\n"
    imports = list(scan_imports(code, lambda written: written))
    assert [name for name, _ in scan_reached(code, imports, "X")] == ["a.b.X", "a.c.e.X"]
