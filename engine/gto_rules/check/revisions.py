"""What a change brings: findings that an earlier revision of the same files did not have."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from gto_rules.check.file import FileChecker
from gto_rules.check.ruleset import Selection, rule_set
from gto_rules.check.targets import Target
from gto_rules.errors import UsageError
from gto_rules.evaluate.finding import Finding
from gto_rules.rulebook.model import Rulebook

_TIME_LIMIT_S = 120


@dataclass(frozen=True)
class Changed:
    """A file that differs from a revision. ``before`` is its path there, or None if it is new."""

    path: str
    before: str | None


class Revision:
    """One revision of the repository that a folder lies in."""

    def __init__(self, base: Path, name: str) -> None:
        """Raises ``UsageError`` if git, the repository or the revision is missing."""
        self._base = base
        self.top = Path(os.fsdecode(self._git("rev-parse", "--show-toplevel").rstrip(b"\n")))
        self.commit = self._git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", what=name).decode().strip()

    def _git(self, *words: str, what: str = "") -> bytes:
        command = ["git", "-C", str(self._base), "-c", "core.quotePath=off", *words]
        try:
            done = subprocess.run(command, capture_output=True, timeout=_TIME_LIMIT_S, check=False)
        except FileNotFoundError:
            raise UsageError("--diff needs git, which is not installed") from None
        except subprocess.TimeoutExpired:
            raise UsageError(f"git did not answer within {_TIME_LIMIT_S} s") from None
        if done.returncode:
            if what:
                raise UsageError(f"there is no revision '{what}' in this repository")
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise UsageError(f"git cannot be asked: {said[-1] if said else 'it failed'}")
        return done.stdout

    def changed(self) -> dict[str, Changed]:
        """Files that differ from the revision, untracked ones included, by path relative to the top."""
        listing = self._git("diff", "--no-ext-diff", "--find-renames", "--name-status", "-z", self.commit, "--")
        fields = [os.fsdecode(f) for f in listing.split(b"\0")]
        found: dict[str, Changed] = {}
        at = 0
        while at + 1 < len(fields) and fields[at]:
            kind = fields[at][0]
            if kind in "RC":
                old, new = fields[at + 1], fields[at + 2]
                found[new] = Changed(new, old)
                at += 3
                continue
            if kind != "D":
                found[fields[at + 1]] = Changed(fields[at + 1], None if kind == "A" else fields[at + 1])
            at += 2
        for name in self._git("ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/").split(
            b"\0"
        ):
            if name:
                found.setdefault(os.fsdecode(name), Changed(os.fsdecode(name), None))
        return found

    def content(self, path: str) -> bytes:
        """A file's bytes in the revision."""
        return self._git("cat-file", "blob", f"{self.commit}:{path}")


def only_changed(targets: Sequence[Target], revision: Revision) -> list[tuple[Target, Changed]]:
    """The targets that differ from a revision."""
    changed = revision.changed()
    pairs = []
    for target in targets:
        relative = os.path.relpath(os.path.realpath(target.file), os.path.realpath(revision.top)).replace(os.sep, "/")
        if relative in changed:
            pairs.append((target, changed[relative]))
    return pairs


def known_before(
    pairs: Sequence[tuple[Target, Changed]],
    revision: Revision,
    rulebook: Rulebook,
    selection: Selection | None,
    today: date,
) -> Counter[str]:
    """Fingerprints that the files had in the revision, by shown path, rule and fingerprint."""
    known: Counter[str] = Counter()
    checkers: dict[tuple[Path, Selection], FileChecker] = {}
    for target, change in pairs:
        if change.before is None:
            continue
        wanted = selection or target.config.selection()
        key = (target.root, wanted)
        if key not in checkers:
            checkers[key] = FileChecker(target.root, rule_set(rulebook, wanted), today)
        result = checkers[key].check(target.path, revision.content(change.before))
        known.update(identity(target.shown, one) for one in result.findings)
    return known


def identity(shown: str, one: Finding) -> str:
    return f"{shown}\0{one.rule}\0{one.fingerprint}"


def new_ones(findings: Sequence[Finding], known: Counter[str]) -> list[Finding]:
    """Findings that were not there before."""
    left = Counter(known)
    out = []
    for one in findings:
        key = identity(one.path, one)
        if left[key] > 0:
            left[key] -= 1
        else:
            out.append(one)
    return out
