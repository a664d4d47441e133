"""One mistake in a small pack: the message names file, line and column, what is wrong and what would be right."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from small_pack import FILES, compiled, mistakes, write_pack


@dataclass(frozen=True)
class Broken:
    """Replace ``old`` by ``new`` in one file: ``place`` (line:column) and every text of ``said`` must show."""

    file: str
    old: str
    new: str
    place: str
    said: tuple[str, ...]


HALF, AUDIT, REMEDY, PACK = "items/half.yaml", "audits/speed.yaml", "remedies/enable-half.yaml", "pack.yaml"
COMPILE, TABLE, SLOW, DETECTOR = (
    "items/compile.yaml",
    "settings/arguments.yaml",
    "diagnosis/slow.yaml",
    "detectors/acme.yaml",
)

SET = "set: {half_precision: true}"

BROKEN = {
    # keys and types
    "unknown key": Broken(HALF, "points: 3", "point: 3", "8:1", ("unknown key 'point'", "did you mean 'points'?")),
    "missing key": Broken(HALF, "points: 3\n", "", "1:1", ("the key 'points' is missing", "What it earns")),
    "wrong type": Broken(HALF, "points: 3", "points: three", "8:9", ("'points' is text ('three'), not number",)),
    "number as text": Broken(HALF, "points: 3", "points: 1e-5", "8:9", ("write it with a dot and a sign",)),
    "bad id": Broken(HALF, "acme/half", "Acme Half", "3:5", ("'Acme Half' is not the pack's name and the file's",)),
    "other format": Broken(HALF, "schema: 1", "schema: 2", "2:9", ("1 was expected",)),
    "wrong choice": Broken(REMEDY, "risk: neutral", "risk: neutrl", "6:7", ("not allowed", "did you mean 'neutral'?")),
    "bare version": Broken(PACK, '"1.0.0"', "1.10", "4:10", ("'version' is a number (1.1), not string", '"1.10"')),
    "list as a rule": Broken(HALF, FILES[HALF], "- kind: item\n", "1:1", ("is a mapping of keys",)),
    # kinds, ids and folders
    "no kind": Broken(HALF, "kind: item\n", "", "1:1", ("the key 'kind' is missing", "kind: item")),
    "unknown kind": Broken(HALF, "kind: item", "kind: itm", "1:7", ("unknown kind 'itm'", "did you mean 'item'?")),
    "kind is a list": Broken(HALF, "kind: item", "kind: [item]", "1:7", ("unknown kind", "kind: item")),
    "kind elsewhere": Broken(HALF, "kind: item", "kind: audit", "1:7", ("lies in the folder for 'item'",)),
    "id of another file": Broken(HALF, "id: acme/half", "id: acme/hlaf", "3:5", ("id: acme/half",)),
    "id is a list": Broken(HALF, "id: acme/half", "id: [acme/half]", "3:5", ("'id' is a list, not string",)),
    "name of another folder": Broken(PACK, "name: acme", "name: acne", "3:7", ("not its folder's", "name: acme")),
    # parts that one room reads
    "unknown signal": Broken(DETECTOR, "{dependency:", "{dependncy:", "9:6", ("did you mean 'dependency'?",)),
    "strength": Broken(DETECTOR, "strength: strong", "strength: strng", "9:36", ("did you mean 'strong'?",)),
    "keys of no file": Broken(DETECTOR, "{pattern: acme/compiled", "{keys: [a]", "10:5", ("json_file",)),
    "search in a signal": Broken(DETECTOR, "pattern: acme/compiled", "script: '['", "10:14", ("regular",)),
    "search in a condition": Broken(HALF, "equals: true", "matches: '('", "9:45", ("regular expression",)),
    "unknown edit": Broken(REMEDY, SET, "edits: [{delet: {pattern: acme/compiled}}]", "7:10", ("mean 'delete'?",)),
    "key of an edit": Broken(REMEDY, SET, "edits: [{delete: {patern: acme/compiled}}]", "7:19", ("mean 'pattern'?",)),
    "pattern of an edit": Broken(REMEDY, SET, "edits: [{delete: {pattern: acme/compild}}]", "7:28", ("no pattern",)),
    "key of a diagnosis": Broken(SLOW, "solution:", "soluton:", "11:1", ("did you mean 'solution'?",)),
    # references
    "unknown remedy": Broken(HALF, "enable-half]", "enable-hlaf]", "10:12", ("no remedy", "'acme/enable-half'?")),
    "unknown audit": Broken(HALF, "audit: acme/speed", "audit: acme/sped", "5:8", ("no audit", "'acme/speed'?")),
    "unknown category": Broken(COMPILE, "category: B", "category: C", "6:11", ("no category 'C'", "one of: A, B")),
    "unknown group": Broken(HALF, "group: kind", "group: knd", "7:8", ("no group 'knd'", "did you mean 'kind'?")),
    "unknown setting": Broken(HALF, "half_precision", "half_precison", "9:20", ("no setting", "'half_precision'?")),
    "unknown pattern": Broken(COMPILE, "acme/compiled", "acme/compild", "10:17", ("no pattern", "'acme/compiled'?")),
    "unknown conflict": Broken(REMEDY, "risk:", "conflicts: [acme/no]\nrisk:", "6:13", ("no remedy 'acme/no'",)),
    "setting of a remedy": Broken(REMEDY, "{half_pre", "{half_per", "7:7", ("no setting", "'half_precision'")),
    "pattern of a signal": Broken(DETECTOR, "acme/compiled", "acme/compild", "10:15", ("no pattern", "compiled'?")),
    "shown setting": Broken(SLOW, "{setting: half_precision}", "{setting: half}", "13:15", ("no setting 'half'",)),
    "unknown pack": Broken(PACK, "engine:", "uses: [acm]\nengine:", "6:8", ("no pack 'acm'", "did you mean 'acme'?")),
    "pack not given": Broken(PACK, "engine:", "uses: [zzz]\nengine:", "6:8", ("no pack 'zzz'", "--pack zzz")),
    "later engine": Broken(PACK, ">=0.1", ">=99", "6:9", ("another version of the engine",)),
    "range of nothing": Broken(PACK, ">=0.1", "new", "6:9", ("'new' is not a range of versions",)),
    # expressions
    "unknown function": Broken(COMPILE, "settings.warm_up.value >", "lenth(@) >", "11:7", ("'lenth'", "'length'?")),
    "number of arguments": Broken(SLOW, "metrics.steps >", "between(metrics.steps) >", "7:7", ("takes 3", "1 given")),
    "path to a setting": Broken(COMPILE, "warm_up", "warmup", "11:7", ("unknown setting 'warmup'", "'warm_up'?")),
    "root of a path": Broken(COMPILE, "settings.", "setings.", "11:7", ("unknown name 'setings'", "'settings'?")),
    "syntax": Broken(COMPILE, "> `1`", "> (`1`", "11:7", ("not a JMESPath expression",)),
    "cost": Broken(SLOW, '"`0.1`"', "metrcs.x", "8:7", ("unknown name 'metrcs'", "did you mean 'metrics'?")),
    # scores
    "category out of reach": Broken(COMPILE, "points: 2", "points: 1", "9:31", ("at most 1 of its 2 points",)),
    "group out of reach": Broken(AUDIT, "best_of, max: 3", "best_of, max: 2", "8:37", ("at most 2 of its 3 points",)),
    "sum of categories": Broken(AUDIT, "max: 5", "max: 6", "6:6", ("'max' is 6, but the categories add up to 5",)),
}  # fmt: skip


def test_the_small_pack_is_right(tmp_path: Path) -> None:
    rulebook = compiled(write_pack(tmp_path))
    assert [r.id for r in rulebook.of("item")] == ["acme/compile", "acme/half"]
    assert rulebook.get("acme/half").line == 3


@pytest.mark.parametrize("name", BROKEN)
def test_a_mistake_is_named_where_it_stands(name: str, tmp_path: Path) -> None:
    case = BROKEN[name]
    assert FILES[case.file].count(case.old) == 1
    root = write_pack(tmp_path, {case.file: FILES[case.file].replace(case.old, case.new)})
    found = mistakes(root)
    shown = [m.render() for m in found]
    fitting = [m for m in found if all(text in m.render() for text in case.said)]
    assert fitting, "\n".join(shown)
    # An audit that cannot reach its points says so in its own file, whichever item is at fault.
    file = AUDIT if "points" in case.said[0] and "at most" in case.said[0] else case.file
    assert str(fitting[0].location) == f"acme/{file}:{case.place}", "\n".join(shown)
    assert fitting[0].source_line is not None


def test_all_mistakes_of_all_files_are_told_at_once_in_order(tmp_path: Path) -> None:
    root = write_pack(
        tmp_path,
        {
            HALF: FILES[HALF].replace("points: 3", "pionts: 3"),
            REMEDY: FILES[REMEDY].replace("why: It is faster.\nrisk: neutral\n", ""),
            TABLE: "kind: settings\n\tid: x\n",
        },
    )
    found = mistakes(root)
    places = [str(m.location).rsplit(":", 2)[0] for m in found]
    assert places == sorted(places) and set(places) == {f"acme/{f}" for f in (HALF, REMEDY, TABLE)}
    assert len(found) == len(set(found)) == 5
    assert {m.rule for m in found} == {"acme/half", "acme/enable-half", None}


def test_files_that_would_never_be_read_are_named(tmp_path: Path) -> None:
    root = write_pack(tmp_path, {"itmes/a.yaml": "kind: item\n", "items/b.yml": "kind: item\n", "c.yaml": "x: 1\n"})
    found = {str(m.location): m for m in mistakes(root)}
    assert set(found) == {"acme/itmes/a.yaml:1:1", "acme/items/b.yml:1:1", "acme/c.yaml:1:1"}
    assert all("items" in (m.expected or "") for m in found.values())


def test_a_pack_without_rules_is_named(tmp_path: Path) -> None:
    root = write_pack(tmp_path, {path: None for path in FILES if path != "pack.yaml"})
    (found,) = mistakes(root)
    assert found.message == "the pack holds no rules"


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    root = write_pack(tmp_path, {HALF: b"kind: item\ntitle: \xff\n"})
    assert any("UTF-8" in m.message and str(m.location).startswith("acme/items/half.yaml") for m in mistakes(root))


def test_the_same_id_in_two_packs_is_named_with_both_places(tmp_path: Path) -> None:
    other = write_pack(tmp_path / "b", name="acme")
    found = mistakes(write_pack(tmp_path / "a"), other)
    assert any("is already used in acme/items/half.yaml" in m.message for m in found)
