"""Say what is going on: live on a terminal, one plain line per step elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TextIO


class Progress:
    """Prints steps and short notes to a stream (standard error by default).

    On a terminal the current note is rewritten in place; otherwise (CI, a pipe) only steps and
    lasting notes are printed, so that logs stay short.
    """

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self.stream = stream if stream is not None else sys.stderr
        self.quiet = quiet
        self.live = not quiet and self.stream.isatty()
        self._started = time.monotonic()
        self._pending = False

    def step(self, number: int, total: int, title: str) -> None:
        """Begin a step; stays on the screen."""
        self._line(f"[{number}/{total}] {title}")

    def note(self, text: str) -> None:
        """A result worth keeping; stays on the screen."""
        self._line(f"      {text}")

    def busy(self, text: str) -> None:
        """What is happening right now; replaced by the next line. Silent without a terminal."""
        if self.live:
            elapsed = time.monotonic() - self._started
            self.stream.write(f"\r\x1b[2K      … {text} ({elapsed:.0f} s)")
            self.stream.flush()
            self._pending = True

    def _line(self, text: str) -> None:
        if self.quiet:
            return
        if self._pending:
            self.stream.write("\r\x1b[2K")
            self._pending = False
        self.stream.write(text + "\n")
        self.stream.flush()
