"""Keep the traceback of an unexpected error in a file instead of on the user's screen."""

from __future__ import annotations

import platform
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from gto_rules import __version__


def write_crash_log(argv: Sequence[str]) -> Path:
    """Write the current exception with the command line and versions; return the file's path."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="gto-rules-crash-", suffix=".log", delete=False, encoding="utf-8"
    ) as log:
        log.write(f"gto-rules {__version__}, Python {platform.python_version()}, {platform.platform()}\n")
        log.write(f"command: {' '.join(argv)}\n\n{traceback.format_exc()}")
    return Path(log.name)
