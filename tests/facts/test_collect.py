"""Imports, dependencies and reach as facts."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from gto_rules.facts.collect import collect
from gto_rules.facts.imports import wanted_imports
from gto_rules.facts.model import Facts
from gto_rules.project.model import Launch, Word
from gto_rules.project.project import Project
from gto_rules.rulebook.model import Rule, Rulebook


def book(*rules: Rule) -> Rulebook:
    return Rulebook({}, rules, "x")


def asks(*names: str) -> Rule:
    return Rule("x/d", "detector", "x", {"signals": [{"import": list(names), "strength": "strong"}]}, "x/d.yaml")


def facts_of(folder: Path, files: dict[str, str], rulebook: Rulebook, launch: Launch | None = None) -> Facts:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return collect(Project.open(folder), rulebook, launch)


def places(facts: Facts, name: str) -> list[str]:
    return [f"{e.path}:{e.line}" for e in facts.imports.get(name, ())]


# (what, source, wanted name, lines)
IMPORTS: list[tuple[str, str, str, list[int]]] = [
    ("module", "import a.b", "a.b", [1]),
    ("something below", "from a.b import c", "a.b", [1]),
    ("name", "from a import B", "a.B", [1]),
    ("name by its inner module", "from a.inner import B", "a.B", [1]),
    ("under an alias", "from a import B as C", "a.B", [1]),
    ("reached through the package", "import a\nx = a.B(1)", "a.B", [2]),
    ("as a base class", "import a\nclass C(a.B): ...", "a.B", [2]),
    ("parenthesised", "from a import (\n    X,\n    B,\n)", "a.B", [1]),
    ("in a function", "def f():\n    from a import B", "a.B", [2]),
    ("in a string", "x = '''\nfrom a import B\n'''", "a.B", []),
    ("in a comment", "# from a import B", "a.B", []),
    ("other package", "from z import a\nfrom z import B", "a.B", []),
    ("longer word", "import ab", "a", []),
]


@pytest.mark.parametrize(("source", "name", "expected"), [c[1:] for c in IMPORTS], ids=[c[0] for c in IMPORTS])
def test_imports(tmp_path: Path, source: str, name: str, expected: list[int]) -> None:
    facts = facts_of(tmp_path, {"m.py": source}, book(asks(name)))
    assert places(facts, name) == [f"m.py:{n}" for n in expected]


def test_only_names_that_rules_ask_for_are_kept(tmp_path: Path) -> None:
    facts = facts_of(tmp_path, {"m.py": "import a\nimport b"}, book(asks("a")))
    assert set(facts.imports) == {"a"}


@pytest.mark.parametrize(
    ("data", "names"),
    [
        ({"when": {"all": [{"import": "a.b"}, {"not": {"import": "c"}}]}}, ("a.b", "c")),
        ({"signals": [{"import": ["a", "b"]}]}, ("a", "b")),
        ({"title": "nothing"}, ()),
    ],
)
def test_wanted_imports(data: dict[str, Any], names: tuple[str, ...]) -> None:
    assert wanted_imports(book(Rule("x/i", "item", "x", data, "x/i.yaml"))) == names


def test_settings_tables_ask_for_the_names_they_apply_to() -> None:
    data = {"applies": {"names": ["a.d"]}, "settings": {"x": {}}}
    assert wanted_imports(book(Rule("x/s", "settings", "x", data, "x/s.yaml"))) == ("a.d",)


def test_files_that_the_launch_runs_come_first(tmp_path: Path) -> None:
    files = {"a.py": "import t", "z/run.py": "import t\nimport helper", "z/helper.py": "import t"}
    launch = Launch("python z/run.py", "python", entry="z/run.py")
    facts = facts_of(tmp_path, files, book(asks("t")), launch)
    assert places(facts, "t") == ["z/run.py:1", "z/helper.py:1", "a.py:1"]
    assert facts.project["reachable"] == ["z/helper.py", "z/run.py"]


def test_patterns_are_looked_for_in_what_runs(tmp_path: Path) -> None:
    rule = Rule("x/p", "pattern", "x", {"match": {"call": "t.f"}}, "x/p.yaml")
    files = {"a.py": "import t\nt.f()", "run.py": "import used", "used.py": "import t\nt.f()"}
    launched = facts_of(tmp_path, files, book(rule), Launch("python run.py", "python", entry="run.py"))
    assert [h.path for h in launched.patterns["x/p"]] == ["used.py"]
    assert [h.path for h in facts_of(tmp_path, {}, book(rule)).patterns["x/p"]] == ["a.py", "used.py"]


def test_modules_loaded_by_a_computed_name_make_every_file_count(tmp_path: Path) -> None:
    rule = Rule("x/p", "pattern", "x", {"match": {"call": "t.f"}}, "x/p.yaml")
    files = {"a.py": "import t\nt.f()", "run.py": "import importlib\nimportlib.import_module(name)"}
    facts = facts_of(tmp_path, files, book(rule), Launch("python run.py", "python", entry="run.py"))
    assert [h.path for h in facts.patterns["x/p"]] == ["a.py"]
    assert "reachable" not in facts.project


def test_a_module_launch_finds_its_file(tmp_path: Path) -> None:
    files = {"pkg/__init__.py": "", "pkg/run.py": "from . import other", "pkg/other.py": "", "pkg/apart.py": ""}
    launch = Launch("python -m pkg.run", "python", entry_module="pkg.run")
    assert facts_of(tmp_path, files, book(), launch).project["reachable"] == [
        "pkg/__init__.py",
        "pkg/other.py",
        "pkg/run.py",
    ]


def test_dependencies(tmp_path: Path) -> None:
    files = {"requirements.txt": "Torch==2.4.0\ntransformers>=4.40\n", "sub/requirements.txt": "transformers==4.46.1\n"}
    root = facts_of(tmp_path, files, book()).dependencies
    assert (root["torch"].version, root["torch"].path, root["torch"].line) == ("2.4.0", "requirements.txt", 1)
    assert (root["transformers"].version, root["transformers"].path) == (None, "requirements.txt")
    launch = Launch("python t.py", "python", entry="t.py", cwd="sub")
    assert facts_of(tmp_path, {}, book(), launch).dependencies["transformers"].version == "4.46.1"


def test_environment_is_what_the_launch_sets(tmp_path: Path) -> None:
    launch = Launch("A=1 B=$C python t.py", "python", env={"B": Word("$C", known=False), "A": Word("1")})
    assert facts_of(tmp_path, {}, book(), launch).environment == {"A": "1"}


def test_the_document_is_plain_json(tmp_path: Path) -> None:
    import json

    rule = Rule("x/p", "pattern", "x", {"match": {"call": "t.f"}}, "x/p.yaml")
    facts = facts_of(tmp_path, {"m.py": "import t\nt.f()", "requirements.txt": "t==1\n"}, book(rule, asks("t")))
    again = json.loads(json.dumps(facts.document()))
    assert again["patterns"]["x/p"] == [{"path": "m.py", "line": 2, "column": 1, "text": "t.f()"}]
