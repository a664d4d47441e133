"""Known findings in a file, so that only new ones are reported."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from gto_rules.errors import UsageError
from gto_rules.evaluate.finding import Finding, Suppression

VERSION = 1


def read_baseline(file: Path) -> Counter[str]:
    """How often each known finding occurs, by what identifies it.

    Raises:
        UsageError: the file is missing or is no baseline.
    """
    try:
        data = json.loads(file.read_text("utf-8"))
        if data["version"] != VERSION:
            raise UsageError(f"{file}: is a baseline of version {data['version']}; this program reads {VERSION}")
        return Counter({_key(row["rule"], row["path"], row["fingerprint"]): 1 for row in data["findings"]})
    except FileNotFoundError:
        raise UsageError(f"there is no baseline {file}", hint="write one with --write-baseline FILE") from None
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file}: is no baseline ({error})", hint="write one with --write-baseline FILE") from error


def _key(rule: str, path: str, fingerprint: str) -> str:
    return f"{rule}\0{path}\0{fingerprint}"


def _seen_from(file: Path, root: Path, path: str) -> str:
    """A path from the folder of the baseline, which is the same wherever the check runs."""
    return os.path.relpath(root / path, file.absolute().parent).replace(os.sep, "/")


def apply_baseline(findings: Iterable[Finding], file: Path, root: Path) -> tuple[list[Finding], list[Finding]]:
    """Findings to report, and those that a baseline knows.

    Args:
        findings: Their paths are relative to ``root``.
        file: The baseline.
        root: The folder of the check.

    Raises:
        UsageError: the file is missing or is no baseline.
    """
    known = read_baseline(file)
    left = Counter(known)
    kept: list[Finding] = []
    suppressed: list[Finding] = []
    for one in findings:
        key = _key(one.rule, _seen_from(file, root, one.path), one.fingerprint)
        if left[key] > 0:
            left[key] -= 1
            suppressed.append(replace(one, suppression=Suppression("baseline")))
        else:
            kept.append(one)
    return kept, suppressed


def write_baseline(file: Path, findings: Iterable[Finding], root: Path) -> int:
    """Write the findings of a check in ``root`` as known; returns how many.

    Raises:
        UsageError: the file cannot be written.
    """
    rows = [
        {
            "rule": f.rule,
            "path": _seen_from(file, root, f.path),
            "fingerprint": f.fingerprint,
            "message": f.message["en"],
        }
        for f in findings
    ]
    text = json.dumps({"version": VERSION, "findings": rows}, ensure_ascii=False, indent=1) + "\n"
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"the baseline {file} cannot be written ({error.strerror or error})") from error
    return len(rows)
