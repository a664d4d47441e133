"""Every report of a run, written again from its state alone."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gto_rules.loop.state import RunState
from gto_rules.report import FINAL
from gto_rules.report.final import final_values
from gto_rules.report.render import render
from gto_rules.report.tables import hardware_sections, rank_table, timing_rows, top_table
from gto_rules.report.text import LANGUAGES, number, picker, speaker


@dataclass(frozen=True)
class Report:
    """One report: its file stem, template, and the function that gives its values for a language."""

    stem: str
    template: str
    values: Any
    data: Any


def write_reports(state: RunState, workdir: Path) -> tuple[Path, ...]:
    """Write all reports in both languages and their JSON twins; returns the paths of the main ones.

    The run's language stands in ``reports/``, the other one in ``reports/<language>/``.
    """
    folder = workdir / "reports"
    reports = list(_reports(state, workdir))
    main = state.start.get("lang", "en")
    paths = []
    for report in reports:
        for lang in LANGUAGES:
            place = folder if lang == main else folder / lang
            place.mkdir(parents=True, exist_ok=True)
            root = Path(state.start.get("original") or workdir)
            text = render(report.template, lang, root, place, report.values(lang))
            (place / f"{report.stem}.md").write_text(text, "utf-8")
        twin = json.dumps(report.data, ensure_ascii=False, indent=2, default=str)
        (folder / f"{report.stem}.json").write_text(twin + "\n", "utf-8")
        paths.append(folder / f"{report.stem}.md")
    return tuple(paths)


def _reports(state: RunState, workdir: Path) -> Iterator[Report]:
    """Every report this run can have; the final one last, so that it can list the others."""
    yield Report("meta", "meta.md.j2", lambda lang: _meta(state, lang), dict(state.start))
    for audit in state.analysis.get("audits", ()):
        yield _audit(audit, state)
    versions = list(dict.fromkeys(t["version"] for t in state.trials))
    for version in versions:
        yield _profile(state, version)
    if state.hardware:
        yield from (_system(state, version) for version in state.hardware)
    for version, items in state.bottlenecks.items():
        yield _bottlenecks(state, version, items)
    for record in state.rounds:
        yield _changes(state, record["version"])
    stems = ["meta", *(f"v0_{a['report']}-report" for a in state.analysis.get("audits", ()))]
    stems += [f"{v}_pytorch-profiler-report" for v in versions] + [
        f"{v}_system-resources-report" for v in state.hardware
    ]
    stems += [f"{v}_bottleneck-analysis" for v in state.bottlenecks]
    stems += [f"{r['version']}_optimization-changes" for r in state.rounds]
    names = [f"{stem}.md" for stem in stems]
    yield Report(FINAL, "final.md.j2", lambda lang: final_values(state, workdir, lang, names), final_json(state))


def final_json(state: RunState) -> dict[str, Any]:
    """The contract of the final report's JSON twin."""
    comparison = state.final.get("comparison") or {}
    return {
        "before": state.final.get("before") or {},
        "after": state.final.get("after") or {},
        "gain": {"throughput": comparison.get("throughput")},
        "loss_parity": comparison.get("loss_parity"),
        "remedies": [
            {k: r.get(k) for k in ("id", "status", "reason", "version", "risk", "priority", "comparison")}
            for r in state.remedies.values()
        ],
        "original_unchanged": state.original.get("unchanged"),
        "command": {"before": state.start.get("command"), "after": state.final.get("command")},
        "rounds": state.rounds,
        "steps": state.steps,
        "errors": [{k: v for k, v in e.items() if k != "traceback"} for e in state.errors],
        "state": {
            "audits": [
                {k: a[k] for k in ("id", "score", "max", "applicable")} for a in state.analysis.get("audits", ())
            ]
        },
    }


def _meta(state: RunState, lang: str) -> dict[str, Any]:
    detect = state.analysis.get("detect", {})
    start = {
        "original": "",
        "workdir": "",
        "command": None,
        "cwd": ".",
        "goal": "",
        "steps": 0,
        "started": "",
        "engine": "",
    }
    return {
        "start": {**start, **state.start},
        "framework": detect.get("framework", "–"),
        "multi_node": detect.get("multi_node", "–"),
        "parameters": state.analysis.get("parameters"),
        "steps": state.steps,
        "problems": state.analysis.get("problems", ()),
    }


def _audit(audit: Mapping[str, Any], state: RunState) -> Report:
    items = [item for category in audit["categories"] for item in category["items"]]

    def values(lang: str) -> dict[str, Any]:
        say, pick = speaker(lang), picker(lang)
        off = ("recommended", "not_enabled")

        def wanted(level: str) -> list[Any]:
            chosen = [i for i in items if i["priority"] == level and i["status"] in off]
            return sorted(chosen, key=lambda i: i["status"] != "recommended")

        return {
            "audit": audit,
            "names": lambda rows, status: ", ".join(pick(i["title"]) for i in rows if i["status"] == status) or "–",
            "count": lambda status: sum(i["status"] == status for i in items),
            "wanted": wanted,
            "unknown": [i for i in items if i["status"] == "unknown"],
            "recommended": _recommended(items, state),
            "levels": (
                ("P0", say("at once (large gain, no risk)", "立即执行（显著收益，零风险）")),
                ("P1", say("strongly recommended (clear gain, low risk)", "强烈推荐（明显收益，低风险）")),
                ("P2", say("worth trying (test it)", "建议尝试（中等收益，需测试）")),
            ),
        }

    return Report(f"v0_{audit['report']}-report", "audit.md.j2", values, audit)


