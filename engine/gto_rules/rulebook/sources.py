"""Where a pack may come from: a folder, a revision of a git repository, an installed package.

    acme_rules                                              a folder
    git+https://git.example.org/rules@v1.2#subdirectory=acme_rules
    package:acme_rules                                      announced under the entry-point group gto_rules.packs

Nothing of a source is executed: git runs without hooks, and packages are located, not imported.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import mkdtemp

from gto_rules.errors import UsageError
from gto_rules.rulebook.cache import cache_folder
from gto_rules.rulebook.discover import PACK_FILE

GROUP = "gto_rules.packs"
_GIT = "git+"
_PACKAGE = "package:"
_TIME_LIMIT_S = 300
_NAME = re.compile(r"^name:[ \t]*['\"]?([a-z][a-z0-9_]*)", re.MULTILINE)
# Hooks, prompts and the transports that run a program of the URL's choice are off.
_SAFE = ("core.hooksPath=/dev/null", "core.symlinks=false", "protocol.ext.allow=never", "core.fsmonitor=false")


@dataclass(frozen=True, slots=True)
class GitSource:
    """One revision of a repository. ``folder`` is the pack's place in it, "" for the top."""

    url: str
    revision: str
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A pack on disk. ``commit`` is what a revision stood for when it was fetched, "" for other sources."""

    source: str
    folder: Path
    commit: str = ""


def is_remote(text: str) -> bool:
    """Whether a source is something else than a folder."""
    return text.startswith((_GIT, _PACKAGE))


def find_pack(text: str, base: Path, *, anew: bool = False) -> Found:
    """The pack that a source names.

    Args:
        text: The source.
        base: The folder that relative ones start from.
        anew: Fetch a revision again, though it was fetched before.

    Raises:
        UsageError: the source cannot be understood, fetched or found.
    """
    if text.startswith(_GIT):
        folder, commit = _fetched(parse_git(text), anew)
        return Found(text, folder, commit)
    if text.startswith(_PACKAGE):
        return Found(text, _of_package(text.removeprefix(_PACKAGE)))
    return Found(text, base / text)


def parse_git(text: str) -> GitSource:
    """Take ``git+URL@REVISION[#subdirectory=FOLDER]`` apart.

    Raises:
        UsageError: a part is missing or unsafe.
    """
    address, _, fragment = text.removeprefix(_GIT).partition("#")
    url, at, revision = address.rpartition("@")
    example = "git+https://git.example.org/rules@v1.2#subdirectory=acme_rules"
    # The name before the host has an @ too: the revision stands behind the path.
    if not at or not revision or "/" not in url.partition("://")[2]:
        raise UsageError(f"the pack '{text}' names no revision", hint=f"write it like {example}")
    folder = ""
    if fragment:
        key, _, folder = fragment.partition("=")
        if key != "subdirectory" or not folder:
            raise UsageError(f"'#{fragment}' of the pack '{text}' is not understood", hint=f"write it like {example}")
    if url.startswith("-") or revision.startswith("-") or ".." in folder.split("/") or folder.startswith("/"):
        raise UsageError(f"the pack '{text}' is refused: its revision or folder could lead elsewhere")
    return GitSource(url, revision, folder)


def _fetched(source: GitSource, anew: bool) -> tuple[Path, str]:
    key = blake2b(f"{source.url}\0{source.revision}".encode(), digest_size=12).hexdigest()
    home = cache_folder() / "packs" / key
    if anew or not (home / "commit").is_file():
        _fetch(source, home)
    top = home / "tree"
    folder = top / source.folder
    if not (folder / PACK_FILE).is_file():
        place = f"the folder {source.folder} of " if source.folder else ""
        raise UsageError(
            f"{place}{source.url} at {source.revision} has no {PACK_FILE}",
            hint="name the pack's folder: #subdirectory=FOLDER",
        )
    return _named(folder, home), (home / "commit").read_text("utf-8").strip()


def _named(folder: Path, home: Path) -> Path:
    """The folder under the pack's own name, which the top of a repository does not have."""
    if folder != home / "tree":
        return folder
    name = _NAME.search((folder / PACK_FILE).read_text("utf-8", "replace"))
    if name is None:
        return folder
    link = home / "named" / name[1]
    if not link.exists():
        link.parent.mkdir(exist_ok=True)
        shutil.copytree(folder, link, ignore=shutil.ignore_patterns(".git"))
    return link


def _fetch(source: GitSource, home: Path) -> None:
    home.parent.mkdir(parents=True, exist_ok=True)
    work = Path(mkdtemp(prefix=".fetch-", dir=home.parent))
    try:
        tree = work / "tree"
        _git(source, "init", "--quiet", str(tree))
        try:
            _git(source, "fetch", "--quiet", "--depth=1", "--no-tags", source.url, source.revision, at=tree)
            wanted = "FETCH_HEAD"
        except UsageError:
            # Some servers hand out no single commit by its name: take everything, then look.
            _git(source, "fetch", "--quiet", "--tags", source.url, "+refs/*:refs/remotes/source/*", at=tree)
            wanted = source.revision
        _git(source, "checkout", "--quiet", "--detach", wanted, at=tree)
        commit = _git(source, "rev-parse", "HEAD", at=tree)
        (work / "commit").write_text(commit, "utf-8")
        shutil.rmtree(home, ignore_errors=True)
        try:
            work.rename(home)
        except OSError:  # another process was faster
            if not (home / "commit").is_file():
                raise UsageError(f"{home} cannot be written") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _git(source: GitSource, *words: str, at: Path | None = None) -> str:
    place = ["-C", str(at)] if at is not None else []
    safe = [word for option in _SAFE for word in ("-c", option)]
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
    try:
        done = subprocess.run(
            ["git", *place, *safe, *words], capture_output=True, timeout=_TIME_LIMIT_S, check=False, env=environment
        )
    except FileNotFoundError:
        raise UsageError(f"the pack {source.url} needs git, which is not installed") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"{source.url} did not answer within {_TIME_LIMIT_S} s") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(f"{source.url} at {source.revision} cannot be fetched: {said[-1] if said else 'git failed'}")
    return done.stdout.decode("utf-8", "replace").strip()


def _of_package(name: str) -> Path:
    from difflib import get_close_matches
    from importlib.metadata import entry_points

    announced = {point.name: point for point in entry_points(group=GROUP)}
    if name not in announced:
        near = get_close_matches(name, announced, n=1)
        known = f"did you mean '{near[0]}'?" if near else f"packages announce packs in the entry-point group {GROUP}"
        raise UsageError(f"no installed package announces a pack '{name}'", hint=known)
    point = announced[name]
    module, _, folder = point.value.partition(":")
    inside = Path(*module.strip().split("."), *folder.strip().split("/"))
    places = [Path(str(point.dist.locate_file(inside)))] if point.dist is not None else []
    places += [parent / Path(*inside.parts[1:]) for parent in _package_folders(inside.parts[0])]
    for place in places:
        if (place / PACK_FILE).is_file():
            return place
    raise UsageError(f"the package of the pack '{name}' has no {PACK_FILE} in {inside.as_posix()}")


def _package_folders(name: str) -> list[Path]:
    """Folders of a top-level package, found without importing it."""
    from importlib.util import find_spec

    spec = find_spec(name)
    return [Path(one) for one in spec.submodule_search_locations or ()] if spec is not None else []
