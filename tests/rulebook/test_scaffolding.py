"""A new pack is valid and its cases pass at once, whatever kinds are chosen; nothing is overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest
from gto_rules.errors import UsageError
from gto_rules.loop.case_suite import run_suite
from gto_rules.rulebook import load
from gto_rules.rulebook.cases import read_cases
from gto_rules.rulebook.discover import FOLDERS
from gto_rules.rulebook.model import Rulebook
from gto_rules.rulebook.scaffolding import DEFAULT_KINDS, KINDS, TEMPLATES, new_pack, pack_files_of
from small_pack import compiled, mistakes

BUILTIN = load()
CHOICES = [*((kind,) for kind in KINDS), DEFAULT_KINDS, tuple(KINDS)]


@pytest.mark.parametrize("kinds", CHOICES, ids="+".join)
def test_a_new_pack_passes_its_own_tests(kinds: tuple[str, ...], tmp_path: Path) -> None:
    root = tmp_path / "acme"
    new_pack(root, kinds)
    alone = compiled(root)
    own = alone.rules
    # Cases are run with every pack: launchers, for one, are rules too.
    book = Rulebook({**BUILTIN.packs, **alone.packs}, (*BUILTIN.rules, *own), "")
    assert set(kinds) <= {rule.kind for rule in own}
    cases, wrong = read_cases([root])
    assert not wrong
    suite = run_suite(own, cases, book)
    assert suite.ran and not suite.lacking
    assert [(one.result.name, one.result.problem) for one in suite.ran if one.outcome != "passed"] == []


def test_every_rule_of_the_whole_pack_but_conditions_and_tables_has_cases(tmp_path: Path) -> None:
    files = pack_files_of("acme", KINDS)
    bare = {p for p in files if f"{p.removesuffix('.yaml')}.test.yaml" not in files and p.endswith(".yaml")}
    tested = {p for p in bare if not p.endswith(".test.yaml") and p != "pack.yaml"}
    assert tested == {"audits/speed.yaml", "fragments/several-ranks.yaml", "surfaces/trainer-call.yaml"}


def test_kinds_and_template_folders_are_the_same() -> None:
    assert {p.name for p in TEMPLATES.iterdir() if p.is_dir()} == {*KINDS, "pack"}
    assert set(KINDS) <= set(FOLDERS.values())


@pytest.mark.parametrize("name", ["acme", "a1_b", "import", "x_"])
def test_names_that_are_allowed(name: str, tmp_path: Path) -> None:
    written = new_pack(tmp_path / name, KINDS, title='Words: with "quotes" and 中文 #')
    assert all(path.is_file() for path in written)
    assert not mistakes(tmp_path / name)
    readme = (tmp_path / name / "README.md").read_text("utf-8")
    assert all(
        f"`{p.relative_to(tmp_path / name)}`" in readme
        for p in written
        if p.parent.name == "items" and "test" not in p.name
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Acme-Rules", "acme_rules"),
        ("1x", "small letters"),
        ("a b", "a_b"),
        ("core", "built-in pack 'core'"),
        ("é", "small"),
    ],
)
def test_names_that_are_not(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as wrong:
        new_pack(tmp_path / name)
    assert said in f"{wrong.value} {wrong.value.hint}"
    assert not (tmp_path / name).exists()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    new_pack(tmp_path / "acme", ["pattern"])
    before = {p: p.read_bytes() for p in (tmp_path / "acme").rglob("*") if p.is_file()}
    with pytest.raises(UsageError, match="is there already"):
        new_pack(tmp_path / "acme", ["item"])
    assert {p: p.read_bytes() for p in (tmp_path / "acme").rglob("*") if p.is_file()} == before
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(UsageError, match="is there already"):
        new_pack(tmp_path / "file")
    with pytest.raises(UsageError, match="cannot be written"):
        new_pack(tmp_path / "file" / "acme")


def test_an_unknown_kind_is_explained(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as wrong:
        new_pack(tmp_path / "acme", ["remdy"])
    assert wrong.value.hint == "did you mean 'remedy'?"
