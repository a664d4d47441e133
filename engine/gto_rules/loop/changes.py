"""The changes of a run in the fork: applied, taken back, and put back and forth for comparison."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Any

from gto_rules.loop.run import Run
from gto_rules.patch.model import Applied
from gto_rules.patch.write import combined_diff, put


def applied_json(applied: Applied, data: Mapping[str, Any], version: str) -> dict[str, Any]:
    """An applied fix as an event from which it can be undone, even by another process."""
    return {
        "id": applied.fix.remedy,
        "version": version,
        "title": data["title"],
        "why": data["why"],
        "risk": applied.fix.risk,
        "files": [change.path for change in applied.changes],
        "diff": "".join(change.diff for change in applied.changes),
        "command_before": applied.command_before,
        "command_after": applied.command_after,
        "changes": [
            {"path": change.path, "before": _packed(change.before), "after": _packed(change.after)}
            for change in applied.changes
        ],
    }


def _packed(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode("ascii")


def _unpacked(content: str | None) -> bytes | None:
    return None if content is None else base64.b64decode(content)


def switch(run: Run, changes: Iterable[Mapping[str, Any]], side: str) -> str | None:
    """Make the fork show the state before or after some changes; returns the command of that state.

    Args:
        changes: ``applied`` events, in order of application.
        side: ``before`` or ``after``.
    """
    ordered = list(changes)
    for change in ordered if side == "after" else reversed(ordered):
        for one in change["changes"]:
            put(run.fork, one["path"], _unpacked(one[side]))
    key = f"command_{side}"
    with_command = [c for c in ordered if c.get("command_after")]
    if not with_command:
        return run.command
    chosen: str | None = with_command[-1 if side == "after" else 0][key]
    return chosen


def write_patches(run: Run) -> list[str]:
    """One patch file per remedy that is in place, and one for all; returns their names."""
    folder = run.options.workdir / "patches"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.patch"):
        old.unlink()
    names = []
    for number, change in enumerate(run.state.applied.values(), 1):
        name = f"{number:02d}-{change['id'].replace('/', '-')}.patch"
        (folder / name).write_bytes(change["diff"].encode("utf-8", "surrogateescape"))
        names.append(name)
    touched = {one["path"] for change in run.state.applied.values() for one in change["changes"]}
    if touched:
        (folder / "all.patch").write_bytes(combined_diff(run.fork, run.options.project, touched))
        names.append("all.patch")
    return names
