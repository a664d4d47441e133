"""Known findings in a file, so that only new ones are reported."""

from __future__ import annotations

import json
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


def apply_baseline(findings: Iterable[Finding], known: Counter[str]) -> tuple[list[Finding], list[Finding]]:
    """Findings to report, and those that the baseline knows."""
    left = Counter(known)
    kept: list[Finding] = []
    suppressed: list[Finding] = []
    for one in findings:
        key = _key(one.rule, one.path, one.fingerprint)
        if left[key] > 0:
            left[key] -= 1
            suppressed.append(replace(one, suppression=Suppression("baseline")))
        else:
            kept.append(one)
    return kept, suppressed


def write_baseline(file: Path, findings: Iterable[Finding]) -> int:
    """Write the findings as known; returns how many.

    Raises:
        UsageError: the file cannot be written.
    """
    rows = [
        {"rule": f.rule, "path": f.path, "fingerprint": f.fingerprint, "message": f.message["en"]} for f in findings
    ]
    text = json.dumps({"version": VERSION, "findings": rows}, ensure_ascii=False, indent=1) + "\n"
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"the baseline {file} cannot be written ({error.strerror or error})") from error
    return len(rows)
