"""Results → reports for people, in English and Chinese, and their JSON twins."""

from __future__ import annotations

from pathlib import Path

from gto_rules.loop.state import RunState

FINAL = "final_optimization-summary"


def write_reports(state: RunState, workdir: Path) -> tuple[Path, ...]:
    """Write every report of a run; see ``report.build``, which is loaded only when it is needed."""
    from gto_rules.report import build

    return build.write_reports(state, workdir)


__all__ = ["FINAL", "write_reports"]
