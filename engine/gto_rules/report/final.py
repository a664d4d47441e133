"""The values of the final report."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from gto_rules.loop.state import RunState
from gto_rules.report.tables import figure_rows
from gto_rules.report.text import change, speaker


def final_values(state: RunState, workdir: Path, lang: str, expected: list[str]) -> dict[str, Any]:
    """Everything that ``final.md.j2`` shows."""
    say = speaker(lang)
    by_status: dict[str, list[dict[str, Any]]] = {"verified": [], "rejected": [], "unverified": []}
    for remedy in state.remedies.values():
        by_status[remedy["status"]].append(remedy)
    patches = {change_id: number for number, change_id in enumerate(state.applied, 1)}
    for remedy in by_status["verified"]:
        number = patches.get(remedy["id"])
        remedy["patch"] = f"../patches/{number:02d}-{remedy['id'].replace('/', '-')}.patch" if number else None
    detect = state.analysis.get("detect", {})
    # Without a change there is no "after": the same figures twice would look like a measurement.
    after = (state.final.get("after") or {}) if state.final.get("comparison") else {}
    return {
        "start": {"original": "", "workdir": str(workdir), "command": None, "cwd": ".", **state.start},
        "touched": _touched(state),
        "headline": headline(state, lang),
        "original_state": _original(state, lang),
        "command_after": state.final.get("command") or state.fork.get("command") or state.start.get("command"),
        "framework": detect.get("framework", "–"),
        "minutes": _minutes(state),
        "rounds": state.rounds,
        "last_version": max((c["version"] for c in state.applied.values()), default="v0"),
        "figures": figure_rows(state.final.get("before") or {}, after, lang),
        "interval": _interval(state, lang),
        "parity": _parity(state, lang),
        "no_figures": _no_figures(state, lang),
        "method": _method(state, lang),
        "kept": by_status["verified"],
        "rejected": by_status["rejected"],
        "unverified": by_status["unverified"],
        "audits": state.analysis.get("audits", ()),
        "cluster": _cluster(state, lang),
        "steps": state.steps,
        "errors": state.errors,
        "files": [(name, (workdir / "reports" / name).is_file()) for name in expected],
        "has_patch": bool(state.applied),
        "ratio": lambda comparison: f"x{comparison['throughput']['ratio']:.3f}" if comparison else say("none", "无"),
    }


def headline(state: RunState, lang: str) -> str:
    """The result in one sentence."""
    say = speaker(lang)
    comparison = state.final.get("comparison")
    if comparison:
        ratio = comparison["throughput"]
        kept = len(state.applied)
        gain = change(1.0, ratio["ratio"])
        interval = f"{change(1.0, ratio['low'])} … {change(1.0, ratio['high'])}"
        return say(
            f"**Throughput {gain}** (95 % interval {interval}) with {kept} change(s) kept.",
            f"**吞吐 {gain}**（95% 置信区间 {interval}），保留 {kept} 项优化。",
        )
    if state.applied:
        kept = len(state.applied)
        return say(
            f"{kept} change(s) are in the fork; there was no closing comparison of all of them together.",
            f"副本中保留 {kept} 项优化；未进行整体的最终对照。",
        )
    if any(t["purpose"] == "baseline" and t["status"] == "ok" for t in state.trials):
        return say(
            "No change brought a measurable gain; the fork equals the original.", "没有测得有效提升；副本与原项目一致。"
        )
    return say(
        "Nothing could be measured; what follows is advice from reading the project.",
        "未能进行测量；以下为静态分析建议。",
    )


def _touched(state: RunState) -> str:
    if state.original.get("unchanged") is not False:
        return ""
    shown = ", ".join(f"{d['path']} ({d['what']})" for d in state.original["differences"][:5])
    return f"{state.original['count']}: {shown}"


def _original(state: RunState, lang: str) -> str:
    say = speaker(lang)
    unchanged = state.original.get("unchanged")
    if unchanged is None:
        return say("not checked", "未检查")
    if not unchanged:
        return say("**changed**", "**已变化**")
    files = state.original.get("files", 0)
    return say(f"unchanged: {files} entries compared byte for byte", f"未修改：逐字节比对 {files} 项")


def _minutes(state: RunState) -> float:
    try:
        begin = datetime.fromisoformat(state.start["started"])
        return (datetime.fromisoformat(state.finished) - begin).total_seconds() / 60
    except (KeyError, ValueError):
        return 0.0


def _interval(state: RunState, lang: str) -> str:
    comparison = state.final.get("comparison")
    if not comparison:
        return ""
    ratio = comparison["throughput"]
    pairs = comparison["pairs"]
    return speaker(lang)(
        f"Throughput ratio {ratio['ratio']:.3f}, 95 % interval {ratio['low']:.3f} to {ratio['high']:.3f} "
        f"over {pairs} interleaved pairs.",
        f"吞吐比 {ratio['ratio']:.3f}，95% 置信区间 {ratio['low']:.3f}–{ratio['high']:.3f}，共 {pairs} 组交错对照。",
    )


def _parity(state: RunState, lang: str) -> str:
    say = speaker(lang)
    parity: Mapping[str, Any] = (state.final.get("comparison") or {}).get("loss_parity") or {}
    if not parity:
        return ""
    if parity.get("same") is None:
        return say(f"Loss: not compared, {parity.get('reason')}.", f"损失：未比较（{parity.get('reason')}）。")
    verdict = say("the same", "一致") if parity["same"] else say("**different**", "**不一致**")
    return say(
        f"Loss: {verdict}. Mean over {parity['steps']} equal steps {parity['before']:.4f} before, "
        f"{parity['after']:.4f} after ({parity['relative_difference']:.2%}, tolerance {parity['tolerance']:.2%}).",
        f"损失：{verdict}。相同 {parity['steps']} 步的平均值：优化前 {parity['before']:.4f}，"
        f"优化后 {parity['after']:.4f}（差异 {parity['relative_difference']:.2%}，容差 {parity['tolerance']:.2%}）。",
    )


def _no_figures(state: RunState, lang: str) -> str:
    failed = next((s for s in state.steps if s["status"] != "done" and s["number"] <= 4), None)
    if failed:
        return str(failed["reason"])
    if state.errors:
        return str(state.errors[-1]["message"])
    return speaker(lang)("no run was made", "没有运行")


def _method(state: RunState, lang: str) -> list[str]:
    say = speaker(lang)
    limits = state.start.get("limits", {})
    steps, warmup = limits.get("steps"), limits.get("warmup")
    if not state.trials:
        return [say("Nothing was run.", "没有运行任何训练。")]
    return [
        say(
            f"Each run trains {steps} optimiser steps in the fork; the first {warmup} are left out.",
            f"每次运行在副本中训练 {steps} 个优化器步，前 {warmup} 步不计入。",
        ),
        say(
            "Speed is measured without the profiler; the profiler explains, in runs of its own.",
            "速度在不启用 Profiler 时测量；Profiler 另行运行，仅用于解释。",
        ),
        say(
            "Before and after run in turn (A B B A …); the 95 % interval is taken over pairs, not over steps.",
            "优化前后交替运行（A B B A …）；95% 置信区间按对照组计算，而非按步。",
        ),
        say(
            "A change stays only if its interval lies above 1 and the loss stays the same; otherwise it is undone.",
            "仅当置信区间高于 1 且损失一致时保留改动，否则撤销。",
        ),
        say("Saving is switched off in all runs alike.", "所有运行均关闭模型保存。"),
    ]


def _cluster(state: RunState, lang: str) -> str:
    kind = state.analysis.get("detect", {}).get("multi_node", "none")
    if kind != "B":
        return ""
    return speaker(lang)(
        "The command starts one node at a time, so everything here was measured on a single node. Changes to "
        "communication need a run on all nodes. A launcher that starts every node from one place (an elastic "
        "rendezvous, a host file) would let the whole job be measured.",
        "该命令需在每个节点分别执行，因此以上结果均为单节点测量；通信相关优化需在多机环境验证。建议改为可从单节点拉起的方式"
        "（弹性 rendezvous 或 hostfile），以便完整测量。",
    )
