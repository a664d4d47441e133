"""Pieces of reports that are built rather than written: tables of figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gto_rules.report.text import cell, change, code, number, points_change, speaker, table

# Figure → its name for people (English, Chinese), digits, and whether less is better.
FIGURES: dict[str, tuple[str, str, int]] = {
    "step.time_ms": ("time per step, median (ms)", "每步耗时（中位数，ms）", 1),
    "step.time_p90_ms": ("time per step, 90th percentile (ms)", "每步耗时（P90，ms）", 1),
    "throughput.samples_per_s": ("throughput (samples/s)", "训练吞吐（samples/s）", 1),
    "throughput.tokens_per_s": ("throughput (tokens/s)", "训练吞吐（tokens/s）", 0),
    "throughput.steps_per_s": ("throughput (steps/s)", "训练吞吐（steps/s）", 2),
    "dataloader.wait_percent": ("waiting for data (%)", "等待数据占比（%）", 1),
    "dataloader.wait_ms": ("waiting for data per step (ms)", "每步等待数据（ms）", 1),
    "padding.percent": ("padding among tokens (%)", "padding 占比（%）", 1),
    "memory.cuda_peak_mb": ("peak GPU memory (MB)", "GPU 显存峰值（MB）", 0),
    "memory.peak_rss_mb": ("peak memory of the process (MB)", "进程内存峰值（MB）", 0),
    "gpu.busy_percent": ("GPU busy (%)", "GPU 利用率（%）", 1),
    "comm.percent": ("communication (%)", "通信占比（%）", 1),
    "cpu.utilisation_percent": ("CPU use, one core = 100 (%)", "CPU 使用率（单核=100%）", 0),
    "loss.mean": ("mean loss over the run", "平均损失", 4),
}

_SHARES = frozenset(n for n in FIGURES if n.endswith(("_percent", ".percent"))) - {"cpu.utilisation_percent"}


def figure_rows(before: Mapping[str, float], after: Mapping[str, float], lang: str) -> list[dict[str, str]]:
    """Rows of the before/after table, for figures that either side has."""
    say = speaker(lang)
    rows = []
    for name, (en, zh, digits) in FIGURES.items():
        if name in before or name in after:
            a, b = before.get(name), after.get(name)
            rows.append(
                {
                    "label": say(en, zh),
                    "before": number(a, digits),
                    "after": number(b, digits),
                    "change": points_change(a, b, lang) if name in _SHARES else change(a, b),
                }
            )
    return rows


def timing_rows(metrics: Mapping[str, float], lang: str) -> list[tuple[str, str, str]]:
    say = speaker(lang)
    return [(n, say(en, zh), number(metrics[n], d)) for n, (en, zh, d) in FIGURES.items() if n in metrics]


def top_table(rows: Sequence[Mapping[str, Any]], lang: str, missing: tuple[str, str]) -> str:
    """A top-ten list of operators or kernels."""
    say = speaker(lang)
    if not rows:
        return say(*missing)
    head = [
        "#",
        say("name", "名称"),
        say("own time (ms)", "自身耗时（ms）"),
        say("calls", "次数"),
        say("share", "占比"),
    ]
    return table(
        head,
        (
            [n, code(r["name"]), number(r["time_us"] / 1000, 2), number(r["calls"]), f"{100 * r['share']:.1f} %"]
            for n, r in enumerate(rows, 1)
        ),
    )


def rank_table(ranks: Mapping[str, Mapping[str, float]], lang: str) -> str:
    say = speaker(lang)
    names = [n for n in FIGURES if all(n in values for values in ranks.values())]
    head = ["rank", *(say(*FIGURES[n][:2]) for n in names)]
    return table(head, ([rank, *(number(v[n], FIGURES[n][2]) for n in names)] for rank, v in sorted(ranks.items())))


def hardware_sections(hardware: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Titles and tables of the system-resources report."""
    cpu, memory, disks = hardware.get("cpu", {}), hardware.get("memory", {}), hardware.get("disks", {})
    sections = [
        _section("CPU", "CPU 信息", _pairs(cpu, skip=("numa",))),
        _section("NUMA", "NUMA", table(["node", "CPUs"], ([n["node"], n["cpus"]] for n in cpu.get("numa", ())))),
        _section("Memory", "内存信息", _pairs(memory)),
        _section("GPU", "GPU 信息", _gpus(hardware.get("gpus", ()))),
        _section("GPU topology", "GPU 拓扑", _links(hardware.get("gpus", ()))),
        _section("Disks", "磁盘信息", _pairs(disks, skip=("devices",)) + "\n\n" + _rows(disks.get("devices", ()))),
        _section("Network", "网卡信息", _rows(hardware.get("network", ()))),
        _section("System and tools", "系统与工具", _pairs({**hardware.get("system", {}), **hardware.get("tools", {})})),
    ]
    return [section for section in sections if section["body"]]


def _section(en: str, zh: str, body: str) -> dict[str, Any]:
    return {"title": {"en": en, "zh": zh}, "body": body}


def _value(value: Any) -> str:
    if isinstance(value, float):
        return number(value, 2)
    return "–" if value is None else cell(value)


def _pairs(data: Mapping[str, Any], skip: tuple[str, ...] = ()) -> str:
    return table(["", ""], ([key, _value(value)] for key, value in data.items() if key not in skip))


def _rows(rows: Sequence[Mapping[str, Any]]) -> str:
    keys = list(dict.fromkeys(key for row in rows for key in row))
    return table(keys, ([_value(row.get(key)) for key in keys] for row in rows)) if keys else ""


def _gpus(gpus: Sequence[Mapping[str, Any]]) -> str:
    return _rows([{k: v for k, v in gpu.items() if k not in ("links", "numa_cpus")} for gpu in gpus])


def _links(gpus: Sequence[Mapping[str, Any]]) -> str:
    return _rows([{"GPU": gpu["index"], **gpu["links"]} for gpu in gpus if gpu.get("links")])
