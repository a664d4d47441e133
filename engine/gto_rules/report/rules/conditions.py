"""Conditions in words, as a list that nests like they do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gto_rules.report.rules.model import Line, Say
from gto_rules.report.text import picker
from gto_rules.rulebook.model import Rulebook


class ConditionWords:
    """Puts conditions into words of one language; patterns and fragments are named by their titles."""

    def __init__(self, rulebook: Rulebook, lang: str, say: Say) -> None:
        pick = picker(lang)
        self._titles = {r.id: pick(r.data.get("title", r.id)) for r in rulebook.rules}
        self._say = say

    def lines(self, condition: Any, depth: int = 0) -> Iterator[Line]:
        """The condition, one line for each part."""
        if isinstance(condition, bool):
            yield Line(depth, self._say("always", "总是") if condition else self._say("never", "从不"))
        elif isinstance(condition, str):
            yield Line(depth, code(" ".join(condition.split())))
        else:
            yield from self._mapping(condition, depth)

    def _mapping(self, condition: Mapping[str, Any], depth: int) -> Iterator[Line]:
        parts = [key for key in _WORDS if key in condition]
        if len(parts) > 1:
            yield Line(depth, self._say("all of these hold:", "以下全部成立："))
            depth += 1
        for key in parts:
            if key in _GROUPS:
                yield from self._group(key, condition[key], depth)
            else:
                yield Line(depth, _WORDS[key](self, condition))

    def _group(self, key: str, inner: Any, depth: int) -> Iterator[Line]:
        parts = [inner] if key == "not" else inner
        below = list(self.lines(parts[0], depth)) if len(parts) == 1 else []
        if key != "not" and below:
            yield from below
            return
        if len(below) == 1:
            yield Line(depth, self._say("not: ", "并非：") + below[0].text)
            return
        yield Line(depth, self._say(*_GROUPS[key]))
        for part in parts:
            yield from self.lines(part, depth + 1)

    def setting(self, condition: Mapping[str, Any]) -> str:
        tests = [word(self._say, condition[key]) for key, word in _TESTS.items() if key in condition]
        joined = self._say(" and ", "，且 ").join(tests) or self._say("is switched on", "已启用")
        return f"{code(condition['setting'])} {joined}"

    def metric(self, condition: Mapping[str, Any]) -> str:
        tests = [word(self._say, condition[key]) for key, word in _TESTS.items() if key in condition]
        joined = self._say(" and ", "，且 ").join(tests) or self._say("was measured", "已测得")
        return f"{code(condition['metric'])} {joined}"

    def pattern(self, condition: Mapping[str, Any]) -> str:
        name = condition["pattern"]
        return self._say("the code has ", "代码中出现 ") + self._named(name)

    def fragment(self, condition: Mapping[str, Any]) -> str:
        return self._named(condition["fragment"])

    def _named(self, name: str) -> str:
        title = self._titles.get(name)
        return code(name) + self._say(f" ({title})", f"（{title}）") if title and title != name else code(name)

    def imported(self, condition: Mapping[str, Any]) -> str:
        return self._say(f"{code(condition['import'])} is imported", f"导入了 {code(condition['import'])}")

    def dependency(self, condition: Mapping[str, Any]) -> str:
        name, version = code(condition["dependency"]), condition.get("version")
        if version:
            return self._say(f"{name} is declared in {code(version)}", f"依赖 {name} 的版本符合 {code(version)}")
        return self._say(f"{name} is declared", f"声明了依赖 {name}")

    def launch(self, condition: Mapping[str, Any]) -> str:
        return self._say("launch: ", "启动命令：") + self._fields(condition["launch"])

    def hardware(self, condition: Mapping[str, Any]) -> str:
        return self._say("machine: ", "硬件：") + self._fields(condition["hardware"])

    def _fields(self, fields: Mapping[str, Any]) -> str:
        return self._say(", ", "，").join(self._field(name, value) for name, value in fields.items())

    def _field(self, name: str, value: Any) -> str:
        for prefix in ("min", "max"):
            if name.startswith(f"{prefix}_"):
                return f"{code(name[len(prefix) + 1 :])} {_TESTS[prefix](self._say, value)}"
        if isinstance(value, Mapping):
            tests = [word(self._say, value[key]) for key, word in _TESTS.items() if key in value]
            return f"{code(name)} {self._say(' and ', '，且 ').join(tests)}"
        shown = value if isinstance(value, list) else [value]
        return f"{code(name)} = {self._say(' or ', ' 或 ').join(code(literal(one)) for one in shown)}"

    def framework(self, condition: Mapping[str, Any]) -> str:
        wanted = condition["framework"]
        names = self._say(" or ", " 或 ").join(code(n) for n in (wanted if isinstance(wanted, list) else [wanted]))
        return self._say("the framework is ", "训练框架为 ") + names

    def inference(self, condition: Mapping[str, Any]) -> str:
        return self._say("the inference engine is ", "推理引擎为 ") + code(condition["inference"])


def code(text: Any) -> str:
    """``text`` in backticks that what it holds does not end."""
    shown = str(text)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def literal(value: Any) -> str:
    """A value as configuration files write it."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, default=str)


def _listed(say: Say, values: list[Any]) -> str:
    return say(", ", "、").join(code(literal(value)) for value in values)


_GROUPS = {
    "all": ("all of these hold:", "以下全部成立："),
    "any": ("one of these holds:", "以下任一成立："),
    "not": ("this does not hold:", "以下不成立："),
}
_TESTS: dict[str, Callable[[Say, Any], str]] = {
    "equals": lambda say, v: say("is ", "为 ") + code(literal(v)),
    "not_equals": lambda say, v: say("is not ", "不为 ") + code(literal(v)),
    "in": lambda say, v: say("is one of ", "为其中之一：") + _listed(say, v),
    "not_in": lambda say, v: say("is none of ", "不为：") + _listed(say, v),
    "set": lambda say, v: say("is set", "已设置") if v else say("is not set", "未设置"),
    "given": lambda say, v: say("is written", "已写出") if v else say("is not written", "未写出"),
    "min": lambda say, v: say("is at least ", "至少为 ") + code(literal(v)),
    "max": lambda say, v: say("is at most ", "至多为 ") + code(literal(v)),
    "matches": lambda say, v: say("matches ", "匹配 ") + code(v),
}
_WORDS: dict[str, Callable[[ConditionWords, Mapping[str, Any]], str]] = {
    **dict.fromkeys(_GROUPS, lambda words, condition: ""),
    "setting": ConditionWords.setting,
    "pattern": ConditionWords.pattern,
    "import": ConditionWords.imported,
    "dependency": ConditionWords.dependency,
    "launch": ConditionWords.launch,
    "hardware": ConditionWords.hardware,
    "metric": ConditionWords.metric,
    "framework": ConditionWords.framework,
    "inference": ConditionWords.inference,
    "fragment": ConditionWords.fragment,
}
