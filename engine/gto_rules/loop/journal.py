"""The append-only record of a run: one JSON object a line, on disk before anything else happens.

Every report can be rebuilt from it, and a stopped run goes on from it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from gto_rules.errors import UsageError

FILE_NAME = "journal.jsonl"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. ``time`` is ISO 8601 in UTC; ``data`` is plain JSON."""

    name: str
    time: str
    data: Mapping[str, Any]


class Journal:
    """Appends events to ``<workdir>/journal/journal.jsonl`` and reads them back."""

    def __init__(self, workdir: Path) -> None:
        self.path = workdir / "journal" / FILE_NAME

    def create(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()

    def append(self, name: str, data: Mapping[str, Any]) -> Event:
        """Write one event and force it to disk, so that no crash can lose it."""
        event = Event(name, datetime.now(timezone.utc).isoformat(timespec="milliseconds"), data)
        line = json.dumps({"event": name, "time": event.time, "data": data}, ensure_ascii=False, default=str)
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        return event

    def events(self) -> Iterator[Event]:
        """Every event in order. A last line cut off by a crash is left out.

        Raises:
            UsageError: there is no journal, or a line before the last is not JSON.
        """
        if not self.path.is_file():
            raise UsageError(f"{self.path.parent.parent} is not a work directory of gto-rules: {self.path} is missing")
        lines = self.path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            try:
                record = json.loads(line)
                yield Event(record["event"], record["time"], record["data"])
            except (ValueError, KeyError, TypeError) as error:
                if number == len(lines):
                    return
                raise UsageError(f"{self.path}:{number}: this line is not a journal record ({error})") from error
