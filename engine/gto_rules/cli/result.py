"""The end of a run on the terminal: the before/after table and where the report is."""

from __future__ import annotations

from pathlib import Path

from gto_rules.loop.state import RunState
from gto_rules.report.final import headline
from gto_rules.report.tables import figure_rows
from gto_rules.report.text import picker, speaker


def print_result(state: RunState, report: Path, lang: str) -> None:
    """Print what was gained, what was kept and undone, and the path of the final report."""
    say, pick = speaker(lang), picker(lang)
    print()
    print(headline(state, lang).replace("**", ""))
    after = (state.final.get("after") or {}) if state.final.get("comparison") else {}
    rows = figure_rows(state.final.get("before") or {}, after, lang)
    if rows:
        head = (say("figure", "指标"), say("before", "优化前"), say("after", "优化后"), say("change", "变化"))
        lines = [head, *((r["label"], r["before"], r["after"], r["change"]) for r in rows)]
        widths = [max(_width(line[i]) for line in lines) for i in range(4)]
        print()
        for line in lines:
            print(
                "  " + "  ".join(_padded(c, w, right=i > 0) for i, (c, w) in enumerate(zip(line, widths, strict=True)))
            )
    words = {"verified": say("kept", "保留"), "rejected": say("undone", "撤销"), "unverified": say("advice", "建议")}
    print()
    for status, word in words.items():
        for remedy in state.remedies.values():
            if remedy["status"] == status:
                print(f"  {word:<7} {pick(remedy['title'])}: {remedy['reason']}")
    unchanged = state.original.get("unchanged")
    if unchanged is False:
        print(say("\nWARNING: the original project changed during the run.", "\n警告：原始项目在运行期间发生了变化。"))
    print(f"\n{say('report', '报告')}: {report}")


def _width(text: str) -> int:
    """Columns on a terminal: full-width characters take two."""
    return sum(2 if ord(c) > 0x2E80 else 1 for c in text)


def _padded(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space
