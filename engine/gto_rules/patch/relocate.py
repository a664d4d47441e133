"""Absolute paths into the original → the same paths in the fork."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gto_rules.documents import source_from_bytes
from gto_rules.documents.model import SourceText
from gto_rules.project.project import Project

# Kinds of files that say where things lie; data and binary files are left alone.
KINDS = (
    "python",
    "notebook",
    "yaml",
    "json",
    "toml",
    "ini",
    "shell",
    "makefile",
    "dockerfile",
    "compose",
    "conda",
    "requirements",
    "setup_cfg",
    "setup_py",
    "pyproject",
)
# Files without a kind that hold settings, environments, or lists of hosts and files.
PATTERNS = ("*.conf", "*.config", "*.env", ".env*", "*.properties", "*.xml", "*.txt", "*.lst", "*.list", "hostfile*")
LIMIT_BYTES = 5_000_000
# What goes on with a file name rather than ending it; a dot may end a sentence.
_NAME_GOES_ON = r"(?![\w+@%$*{~=-]|\.\w)"


@dataclass(frozen=True, slots=True)
class Relocation:
    """One file of the fork in which paths were rewritten; ``problem`` says why that could not be done."""

    path: str
    count: int
    problem: str = ""


def relocate_text(text: str, original: Path, fork: Path, *, home: Path | None = None) -> tuple[str, int]:
    """``text`` with every mention of the original's folder replaced by the fork's.

    Only whole path components count: ``/data/run`` does not match in ``/data/run2`` or ``/x/data/run``.

    Args:
        original: Absolute path. Its real path counts too, and spaces written as a shell wants them.
        fork: Absolute path that takes its place.
        home: Home folder of the user; with it ``~/run`` and ``$HOME/run`` are also the original.
    """
    return _pattern(original, fork, home).subn(lambda found: _as_written(found[0], fork), text)


def _as_written(old: str, fork: Path) -> str:
    return _for_shell(str(fork)) if "\\" in old else str(fork)


@lru_cache(maxsize=8)
def _pattern(original: Path, fork: Path, home: Path | None) -> re.Pattern[str]:
    spellings = sorted(set(_spellings(original, home)), key=len, reverse=True)
    # A copy that lies inside the original has the original's path as its own beginning.
    inside = [re.escape(str(fork)[len(one) :]) for one in spellings if str(fork).startswith(one + os.sep)]
    not_yet = "".join(f"(?!{one}{_NAME_GOES_ON})" for one in inside)
    words = "|".join(map(re.escape, spellings))
    return re.compile(rf"(?:(?<![\w./~$}}-])|(?<=file://))(?:{words}){_NAME_GOES_ON}{not_yet}")


def _spellings(original: Path, home: Path | None) -> Iterator[str]:
    for path in {original, Path(os.path.realpath(original))}:
        yield str(path)
        yield _for_shell(str(path))
        if home is not None and path.is_relative_to(home) and path != home:
            below = path.relative_to(home)
            for start in ("~", "$HOME", "${HOME}"):
                yield f"{start}/{below}"
                yield f"{start}/{_for_shell(str(below))}"


def _for_shell(path: str) -> str:
    return re.sub(r"([\s'\"()&;$`\\])", r"\\\1", path)


def relocate(project: Project, original: Path, *, home: Path | None = None) -> tuple[Relocation, ...]:
    """Rewrite paths in the files of a fork; encodings and all other bytes stay.

    Args:
        project: The fork.
        original: The folder that it was copied from.
        home: See ``relocate_text``.
    """
    needles = [one.encode() for one in _spellings(original, home)]
    fork = Path(os.path.realpath(project.root))
    changed = []
    for path in _candidates(project):
        place = project.root / path
        if place.is_symlink():  # the file itself is in the list too, or is not the project's
            continue
        source = source_from_bytes(project.raw(path), path)
        if any(needle in source.text for needle in needles):
            text, count = relocate_text(source.text.decode("utf-8"), original, fork, home=home)
            if count:
                changed.append(_written(place, source, text, count))
    return tuple(changed)


def _candidates(project: Project) -> Iterable[str]:
    named = [path for pattern in PATTERNS for path in project.glob(pattern)]
    paths = dict.fromkeys((*project.files_of(*KINDS), *named))
    return (path for path in paths if 0 < project.size(path) <= LIMIT_BYTES)


def _written(place: Path, source: SourceText, text: str, count: int) -> Relocation:
    try:
        place.write_bytes(source.encode(text.encode("utf-8")))
    except UnicodeEncodeError:
        return Relocation(source.path, 0, f"the copy's path cannot be written as {source.encoding}")
    return Relocation(source.path, count)
