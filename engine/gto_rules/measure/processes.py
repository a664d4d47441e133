"""Run a command as a process group of its own, and end all of it, and nothing else."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

GRACE_S = 5.0
POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended. ``exit_code`` is None when the time limit ended it."""

    exit_code: int | None
    wall_s: float
    timed_out: bool


def run_group(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    log: Path,
    time_limit_s: float,
    marker: tuple[str, str],
    tick: Callable[[float], None] | None = None,
) -> Finished:
    """Run ``argv`` in a new session with its output in ``log``; leave no process behind.

    Args:
        marker: An environment variable and its value, unique to this run: processes that leave the
            session are found by it.
        tick: Called several times a second with the seconds so far.
    """
    started = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            argv, cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
        try:
            timed_out = not _wait(process, started, time_limit_s, tick)
        finally:
            end_group(process.pid, marker)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=GRACE_S)
    code = None if timed_out else process.returncode
    return Finished(code, time.monotonic() - started, timed_out)


def _wait(process: subprocess.Popen[bytes], started: float, limit: float, tick: Callable[[float], None] | None) -> bool:
    while True:
        try:
            process.wait(timeout=POLL_S)
            return True
        except subprocess.TimeoutExpired:
            elapsed = time.monotonic() - started
            if tick is not None:
                tick(elapsed)
            if elapsed > limit:
                return False


def end_group(session: int, marker: tuple[str, str]) -> None:
    """End every process of a session and every other one that carries the run's marker."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        members = _members(session, marker)
        if not members:
            return
        for pid in members:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        deadline = time.monotonic() + GRACE_S
        while time.monotonic() < deadline and _members(session, marker):
            time.sleep(0.05)


def _members(session: int, marker: tuple[str, str]) -> list[int]:
    import psutil

    found = []
    for process in psutil.process_iter():
        try:
            if process.status() == psutil.STATUS_ZOMBIE or process.pid == os.getpid():
                continue
            if os.getsid(process.pid) == session or process.environ().get(marker[0]) == marker[1]:
                found.append(process.pid)
        except (psutil.Error, ProcessLookupError, PermissionError, OSError):
            continue
    return found
