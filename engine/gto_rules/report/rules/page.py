"""Rule and cases → page, in one language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gto_rules.loop.rule_cases import is_positive
from gto_rules.report.render import RISKS
from gto_rules.report.rules.conditions import ConditionWords, code, literal
from gto_rules.report.rules.model import Line, Page, Reference, Say
from gto_rules.report.rules.samples import samples
from gto_rules.report.text import picker, points, speaker
from gto_rules.rulebook.cases import CaseFile
from gto_rules.rulebook.model import Rule, Rulebook

# What a text fills in when the rule holds: {dataloader.wait_percent:.0f}.
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][\w.]*)(:[^{}]*)?\}")
# Kinds whose conditions are put into words; of the others the rule itself is shown.
_IN_WORDS = frozenset(("finding", "item", "diagnosis", "remedy", "repair", "pattern"))
_WORDS_FOR_PEOPLE = frozenset(
    ("kind", "schema", "id", "title", "since", "status", "references", "false_alarms", "note", "why", "description")
)
_LONGEST = 60
# Keys whose value is a condition, in the order in which a reader asks.
_CONDITIONS = {
    "applies_when": ("Applies when", "适用条件"),
    "enabled": ("Counts as enabled when", "视为已启用"),
    "recommended_when": ("Recommended when", "建议启用的条件"),
    "unknown_when": ("Cannot be told when", "无法判断的条件"),
    "when": ("Found when", "判定条件"),
    "requires": ("Needs", "前提条件"),
}
_SEVERITY = {
    "error": ("error", "错误"),
    "warning": ("warning", "警告"),
    "info": ("info", "提示"),
    "high": ("high", "高"),
    "medium": ("medium", "中"),
    "low": ("low", "低"),
}
_PRIORITY = {
    "P0": ("P0, do at once", "P0，立即实施"),
    "P1": ("P1, strongly recommended", "P1，强烈建议"),
    "P2": ("P2, worth trying", "P2，值得尝试"),
}
_STATUS = {
    "experimental": ("experimental", "实验性"),
    "test": ("test", "测试中"),
    "stable": ("stable", "稳定"),
    "deprecated": ("deprecated", "已弃用"),
}
_ACTION = {
    "retry": ("Run again.", "重新运行。"),
    "undo": ("Take the change back that was tried.", "撤销正在尝试的修改。"),
    "give_up": ("Give up: only a person can mend it.", "停止：需人工处理。"),
}


class Pages:
    """Makes pages of the rules of a rulebook, in one language."""

    def __init__(self, rulebook: Rulebook, cases: Mapping[str, CaseFile], lang: str) -> None:
        self.rulebook = rulebook
        self.cases = cases
        self.say: Say = speaker(lang)
        pick = picker(lang)
        self.pick: Callable[[Any], str] = lambda text: _PLACEHOLDER.sub(r"‹\1›", pick(text))
        self.words = ConditionWords(rulebook, lang, self.say)
        self._rules = {rule.id: rule for rule in rulebook.rules}

    def title(self, rule: Rule) -> str:
        return self.pick(rule.data.get("title")) or rule.slug

    def page(self, rule: Rule) -> Page:
        data, pick = rule.data, self.pick
        own = self.cases[rule.id].cases if rule.id in self.cases else ()
        held = tuple(is_positive(rule.kind, case["expect"]) for case in own)
        gain = data.get("gain") or {}
        return Page(
            rule.id,
            rule.kind,
            rule.pack,
            rule.path,
            rule.line,
            self.title(rule),
            tuple(pick(data[key]) for key in ("message", "description", "symptom", "cause", "needs") if data.get(key)),
            tuple(self._facts(data)),
            pick(data.get("why")),
            tuple(self._conditions(data)),
            _exact(rule),
            samples(rule, own, held, self.say),
            tuple(self._fix(rule)),
            pick(gain.get("text")),
            gain.get("source", ""),
            tuple(pick(text) for text in data.get("false_alarms", ())),
            tuple(_references(data)),
            tuple(one for one in data.get("remedies", ()) if one in self._rules),
            tuple((case["name"], holds) for case, holds in zip(own, held, strict=True)),
        )

    def _facts(self, data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        say = self.say
        for key, label, table in (
            ("severity", say("Severity", "严重程度"), _SEVERITY),
            ("priority", say("Priority", "优先级"), _PRIORITY),
            ("risk", say("Risk", "风险"), RISKS),
            ("status", say("Status", "成熟度"), _STATUS),
        ):
            value = data.get(key)
            if isinstance(value, str) and value in table:
                yield label, say(*table[value])
        if "points" in data:
            yield say("Points", "分值"), points(data["points"])
        for key, label in (
            ("audit", say("Audit", "审计")),
            ("group", say("Shares points in group", "同组共享分值")),
            ("since", say("Since", "起始版本")),
        ):
            if data.get(key):
                yield label, str(data[key])
        if "category" in data and "audit" in data:
            yield say("Category", "类别"), self._category(data)
        if "settings" in data and data["kind"] in ("settings", "surface"):
            yield say("Names", "名称数"), str(len(data["settings"]))
        if data.get("enabled") is False:
            yield say("Used", "启用方式"), say("only when it is selected by name", "仅在按名称选择时启用")

    def _category(self, data: Mapping[str, Any]) -> str:
        audit = self._rules.get(data["audit"])
        categories = audit.data["categories"] if audit else ()
        title = next((self.pick(c.get("title")) for c in categories if c["id"] == data["category"]), "")
        return f"{data['category']} {title}".strip()

    def _conditions(self, data: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Line, ...]]]:
        for key, label in _CONDITIONS.items():
            if key in data and not isinstance(data[key], bool):
                yield self.say(*label), tuple(self.words.lines(data[key]))
        within = data.get("settings")
        if isinstance(within, Mapping) and "surfaces" in within:
            yield self.say("Read in", "检查位置"), tuple(self._rules_named(within["surfaces"]))
            yield self.say("Found when", "判定条件"), tuple(self.words.lines(within["when"]))
        if "names" in data:
            yield self.say("Read in", "检查位置"), tuple(self._rules_named(data["names"]["surfaces"]))
        thresholds = data.get("thresholds")
        if thresholds:
            yield self.say("Thresholds", "阈值"), tuple(_threshold(name, row) for name, row in thresholds.items())

    def _rules_named(self, ids: list[str]) -> Iterator[Line]:
        for one in ids:
            rule = self._rules.get(one)
            name = code(one)
            yield Line(0, self.say(f"{self.title(rule)} ({name})", f"{self.title(rule)}（{name}）") if rule else name)

    def _fix(self, rule: Rule) -> Iterator[Line]:
        data, say = rule.data, self.say
        for key in ("advice", "solution"):
            if data.get(key):
                yield Line(0, self.pick(data[key]))
        if data.get("action") in _ACTION:
            yield Line(0, say(*_ACTION[data["action"]]))
        for name, value in (data.get("set") or {}).items():
            yield Line(0, say(f"Set {code(name)} to {_value(value)}.", f"将 {code(name)} 设为 {_value(value)}。"))
        fix = data.get("fix") or {}
        if fix.get("title"):
            yield Line(0, self.pick(fix["title"]))
        for edit in (*data.get("edits", ()), *(() if fix.get("title") else fix.get("edits", ()))):
            for operation, details in edit.items():
                yield Line(0, say(*EDITS[operation](details)))
        if fix:
            risk = say(*RISKS[fix.get("risk", "neutral")])
            yield Line(
                0,
                say(f"`check --show-fixes` shows the edit ({risk}).", f"`check --show-fixes` 可显示该修改（{risk}）。"),
            )
        for one in data.get("remedies", ()):
            yield from self._remedy(one)

    def _remedy(self, rule_id: str) -> Iterator[Line]:
        remedy = self._rules.get(rule_id)
        if remedy is not None:
            risk = self.say(*RISKS[remedy.data["risk"]])
            name, title = code(rule_id), self.title(remedy)
            yield Line(0, self.say(f"{title} ({name}; {risk})", f"{title}（{name}；{risk}）"))


def _value(value: Any) -> str:
    if isinstance(value, Mapping) and "expr" in value:
        return code(" ".join(str(value["expr"]).split()))
    return code(literal(value))


def _threshold(name: str, row: Mapping[str, Any]) -> Line:
    unit = f" {row['unit']}" if row.get("unit") else ""
    source = f" ({row['source']})" if row.get("source") else ""
    return Line(0, f"{code(name)} = {row['value']}{unit}{source}")


def _references(data: Mapping[str, Any]) -> Iterator[Reference]:
    for one in data.get("references", ()):
        yield Reference(one["url"], str(one.get("proves", "")), str(one.get("version", "")))


def _exact(rule: Rule) -> str:
    """What words would lose some of: matchers, and the signature of a failure."""
    import yaml

    if rule.kind in _IN_WORDS:
        held = {key: rule.data[key] for key in ("match", "names", "suppressions") if key in rule.data}
    else:
        held = {key: value for key, value in rule.data.items() if key not in _WORDS_FOR_PEOPLE}
    if not held:
        return ""
    text: str = yaml.safe_dump(held, allow_unicode=True, sort_keys=False, width=100, default_flow_style=None)
    lines = text.rstrip("\n").split("\n")
    return "\n".join([*lines[:_LONGEST], "..."] if len(lines) > _LONGEST else lines)


def _statement(lines: list[str]) -> str:
    return code(" ; ".join(lines))


EDITS: dict[str, Callable[[Mapping[str, Any]], tuple[str, str]]] = {
    "set_keyword": lambda d: (
        f"Give the call {code(d['keyword'])} = {_value(d['value'])}.",
        f"为该调用设置 {code(d['keyword'])} = {_value(d['value'])}。",
    ),
    "remove_keyword": lambda d: (
        f"Take {code(d['keyword'])} out of the call.",
        f"从该调用中删除 {code(d['keyword'])}。",
    ),
    "rename_keyword": lambda d: (
        f"Write {code(d['to'])} instead of {code(d['keyword'])}.",
        f"将 {code(d['keyword'])} 改写为 {code(d['to'])}。",
    ),
    "replace": lambda d: (f"Replace it by {code(d['with'])}.", f"替换为 {code(d['with'])}。"),
    "insert_statement": lambda d: (
        f"Insert {d.get('where', 'before')} it: {_statement(d['lines'])}.",
        f"在其{'后' if d.get('where') == 'after' else '前'}插入：{_statement(d['lines'])}。",
    ),
    "delete": lambda d: ("Take the statement out.", "删除该语句。"),
    "wrap": lambda d: (f"Put it below {code(d['header'])}.", f"将其置于 {code(d['header'])} 之下。"),
    "insert_import": lambda d: (f"Import: {code(d['statement'])}.", f"导入：{code(d['statement'])}。"),
    "create_file": lambda d: (f"Write the file {code(d['path'])}.", f"写入文件 {code(d['path'])}。"),
    "remove_setting": lambda d: (f"Take {code(d['setting'])} out.", f"删除 {code(d['setting'])}。"),
    "set_setting": lambda d: (
        f"Set {code(d['setting'])} to {_value(d['value'])}.",
        f"将 {code(d['setting'])} 设为 {_value(d['value'])}。",
    ),
    "rename_setting": lambda d: ("Write the nearest right name.", "改写为最接近的正确名称。"),
}
