"""A pack that changes, removes or replaces rules of other packs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from gto_rules.errors import RulebookError
from gto_rules.rulebook import load
from gto_rules.rulebook.model import Pack, Rulebook
from small_pack import FILES, compiled, mistakes, write_pack

HEAD = 'kind: pack\nschema: 1\nname: own\nversion: "1.0.0"\ntitle: Own\n'


def own_pack(folder: Path, more: str) -> Path:
    root = folder / "own"
    root.mkdir()
    (root / "pack.yaml").write_text(HEAD + more, "utf-8")
    return root


def test_an_override_replaces_fields_and_keeps_the_rest(tmp_path: Path) -> None:
    own = own_pack(tmp_path, "override: {acme/half: {priority: P1, reason: ours}}\n")
    before, after = compiled(write_pack(tmp_path)), compiled(write_pack(tmp_path), own)
    old, new = before.get("acme/half"), after.get("acme/half")
    assert dict(new.data) == {**old.data, "priority": "P1"}
    assert (new.id, new.kind, new.pack, new.path, new.line) == (old.id, old.kind, old.pack, old.path, old.line)
    assert before.digest != after.digest


def test_one_value_inside_of_a_field(tmp_path: Path) -> None:
    own = own_pack(tmp_path, "override: {acme/slow: {thresholds.share.value: 0.3, reason: ours}}\n")
    before, after = compiled(write_pack(tmp_path)), compiled(write_pack(tmp_path), own)
    assert after.get("acme/slow").data["thresholds"] == {"share": {"value": 0.3}}
    assert before.get("acme/slow").data["thresholds"] == {"share": {"value": 0.5}}


def test_the_extending_pack_has_the_last_word(tmp_path: Path) -> None:
    """However the packs are named on the command line."""
    acme = write_pack(tmp_path)
    own = own_pack(tmp_path, "override: {acme/half: {title: Own, priority: P1, reason: ours}}\nextends: [acme]\n")
    team = tmp_path / "team"
    team.mkdir()
    head = HEAD.replace("own", "team").replace("Own", "Team")
    text = "extends: ['own >=1,<2']\noverride: {acme/half: {title: Team, reason: theirs}}\n"
    (team / "pack.yaml").write_text(head + text, "utf-8")
    for order in ((acme, own, team), (team, own, acme), (own, acme, team)):
        data = compiled(*order).get("acme/half").data
        assert (data["title"], data["priority"]) == ("Team", "P1")


def test_a_ring_of_packs_is_an_error(tmp_path: Path) -> None:
    own = own_pack(tmp_path, "extends: [team]\ndisable: {acme/slow: r}\n")
    team = tmp_path / "team"
    team.mkdir()
    (team / "pack.yaml").write_text(HEAD.replace("own", "team") + "extends: [own]\ndisable: {acme/half: r}\n", "utf-8")
    said = [m.message for m in mistakes(write_pack(tmp_path), own, team)]
    assert any(m == "packs extend each other in a ring: own → team → own" for m in said), said


def test_a_disabled_rule_is_gone(tmp_path: Path) -> None:
    own = own_pack(tmp_path, "disable: {acme/slow: we measure otherwise}\n")
    assert not compiled(write_pack(tmp_path), own).of("diagnosis")


# override or disable → place in own/pack.yaml, words
WRONG = {
    "unknown rule": ("override: {acme/hlaf: {points: 1, reason: r}}", "6:12", "did you mean 'acme/half'?"),
    "unknown disabled": ("disable: {acme/hlaf: r}", "6:11", "there is no rule 'acme/hlaf'"),
    "number as a rule": ("override: {1: {points: 1, reason: r}}", "6:12", "there is no rule '1'"),
    "no reason": ("override: {acme/half: {points: 1}}", "6:23", "the key 'reason' is missing"),
    "wrong type": ("override: {acme/half: {points: three, reason: r}}", "6:32", "not number"),
    "unknown key": ("override: {acme/half: {pionts: 3, reason: r}}", "6:24", "did you mean 'points'?"),
    "another id": ("override: {acme/half: {id: acme/other, reason: r}}", "6:24", "cannot be overridden"),
    "another kind": ("override: {acme/half: {kind: audit, reason: r}}", "6:24", "cannot be overridden"),
    "unknown setting": (
        "override: {acme/half: {enabled: {setting: halv_precision}, reason: r}}",
        "6:43",
        "did you mean 'half_precision'?",
    ),
    "expression": (
        "override: {acme/half: {enabled: settings.warmup.value, reason: r}}",
        "6:33",
        "did you mean 'warm_up'?",
    ),
    "unknown threshold": (
        "override: {acme/slow: {thresholds.shaer.value: 0.3, reason: r}}",
        "6:24",
        "did you mean 'thresholds.share.value'?",
    ),
    "inside of a text": ("override: {acme/slow: {title.fr: x, reason: r}}", "6:24", "the rule has no 'title.fr'"),
    "wrong type inside": ("override: {acme/slow: {thresholds.share.value: [], reason: r}}", "6:23", "acme/slow"),
    "unknown extended": ("extends: [amce]", "6:11", "did you mean 'acme'?"),
    "older extended": ("extends: ['acme >=2']", "6:11", "there is acme 1.0.0"),
    "no range": ("extends: ['acme >=two']", "6:11", "is not a range"),
    "remedy still named": ("disable: {acme/enable-half: r}", None, "there is no remedy 'acme/enable-half'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_override_is_named_where_it_stands(name: str, tmp_path: Path) -> None:
    line, place, said = WRONG[name]
    found = mistakes(write_pack(tmp_path), own_pack(tmp_path, line + "\n"))
    fitting = [m for m in found if said in m.render()]
    assert fitting, [m.render() for m in found]
    assert str(fitting[0].location) == (f"own/pack.yaml:{place}" if place else "acme/items/half.yaml:10:12")


def test_a_field_beside_the_override_is_blamed_where_it_stands(tmp_path: Path) -> None:
    """The override gives another category, the group of the rule itself no longer fits: the rule's own line."""
    own = own_pack(tmp_path, "override: {acme/half: {category: B, reason: r}}\n")
    (found, *_) = [m for m in mistakes(write_pack(tmp_path), own) if "no group" in m.message]
    assert str(found.location) == "acme/items/half.yaml:7:8"


