"""Before/after rows as people read them."""

from __future__ import annotations

from gto_rules.report.tables import figure_rows


def rows(before: dict[str, float], after: dict[str, float], lang: str = "en") -> dict[str, str]:
    return {row["label"]: row["change"] for row in figure_rows(before, after, lang)}


def test_shares_change_by_points_and_all_else_by_per_cent() -> None:
    shown = rows(
        {"dataloader.wait_percent": 28.7, "step.time_ms": 60.0, "cpu.utilisation_percent": 200.0},
        {"dataloader.wait_percent": 59.2, "step.time_ms": 30.0, "cpu.utilisation_percent": 100.0},
    )
    assert shown == {
        "waiting for data (%)": "+30.5 points",
        "time per step, median (ms)": "-50.0 %",
        "CPU use, one core = 100 (%)": "-50.0 %",
    }
    assert rows({"padding.percent": 50.0}, {"padding.percent": 1.0}, "zh") == {"padding 占比（%）": "-49.0 个百分点"}


def test_a_figure_of_one_side_has_no_change() -> None:
    assert rows({}, {"comm.percent": 5.0}) == {"communication (%)": "–"}
    assert rows({"step.time_ms": 0.0}, {"step.time_ms": 5.0}) == {"time per step, median (ms)": "–"}
