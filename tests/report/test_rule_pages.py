"""Pages of rules: what they say, in both languages, at a terminal and as Markdown; the whole reference."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from gto_rules.cli.main import main
from gto_rules.report.rules.conditions import _TESTS, _WORDS, ConditionWords
from gto_rules.report.rules.docs import KIND_NAMES, PAGED, pages, stale_pages, write_pages
from gto_rules.report.rules.markdown import prose
from gto_rules.report.rules.page import EDITS, Pages
from gto_rules.report.rules.terminal import columns, render_page, wrapped
from gto_rules.report.text import speaker
from gto_rules.rulebook import load
from gto_rules.rulebook.cases import read_cases
from gto_rules.rulebook.discover import FOLDERS, data_root

BOOK = load()
CASES, _ = read_cases()
REFERENCE = pages(BOOK, CASES)
LINK = re.compile(r"\]\(([^)#\s]+\.md)\)")
FENCE = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)


def test_every_rule_of_a_paged_kind_has_a_page_in_both_languages() -> None:
    wanted = {f"{lang}/{r.pack}/{r.slug}.md" for lang in ("en", "zh") for r in BOOK.rules if r.kind in PAGED}
    assert wanted <= REFERENCE.keys()
    assert {f"{lang}/{pack}/index.md" for lang in ("en", "zh") for pack in BOOK.packs} <= REFERENCE.keys()


def test_every_link_leads_to_a_page() -> None:
    for path, text in REFERENCE.items():
        for target in LINK.findall(FENCE.sub("", text)):
            if not target.startswith("http"):
                parts = [*path.split("/")[:-1]]
                for part in target.split("/"):
                    parts = parts[:-1] if part == ".." else [*parts, part]
                assert "/".join(parts) in REFERENCE, f"{path} → {target}"


def test_every_rule_is_named_somewhere() -> None:
    for lang in ("en", "zh"):
        whole = "\n".join(
            text for path, text in REFERENCE.items() if path.startswith(lang) and path.endswith("index.md")
        )
        assert [rule.id for rule in BOOK.rules if rule.id not in whole] == []


def test_pages_are_well_formed() -> None:
    for path, text in REFERENCE.items():
        outside = FENCE.sub("code", text)
        assert "```" not in outside, path
        assert "\n\n\n" not in outside and text.endswith("\n") and not text.endswith("\n\n"), path
        assert not re.search(r"[ \t]\n", outside), path
        # A blank line inside a table would end it.
        assert not re.search(r"^\|.*\n\n\|", outside, re.MULTILINE), path
        assert "{{" not in outside and not re.search(r"(^|[|:>]) *None *(\||$)", outside, re.MULTILINE), path
        assert "†" not in text and "Undefined" not in text, path


def test_the_same_rules_give_the_same_pages() -> None:
    assert pages(BOOK, CASES) == REFERENCE


def test_pages_of_some_packs_alone() -> None:
    alone = pages(BOOK, CASES, ["core"])
    assert {path.split("/")[1] for path in alone} == {"index.md", "core"}
    assert alone["en/core/data-wait.md"].replace("`torch/pin-memory`", "") != REFERENCE["en/core/data-wait.md"]


def test_code_keeps_its_blank_lines() -> None:
    page = REFERENCE["en/general/loader-workers.md"]
    assert "DataLoader\n\n\ndef main" in page


def test_chinese_pages_have_chinese_headings() -> None:
    for path, text in REFERENCE.items():
        if path.startswith("zh/"):
            headings = [line for line in text.splitlines() if line.startswith("## ")]
            assert headings and all(re.search(r"[\u4e00-\u9fff]", line) for line in headings), path


def test_writing_and_checking(tmp_path: Path) -> None:
    small = {path: REFERENCE[path] for path in ("en/index.md", "zh/index.md", "en/core/data-wait.md")}
    assert stale_pages(small, tmp_path).missing == tuple(sorted(small))
    write_pages(small, tmp_path)
    assert not stale_pages(small, tmp_path)
    (tmp_path / "en" / "mine.md").write_text("# Written by a person\n", "utf-8")
    (tmp_path / "en" / "core" / "gone.md").write_text(small["en/core/data-wait.md"], "utf-8")
    (tmp_path / "zh" / "index.md").write_text("changed", "utf-8")
    stale = stale_pages(small, tmp_path)
    assert (stale.missing, stale.different, stale.extra) == ((), ("zh/index.md",), ("en/core/gone.md",))
    write_pages(small, tmp_path)
    assert not stale_pages(small, tmp_path)
    assert (tmp_path / "en" / "mine.md").is_file() and not (tmp_path / "en" / "core" / "gone.md").exists()


def test_the_command_writes_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path)
    assert main(["rules", "docs", "--out", out, "--check"]) == 1
    assert "missing" in capsys.readouterr().out
    assert main(["rules", "docs", "--out", out]) == 0
    assert "0 removed" in capsys.readouterr().out
    assert main(["rules", "docs", "--out", out, "--check"]) == 0
    page = tmp_path / "zh" / "core" / "data-wait.md"
    page.write_text(page.read_text("utf-8") + "\n", "utf-8")
    assert main(["rules", "docs", "--out", out, "--check"]) == 1
    said = capsys.readouterr().out
    assert f"stale    {page}" in said and said.count("stale") == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [60, 100])
def test_every_rule_fits_a_terminal(lang: str, width: int) -> None:
    made = Pages(BOOK, CASES, lang)
    for rule in BOOK.rules:
        page = made.page(rule)
        text = render_page(page, "", made.say, width, lambda text, name: text)
        assert text.splitlines()[0] == page.title
        assert "\x1b" not in text
        for line in text.splitlines():
            # Code is shown as it is; words wrap, unless one word alone is longer.
            if line in page.exact or line.startswith("    ") or not line.strip().startswith("- "):
                continue
            longest = max(columns(word) for word in re.findall(r"`[^`]+`\S*|\S+", line.strip()[2:]))
            # A closing full-width mark hangs over the edge rather than open the next line.
            assert columns(line) <= max(width + 2, longest + 12), (rule.id, line)


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 8, ["one two", "three"]),
        ("`a b c` d", 4, ["`a b c`", "d"]),
        ("训练等待数据", 6, ["训练等", "待数据"]),
        ("训练等。", 6, ["训练等。"]),
        ("", 10, []),
    ],
)
def test_wrapping(text: str, width: int, lines: list[str]) -> None:
    assert list(wrapped(text, width)) == lines


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ({"setting": "bf16", "equals": True}, ["0 `bf16` is `true`"]),
        ({"setting": "bf16"}, ["0 `bf16` is switched on"]),
        ({"setting": "n", "min": 1, "max": 4}, ["0 `n` is at least `1` and is at most `4`"]),
        ({"setting": "n", "set": False}, ["0 `n` is not set"]),
        ({"any": [{"import": "a"}]}, ["0 `a` is imported"]),
        ({"not": {"import": "a"}}, ["0 not: `a` is imported"]),
        (
            {"all": [{"import": "a"}, {"any": [True, "x > `1`"]}]},
            ["0 all of these hold:", "1 `a` is imported", "1 one of these holds:", "2 always", "2 `` x > `1` ``"],
        ),
        ({"import": "a", "dependency": "b"}, ["0 all of these hold:", "1 `a` is imported", "1 `b` is declared"]),
        ({"dependency": "b", "version": ">=2"}, ["0 `b` is declared in `>=2`"]),
        (
            {"hardware": {"min_capability": 8.0, "cuda": True}},
            ["0 machine: `capability` is at least `8.0`, `cuda` = `true`"],
        ),
        ({"launch": {"nnodes": {"min": 2}}}, ["0 launch: `nnodes` is at least `2`"]),
        ({"launch": {"launcher": ["a", "b"]}}, ["0 launch: `launcher` = `a` or `b`"]),
        ({"metric": "m", "min": 5}, ["0 `m` is at least `5`"]),
        ({"framework": ["a", "b"]}, ["0 the framework is `a` or `b`"]),
        ({"pattern": "torch/dataloader"}, ["0 the code has `torch/dataloader` (A DataLoader is built)"]),
    ],
)
def test_conditions_in_words(condition: Any, said: list[str]) -> None:
    words = ConditionWords(BOOK, "en", speaker("en"))
    assert [f"{line.depth} {line.text}" for line in words.lines(condition)] == said


def test_words_know_every_key_of_the_language() -> None:
    common = json.loads((data_root("schemas") / "common.schema.json").read_text("utf-8"))
    keys = set(common["$defs"]["conditionMapping"]["properties"])
    assert keys == {*_WORDS, *_TESTS, "version"}
    edits = set()
    for kind, path in (("remedy", ("edits",)), ("finding", ("fix", "properties", "edits"))):
        schema = json.loads((data_root("schemas") / f"{kind}.schema.json").read_text("utf-8"))["properties"]
        for key in path:
            schema = schema[key]
        edits |= set(schema["items"]["properties"])
    assert edits == set(EDITS)
    assert set(KIND_NAMES) == set(FOLDERS.values())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("call __init__ of <T> * 2", r"call \_\_init\_\_ of \<T> \* 2"),
        ("keep `a < __b__` as it is", "keep `a < __b__` as it is"),
        ("num_workers stays", "num_workers stays"),
    ],
)
def test_words_are_not_taken_for_markup(text: str, said: str) -> None:
    assert prose(text) == said


@pytest.mark.parametrize(
    ("argv", "parts"),
    [
        (["torch/loader-shuffle-with-sampler"], ["Shuffling beside a sampler", "Not so:", "But so:", "Why", "Sources"]),
        (["torch/loader-shuffle-with-sampler", "--lang", "zh"], ["错误示例", "正确示例", "原因", "来源"]),
        (["hf_trainer/enable-bf16"], ["Train in BF16", "+    bf16=True,", "Set `bf16` to `true`."]),
        (["core/data-wait"], ["Thresholds:", "‹dataloader.wait_percent› %", "dataloader.wait_percent: 58.8"]),
        (["core/port-in-use"], ["A log that it knows:", "Run again."]),
        (["core/port-in-use", "--format", "markdown"], ["# The port of the launcher was taken", "## How to fix it"]),
        (["hf_trainer/training-arguments"], ["table of settings", "Names"]),
    ],
)
def test_explain(argv: list[str], parts: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "explain", *argv]) == 0
    said = capsys.readouterr().out
    assert [part for part in parts if part not in said] == []


def test_explain_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "explain", "general/loader-workers", "--format", "json", "--lang", "zh"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["title"] == "DataLoader 多进程" and data["facts"]["分值"] == "4"
    assert [one["path"] for one in data["example"]] == ["train.py", "train.py"]
    assert data["references"][0]["url"].startswith("https://") and len(data["cases"]) == 2