def _recommended(items: list[Any], state: RunState) -> list[Mapping[str, Any]]:
    """Remedies of the items that are off, with what they set."""
    known = state.analysis.get("remedies", {})
    wanted = [
        r for i in items if i["status"] in ("recommended", "not_enabled") and i["priority"] for r in i["remedies"]
    ]
    return [known[one] for one in dict.fromkeys(wanted) if one in known]


def _profile(state: RunState, version: str) -> Report:
    clean = [t for t in state.trials if t["version"] == version and t["purpose"] != "profile"]
    good = [t for t in clean if t["status"] == "ok"]
    trace = state.traces.get(version, {})
    metrics = {**(good[-1]["metrics"] if good else {}), **trace.get("metrics", {})}
    data = {"version": version, "metrics": metrics, "trace": trace, "runs": clean}

    def values(lang: str) -> dict[str, Any]:
        say = speaker(lang)
        absent = say("The trace holds no GPU work.", "Trace 中没有 GPU 活动。")
        failed = next((t for t in reversed(clean) if t["status"] != "ok"), None)
        return {
            "version": version,
            "status": say("The run failed:", "运行失败：") + f" {failed['error']}" if failed and not good else "",
            "timing": timing_rows(good[-1]["metrics"] if good else {}, lang),
            "ranks": rank_table(good[-1]["ranks"], lang) if good and len(good[-1]["ranks"]) > 1 else "",
            "operators": top_table(trace.get("operators", ()), lang, _no_trace(trace, "operators")),
            "kernels": top_table(trace.get("kernels", ()), lang, _no_trace(trace, "kernels")),
            "gpu": _lines(metrics, ("gpu.busy_percent", "gpu.idle_time_us", "gpu.short_kernel_percent"), absent),
            "memory": _lines(
                metrics,
                ("memory.cuda_peak_mb", "memory.cuda_reserved_mb", "memory.peak_rss_mb"),
                say("Not recorded.", "未记录。"),
            ),
            "syncs": top_table(trace.get("waits", ()), lang, ("No such place was seen.", "没有发现同步阻塞点。")),
            "communication": _lines(
                metrics,
                ("comm.percent", "comm.time_us", "comm.compute_overlap_percent"),
                say("No communication was seen.", "没有发现通信。"),
            ),
            "notes": [*trace.get("notes", ()), *(n for t in good[-1:] for n in t["notes"])],
            "traces": trace.get("files", ()),
        }

    return Report(f"{version}_pytorch-profiler-report", "profile.md.j2", values, data)


def _no_trace(trace: Mapping[str, Any], what: str) -> tuple[str, str]:
    if "error" in trace:
        return f"There is no profile: {trace['error']}.", f"没有 Profile：{trace['error']}。"
    if not trace:
        return "This version was not profiled.", "该版本未进行 Profiling。"
    return f"The trace holds no {what}.", "Trace 中没有相应记录。"


def _lines(metrics: Mapping[str, float], names: tuple[str, ...], missing: str) -> str:
    lines = [f"- `{name}`: {number(metrics[name], 1)}" for name in names if name in metrics]
    return "\n".join(lines) or missing


def _system(state: RunState, version: str) -> Report:
    hardware = state.hardware[version]
    values = {"version": version, "hardware": hardware, "sections": hardware_sections(hardware)}
    return Report(f"{version}_system-resources-report", "system.md.j2", lambda lang: values, hardware)


def _bottlenecks(state: RunState, version: str, items: list[dict[str, Any]]) -> Report:
    reason = next((s["reason"] for s in state.steps if s["number"] == 4 and s["status"] != "done"), "")
    values = {"version": version, "items": items, "static_only": reason}
    return Report(f"{version}_bottleneck-analysis", "bottlenecks.md.j2", lambda lang: values, items)


def _changes(state: RunState, version: str) -> Report:
    own = [r for r in state.remedies.values() if r["version"] == version]
    changes = [
        {**r, **{k: state.applied[r["id"]][k] for k in ("files", "diff")}}
        if r["id"] in state.applied
        else {"files": [], "diff": "", **r}
        for r in own
        if r["status"] in ("verified", "rejected")
    ]
    values = {
        "version": version,
        "changes": changes,
        "refused": [r for r in own if r["status"] == "unverified"],
        "command": _command_of(state, version),
    }
    return Report(f"{version}_optimization-changes", "changes.md.j2", lambda lang: values, values)


def _command_of(state: RunState, version: str) -> str:
    """The launch command after a round."""
    command = state.fork.get("command") or state.start.get("command") or ""
    for change in state.applied.values():
        if change.get("command_after") and int(change["version"][1:]) <= int(version[1:]):
            command = change["command_after"]
    return str(command)


def state_json(state: RunState) -> dict[str, Any]:
    return dataclasses.asdict(state)
