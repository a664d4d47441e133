"""What changed between two states of a pack, and which verdicts can change by it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gto_rules.cli.options import add_format, print_json

if TYPE_CHECKING:
    from gto_rules.rulebook.compare import Change
    from gto_rules.rulebook.model import Rule

_HEADINGS = (
    ("new", "New rules", "新增规则"),
    ("removed", "Removed rules", "删除的规则"),
    ("verdict", "What is found can change", "判定可能改变"),
    ("weight", "The weight of what is found changes", "权重改变"),
    ("fix", "What is changed in a project differs", "修改内容不同"),
    ("words", "Only words", "仅文字"),
)
_LONGEST = 70


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD", help="a pack: folder, git+URL@REVISION or package:NAME")
    parser.add_argument("new", metavar="NEW", help="another state of it")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    from gto_rules.rulebook.compare import compare

    (old_version, before), (new_version, after) = _rules(args.old), _rules(args.new)
    changes = compare(before, after)
    if args.format == "json":
        data = {"old": old_version, "new": new_version, "changes": [one.to_json() for one in changes]}
        print_json(data)
    else:
        print(_text(changes, old_version, new_version, args.lang == "zh"), end="")
    return 1 if changes else 0


def _rules(source: str) -> tuple[str, dict[str, Rule]]:
    """The version of the pack at a source, and all rules as they are with it."""
    from gto_rules.rulebook import load
    from gto_rules.rulebook.sources import find_pack

    folder = find_pack(source, Path.cwd()).folder
    rulebook = load((folder,))
    return rulebook.packs[folder.resolve().name].version, {rule.id: rule for rule in rulebook.rules}


def _text(changes: list[Change], old: str, new: str, zh: bool) -> str:
    lines = [f"{old} → {new}" if old != new else old]
    for effect, english, chinese in _HEADINGS:
        own = [one for one in changes if one.effect == effect]
        if own:
            lines += ["", f"{chinese if zh else english} ({len(own)})"]
            lines += [f"  {_line(one)}" for one in own]
    if not changes:
        lines.append("没有差别" if zh else "no difference")
    return "\n".join(lines) + "\n"


def _line(one: Change) -> str:
    if not one.path:
        return f"{one.rule} ({one.kind})"
    return f"{one.rule}: {one.path}: {_short(one.before)} → {_short(one.after)}"


def _short(value: Any) -> str:
    text = "—" if value is None else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
