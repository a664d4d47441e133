"""The reference of all rules as Markdown pages: path → text, the same from the same rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from gto_rules.report.rules.markdown import render_markdown
from gto_rules.report.rules.model import Page
from gto_rules.report.rules.page import Pages
from gto_rules.report.text import LANGUAGES, code, points
from gto_rules.rulebook.cases import CaseFile
from gto_rules.rulebook.model import Pack, Rule, Rulebook

# Kinds with a page for each rule, in the order of the index.
PAGED: dict[str, tuple[str, str]] = {
    "finding": ("Findings", "检查项"),
    "item": ("Audit items", "审计项"),
    "diagnosis": ("Bottlenecks", "瓶颈诊断"),
    "remedy": ("Remedies", "优化措施"),
    "repair": ("Repairs of failed runs", "失败修复"),
}
KIND_NAMES: dict[str, tuple[str, str]] = {
    "finding": ("finding", "检查项"),
    "item": ("audit item", "审计项"),
    "diagnosis": ("bottleneck", "瓶颈诊断"),
    "remedy": ("remedy", "优化措施"),
    "repair": ("repair", "失败修复"),
    "pattern": ("code pattern", "代码模式"),
    "settings": ("table of settings", "设置表"),
    "surface": ("accepted names", "可用名称表"),
    "audit": ("audit", "审计"),
    "detector": ("detector", "框架识别"),
    "launcher": ("launcher", "启动器"),
    "trial": ("trial", "试运行"),
    "hardware": ("hardware table", "硬件表"),
    "policy": ("policy", "策略"),
    "fragment": ("condition", "条件片段"),
}
_MARK = b"<!-- Written by `gto-rules rules docs`"
# Kinds that the page of their pack shows in a section of their own.
_SHOWN = frozenset((*PAGED, "pattern", "settings", "audit"))


def pages(rulebook: Rulebook, cases: Mapping[str, CaseFile], packs: Iterable[str] | None = None) -> dict[str, str]:
    """Every page in both languages, by path below the folder of the reference."""
    wanted = frozenset(rulebook.packs if packs is None else packs)
    return {path: text for lang in LANGUAGES for path, text in _Reference(rulebook, cases, lang, wanted).all().items()}


def page_markdown(page: Page, lang: str) -> str:
    """One rule as Markdown by itself; other rules are named, not linked."""
    return _markdown(page, lang, code)


@dataclass(frozen=True)
class Stale:
    """How a folder differs from the pages that it should hold."""

    missing: tuple[str, ...]
    different: tuple[str, ...]
    extra: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.missing or self.different or self.extra)


def stale_pages(wanted: Mapping[str, str], folder: Path) -> Stale:
    """Pages below ``folder`` that are missing, differ, or belong to no rule."""
    there = {p.relative_to(folder).as_posix(): p for lang in LANGUAGES for p in (folder / lang).rglob("*.md")}
    # Pages of other origin may lie there too; those are left alone.
    ours = {path for path, file in there.items() if path in wanted or file.read_bytes().startswith(_MARK)}
    different = [path for path in wanted if path in there and there[path].read_bytes() != wanted[path].encode("utf-8")]
    return Stale(
        tuple(sorted(wanted.keys() - there.keys())),
        tuple(sorted(different)),
        tuple(sorted(ours - wanted.keys())),
    )


def write_pages(wanted: Mapping[str, str], folder: Path) -> Stale:
    """Bring a folder to the pages that it should hold; gives what was out of date."""
    stale = stale_pages(wanted, folder)
    for path in (*stale.missing, *stale.different):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(wanted[path].encode("utf-8"))
    for path in stale.extra:
        (folder / path).unlink()
    return stale


class _Reference:
    """The pages of one language."""

    def __init__(self, rulebook: Rulebook, cases: Mapping[str, CaseFile], lang: str, packs: frozenset[str]) -> None:
        self.lang = lang
        self.pages = Pages(rulebook, cases, lang)
        self.packs = [pack for name, pack in sorted(rulebook.packs.items()) if name in packs]
        self.rules = [rule for rule in rulebook.rules if rule.pack in packs]
        self.paged = {rule.id: rule for rule in self.rules if rule.kind in PAGED}

    def all(self) -> dict[str, str]:
        out = {f"{self.lang}/index.md": self.index()}
        for pack in self.packs:
            out[f"{self.lang}/{pack.name}/index.md"] = self.pack(pack)
        for rule in self.paged.values():
            link = partial(self.link, pack=rule.pack)
            out[f"{self.lang}/{rule.pack}/{_file_name(rule)}"] = _markdown(self.pages.page(rule), self.lang, link)
        return out

    def link(self, rule_id: str, pack: str) -> str:
        rule = self.paged.get(rule_id)
        if rule is None:
            return code(rule_id)
        target = _file_name(rule) if rule.pack == pack else f"../{rule.pack}/{_file_name(rule)}"
        return f"[{rule_id}]({target})"

    def index(self) -> str:
        say = self.pages.say
        counts = {pack.name: sum(rule.pack == pack.name for rule in self.rules) for pack in self.packs}
        listed = [
            (
                say(*heading),
                [
                    (rule.id, f"{rule.pack}/{_file_name(rule)}", self.pages.title(rule), self._weight(rule))
                    for rule in self.rules
                    if rule.kind == kind
                ],
            )
            for kind, heading in PAGED.items()
        ]
        values = {
            "packs": [(p.name, self._pack_title(p), p.version, counts[p.name]) for p in self.packs],
            "listed": [(heading, rows) for heading, rows in listed if rows],
            "other": next(lang for lang in LANGUAGES if lang != self.lang),
        }
        return render_markdown("rule-index.md.j2", self.lang, values)

    def pack(self, pack: Pack) -> str:
        say, own = self.pages.say, [rule for rule in self.rules if rule.pack == pack.name]
        listed = [
            (say(*heading), [(r.id, _file_name(r), self.pages.title(r)) for r in own if r.kind == kind])
            for kind, heading in PAGED.items()
        ]
        values = {
            "pack": pack,
            "title": self._pack_title(pack),
            "description": self.pages.pick(pack.data.get("description")),
            "listed": [(heading, rows) for heading, rows in listed if rows],
            "audits": [self._audit(r) for r in own if r.kind == "audit"],
            "patterns": [self.pages.page(r) for r in own if r.kind == "pattern"],
            "tables": [_table(r, self.pages.title(r)) for r in own if r.kind == "settings"],
            "others": [(r.id, say(*KIND_NAMES[r.kind]), self.pages.title(r)) for r in own if r.kind not in _SHOWN],
        }
        return render_markdown("rule-pack.md.j2", self.lang, values)

    def _pack_title(self, pack: Pack) -> str:
        return self.pages.pick(pack.data.get("title")) or pack.name

    def _weight(self, rule: Rule) -> str:
        if "points" in rule.data:
            return self.pages.say(f"{points(rule.data['points'])} points", f"{points(rule.data['points'])} 分")
        return dict(self.pages.page(rule).facts[:1]).popitem()[1] if self.pages.page(rule).facts else ""

    def _audit(self, rule: Rule) -> dict[str, Any]:
        rows = [(c["id"], self.pages.pick(c.get("title")), c["max"]) for c in rule.data["categories"]]
        return {"id": rule.id, "title": self.pages.title(rule), "max": rule.data["max"], "categories": rows}


def _file_name(rule: Rule) -> str:
    return "index-rule.md" if rule.slug == "index" else f"{rule.slug}.md"


def _table(rule: Rule, title: str) -> dict[str, Any]:
    verified = [str(v) for v in rule.data.get("verified", ())]
    return {
        "id": rule.id,
        "title": title,
        "version_of": rule.data.get("version_of"),
        "verified": " – ".join(dict.fromkeys((verified[0], verified[-1]))) if verified else "",
        "rows": [_row(name, row or {}) for name, row in rule.data["settings"].items()],
    }


def _row(name: str, row: Mapping[str, Any]) -> dict[str, str]:
    default = row.get("default")
    if isinstance(default, list) and default and all(isinstance(d, Mapping) and "value" in d for d in default):
        default = default[-1]["value"]
    spans = [f"≥ {row['since']}"] if "since" in row else []
    spans += [f"< {row['removed']}"] if "removed" in row else []
    spans += [f"{old} {versions}" for old, versions in (row.get("was") or {}).items()]
    shown = "" if "default" not in row else json.dumps(default, ensure_ascii=False, default=str)
    return {"name": name, "type": str(row.get("type", "")), "default": shown, "versions": ", ".join(spans)}


def _markdown(page: Page, lang: str, rule_link: Callable[[str], str]) -> str:
    names = [code(rule_id) for rule_id in page.related]
    links = {name: rule_link(rule_id) for name, rule_id in zip(names, page.related, strict=True)}

    def linked(text: str) -> str:
        for name, link in links.items():
            text = text.replace(name, link)
        return text

    values = {"page": page, "kind_name": KIND_NAMES[page.kind][lang == "zh"], "linked": linked}
    return render_markdown("rule.md.j2", lang, values)
