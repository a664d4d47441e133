"""Configuration of a check: the nearest ``gto-rules.yaml`` or ``[tool.gto-rules]`` above a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

from gto_rules import __version__
from gto_rules.check.ruleset import Selection
from gto_rules.errors import Diagnostic, RulebookError
from gto_rules.location import Location
from gto_rules.rulebook.cache import read_cache, write_cache

NAMES = ("gto-rules.yaml", "gto-rules.yml")
PYPROJECT = "pyproject.toml"
DEFAULTS: Mapping[str, Any] = {
    "select": [],
    "ignore": [],
    "severity": "info",
    "priorities": [],
    "exclude": [],
    "per_path": [],
    "packs": [],
    "baseline": None,
    "fail_on": "info",
    "max_file_kb": 2000,
}
_TABLE = b"tool.gto-rules"


@dataclass(frozen=True)
class PathRule:
    """Rules that are left out in some files."""

    paths: tuple[str, ...]
    ignore: tuple[str, ...]
    reason: str
    until: str | None = None


@dataclass(frozen=True)
class Config:
    """What one configuration file says, defaults filled in.

    Attributes:
        folder: Folder of the file; globs and paths in it are relative to this.
        file: The file, or None where none was found.
        data: Its content.
        places: (line, column) by key.
    """

    folder: Path
    file: Path | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, int] = field(default_factory=dict)

    def _get(self, name: str) -> Any:
        return self.data.get(name, DEFAULTS[name])

    @cached_property
    def exclude(self) -> tuple[str, ...]:
        return tuple(self._get("exclude"))

    @cached_property
    def per_path(self) -> tuple[PathRule, ...]:
        rows = self._get("per_path")
        return tuple(PathRule(tuple(r["paths"]), tuple(r["ignore"]), r["reason"], r.get("until")) for r in rows)

    @property
    def packs(self) -> tuple[str, ...]:
        return tuple(self._get("packs"))

    @property
    def max_bytes(self) -> int:
        return 1000 * int(self._get("max_file_kb"))

    @property
    def fail_on(self) -> str:
        return str(self._get("fail_on"))

    @property
    def baseline(self) -> Path | None:
        return self.folder / self.data["baseline"] if "baseline" in self.data else None

    def selection(self) -> Selection:
        return Selection(
            tuple(self._get("select")),
            tuple(self._get("ignore")),
            self._get("severity"),
            tuple(self._get("priorities")),
        )


class Configs:
    """The configuration of every folder, each file read once."""

    def __init__(self, given: Path | None = None) -> None:
        """``given``: the one file to use for everything."""
        self._given = load_config(given) if given is not None else None
        self._folders: dict[Path, Config | None] = {}

    def of(self, folder: Path) -> Config:
        """The configuration for the files of an absolute folder."""
        if self._given is not None:
            return self._given
        return self._above(folder) or Config(folder)

    def _above(self, folder: Path) -> Config | None:
        if folder not in self._folders:
            own = _in_folder(folder)
            if own is None and folder.parent != folder and not (folder / ".git").exists():
                own = self._above(folder.parent)
            self._folders[folder] = own
        return self._folders[folder]


def _in_folder(folder: Path) -> Config | None:
    for name in NAMES:
        if (folder / name).is_file():
            return load_config(folder / name)
    file = folder / PYPROJECT
    try:
        if file.is_file() and _TABLE in file.read_bytes():
            return load_config(file)
    except OSError:
        return None
    return None


def load_config(file: Path) -> Config:
    """Read and validate a configuration file.

    Raises:
        RulebookError: with everything that is wrong in it.
    """
    try:
        raw = file.read_bytes()
    except OSError as error:
        message = f"the configuration cannot be read ({error.strerror or error})"
        raise RulebookError([Diagnostic(message, Location(str(file), 1))]) from error
    # Reading takes a parser and schemas, which a check of one file should not wait for.
    key = blake2b(f"config {__version__} {file}\0".encode() + raw, digest_size=16).hexdigest()
    stored = read_cache(key)
    if stored is None:
        stored = _read(file, raw)
        write_cache(key, stored)
    data, places = stored
    return Config(file.parent, file, data, places)


def _read(file: Path, raw: bytes) -> tuple[dict[str, Any], dict[str, int]]:
    from gto_rules.rulebook.places import Placed, load_placed
    from gto_rules.rulebook.validate import check_schema

    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RulebookError([Diagnostic("is not UTF-8 text", Location(str(file), 1))]) from error
    if file.suffix != ".toml":
        placed = load_placed(text, str(file))
        empty = placed.data is None and not text.strip()
        if placed.data is None and not empty:
            raise RulebookError(placed.diagnostics)
        if empty:
            placed = Placed(str(file), {}, {}, ())
    else:
        placed = _toml(file, raw, text)
    wrong = [*placed.diagnostics, *check_schema(placed, "config", None)]
    if wrong:
        raise RulebookError(wrong)
    places = {str(at[0]): where[0] for at, where in placed.places.items() if len(at) == 1}
    return dict(placed.data), places


def _toml(file: Path, raw: bytes, text: str) -> Any:
    """The table ``[tool.gto-rules]`` with the places of its keys."""
    from gto_rules.documents import parse, source_from_bytes
    from gto_rules.documents.model import DataDocument, to_python
    from gto_rules.documents.model import Mapping as Node
    from gto_rules.rulebook.places import KeyPath, Placed

    document = parse(source_from_bytes(raw, str(file)), "toml")
    if document.problems or not isinstance(document, DataDocument):
        problem = document.problems[0] if document.problems else None
        line = problem.line if problem and problem.line else 1
        raise RulebookError([Diagnostic(problem.message if problem else "is not TOML", Location(str(file), line))])
    entry = document.find("tool", "gto-rules")
    if entry is None or not isinstance(entry.value, Node):
        return Placed(str(file), {}, {}, ())
    places: dict[KeyPath, tuple[int, int]] = {}
    _places(document, entry.value, (), places)
    return Placed(str(file), to_python(entry.value), places, tuple(text.splitlines()))


def _places(document: Any, node: Any, at: tuple[str | int, ...], places: dict[Any, tuple[int, int]]) -> None:
    from gto_rules.documents.model import Mapping as Node
    from gto_rules.documents.model import Sequence

    places[at] = document.source.position(node.span.start)
    if isinstance(node, Node):
        for entry in node.entries:
            key = (*at, entry.key, "<key>")
            places[key] = document.source.position(entry.key_span.start)
            _places(document, entry.value, (*at, entry.key), places)
    elif isinstance(node, Sequence):
        for number, item in enumerate(node.items):
            _places(document, item, (*at, number), places)