@pytest.fixture
def builtin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small pack in the place of the built-in ones."""
    root = write_pack(tmp_path / "builtin")
    monkeypatch.setattr(sys.modules["gto_rules.rulebook.load"], "builtin_packs", lambda: (root,))
    return root


def test_a_pack_given_by_hand_replaces_the_built_in_one_of_its_name(tmp_path: Path, builtin: Path) -> None:
    title = "A pack to be broken"
    mine = write_pack(tmp_path / "mine", {"pack.yaml": FILES["pack.yaml"].replace(title, "Mine")})
    assert load(use_cache=False).packs["acme"].data["title"] == title
    assert load([mine], use_cache=False).packs["acme"].data["title"] == "Mine"


def test_a_pack_given_twice_or_from_inside_counts_once(
    tmp_path: Path, builtin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_pack(tmp_path / "mine")
    monkeypatch.chdir(root)
    rulebook = load([Path(), root], use_cache=False)
    assert rulebook.get("acme/half").path == "acme/items/half.yaml"
    assert rulebook.packs["acme"].path == "acme"


def test_a_folder_that_is_no_pack_is_named(tmp_path: Path) -> None:
    with pytest.raises(RulebookError) as wrong:
        load([tmp_path, tmp_path / "nothing"])
    assert [d.message.removeprefix(f"the pack {tmp_path}") for d in wrong.value.diagnostics] == [
        " has no pack.yaml",
        "/nothing is not a folder",
    ]


def test_active_packs_follow_what_they_use() -> None:
    packs = {
        "base": Pack("base", "1", "base"),
        "a": Pack("a", "1", "a", framework="a", uses=("lib",)),
        "b": Pack("b", "1", "b", framework="b", uses=("a",)),
        "lib": Pack("lib", "1", "lib", framework="lib", uses=("a",)),
    }
    book = Rulebook(packs, (), "")
    assert book.active(()) == {"base"}
    assert book.active(("a",)) == {"base", "a", "lib"}
    assert book.active(("b",)) == {"base", "a", "b", "lib"}
