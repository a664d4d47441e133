"""What a rule looks like in code: its own example, or its cases, which a test runs."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from gto_rules.report.rules.model import Sample, Say
from gto_rules.rulebook.model import Rule

_SYNTAX = {".py": "python", ".sh": "bash", ".yaml": "yaml", ".yml": "yaml", ".json": "json", ".toml": "toml"}
# A page shows an example, not a program.
_LONGEST = 40

Case = Mapping[str, Any]


def samples(rule: Rule, cases: tuple[Case, ...], held: tuple[bool, ...], say: Say) -> tuple[Sample, ...]:
    """First what is at fault (or found), then how it should be (or what is left alone).

    Args:
        rule: The rule.
        cases: Its cases.
        held: Whether the rule holds in each of them.
        say: Picks the language of labels.
    """
    example = rule.data.get("example")
    if example:
        labels = {"bad": say("Not so", "错误示例"), "good": say("But so", "正确示例")}
        return tuple(Sample(labels[key], syntax_of(example[key]), example[key]) for key in labels if key in example)
    shown = _SHOWN.get(rule.kind)
    positive = [c for c, holds in zip(cases, held, strict=True) if holds and not c.get("gap")]
    negative = [c for c, holds in zip(cases, held, strict=True) if not holds and not c.get("gap")]
    return tuple(shown(positive[:1], negative[:1], say)) if shown else ()


def syntax_of(text: str) -> str:
    """The syntax of an example that has no file name."""
    stripped = text.lstrip()
    if stripped.startswith(("{", "[")):
        return "json"
    first = stripped.split("\n", 1)[0]
    if any(line.startswith(("import ", "from ", "def ", "for ", "with ", "@")) for line in text.splitlines()):
        return "python"
    if first.startswith(("#!", "export ", "$ ")) or " --" in first:
        return "bash"
    key = first.partition(":")
    return "yaml" if key[1] and key[0].replace("_", "").replace("-", "").isalnum() else "python"


def _inputs(case: Case, label: str, say: Say) -> Iterator[Sample]:
    """The files of a case and the command that starts it."""
    for path, content in (case.get("files") or {}).items():
        yield Sample(label, _SYNTAX.get(PurePosixPath(path).suffix, ""), _cut(content), path)
    launch = case.get("launch") or ""
    # `python train.py` says nothing that the file's name does not.
    if launch and (len(launch.split()) > 2 or not case.get("files")):
        yield Sample(say(f"{label}, started with", f"{label}，启动命令"), "bash", launch)


def _cut(content: str) -> str:
    lines = content.splitlines()
    return "\n".join(lines[:_LONGEST] + (["..."] if len(lines) > _LONGEST else []))


def _item(positive: list[Case], negative: list[Case], say: Say) -> Iterator[Sample]:
    for case in negative:
        if case["expect"].get("status") != "not_applicable":
            yield from _inputs(case, say("Scores nothing", "不得分"), say)
    for case in positive:
        yield from _inputs(case, say("Scores", "得分"), say)


def _pattern(positive: list[Case], negative: list[Case], say: Say) -> Iterator[Sample]:
    for case in positive:
        yield from _inputs(case, say("Found", "命中"), say)
    for case in negative:
        yield from _inputs(case, say("Left alone", "不命中"), say)


def _finding(positive: list[Case], negative: list[Case], say: Say) -> Iterator[Sample]:
    for case in positive:
        yield from _inputs(case, say("Not so", "错误示例"), say)
    fixed = positive[0]["expect"].get("fixed") if positive else None
    for case in [{"files": fixed}] if fixed else negative:
        yield from _inputs(case, say("But so", "正确示例"), say)


def _remedy(positive: list[Case], negative: list[Case], say: Say) -> Iterator[Sample]:
    for case in positive:
        for path, after in (case["expect"].get("files") or {}).items():
            before = (case.get("files") or {}).get(path, "")
            lines = [*difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3)][2:]
            yield Sample(say("What it changes", "修改内容"), "diff", _cut("\n".join(lines)), path)
        if "command" in case["expect"]:
            lines = [f"- {case.get('launch', '')}", f"+ {case['expect']['command']}"]
            yield Sample(say("What it changes in the command", "对启动命令的修改"), "diff", "\n".join(lines))


def _diagnosis(positive: list[Case], negative: list[Case], say: Say) -> Iterator[Sample]:
    for cases, label in ((positive, say("Found with", "命中")), (negative, say("Not found with", "未命中"))):
        for case in cases:
            if case.get("metrics"):
                lines = [f"{name}: {json.dumps(value)}" for name, value in case["metrics"].items()]
                yield Sample(label, "yaml", "\n".join(lines))
            else:
                yield from _inputs(case, label, say)


def _repair(positive: list[Case], negative: list[Case], say: Say) -> Iterator[Sample]:
    for case in positive:
        if case.get("log"):
            yield Sample(say("A log that it knows", "可识别的日志"), "text", _cut(case["log"]))


_SHOWN: dict[str, Callable[[list[Case], list[Case], Say], Iterator[Sample]]] = {
    "item": _item,
    "pattern": _pattern,
    "finding": _finding,
    "remedy": _remedy,
    "diagnosis": _diagnosis,
    "repair": _repair,
}
