"""Inputs and expected results of a case that lie in folders beside its test file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gto_rules.errors import Diagnostic
from gto_rules.rulebook.discover import DATA_SUFFIX
from gto_rules.rulebook.places import KeyPath, Placed

# Cases are small examples; what is larger was named by mistake.
FILE_LIMIT = 500
SIZE_LIMIT = 4_000_000

_RULE_ENDINGS = (".yaml", ".yml")


class _RefusedError(Exception):
    """A folder that cannot be taken: why, and what would do."""

    def __init__(self, message: str, expected: str | None = None) -> None:
        super().__init__(message)
        self.expected = expected


def with_files(
    case: Mapping[str, Any], at: KeyPath, placed: Placed, folder: Path, root: Path
) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    """The case with its folders read into ``files`` and into what it expects, and what is wrong with them.

    Args:
        case: One case of a test file.
        at: Where it stands in that file.
        placed: The file.
        folder: The folder of the file, which the names are relative to.
        root: The pack, which no name may leave.
    """
    wrong: list[Diagnostic] = []

    def read(holder: Mapping[str, Any], key: str, into: str, where: KeyPath) -> dict[str, Any]:
        if key not in holder:
            return dict(holder)
        files: dict[str, str] = {}
        try:
            files = _read(str(holder[key]), folder, root)
        except _RefusedError as refused:
            wrong.append(placed.diagnostic(str(refused), (*where, key), expected=refused.expected))
        rest = {name: value for name, value in holder.items() if name != key}
        return {**rest, into: {**files, **(holder.get(into) or {})}}

    whole = read(case, "files_from", "files", at)
    expect = whole.get("expect")
    if isinstance(expect, Mapping):
        expect = read(expect, "files_from", "files", (*at, "expect"))
        whole["expect"] = read(expect, "fixed_from", "fixed", (*at, "expect"))
    return whole, tuple(wrong)


def _read(name: str, folder: Path, root: Path) -> dict[str, str]:
    top = (folder / name).resolve()
    if not top.is_relative_to(root.resolve()) or top == root.resolve():
        raise _RefusedError(f"the folder '{name}' lies outside of the pack", "a folder beside the test file")
    if not top.is_dir():
        raise _RefusedError(f"there is no folder '{name}'", "a folder beside the test file")
    inside = top.relative_to(root.resolve()).parts
    kept_apart = any(part.endswith(DATA_SUFFIX) for part in inside)
    files: dict[str, str] = {}
    size = 0
    for path in _walked(top):
        if not path.resolve().is_relative_to(root.resolve()):
            raise _RefusedError(f"'{path.relative_to(top).as_posix()}' in '{name}' is a link that leaves the pack")
        if path.suffix in _RULE_ENDINGS and not kept_apart:
            raise _RefusedError(
                f"'{name}' holds YAML files, which would be read as rules",
                f"a folder's name that ends in {DATA_SUFFIX}",
            )
        size += path.stat().st_size
        if len(files) >= FILE_LIMIT or size > SIZE_LIMIT:
            raise _RefusedError(f"'{name}' holds more than {FILE_LIMIT} files or {SIZE_LIMIT:,} bytes")
        # Any bytes come through: written again with the same handler, they are the same.
        files[path.relative_to(top).as_posix()] = path.read_bytes().decode("utf-8", "surrogateescape")
    if not files:
        raise _RefusedError(f"the folder '{name}' holds no files")
    return files


def _walked(top: Path) -> Iterator[Path]:
    """Every file below a folder, in path order; folders are not entered through links."""
    for path in sorted(top.iterdir()):
        if path.is_dir() and not path.is_symlink():
            if path.name != "__pycache__":
                yield from _walked(path)
        elif path.is_file() or path.is_symlink():
            if not path.exists():
                raise _RefusedError(f"'{path.name}' is a link to nothing")
            if path.is_dir():
                raise _RefusedError(f"'{path.name}' is a link to a folder", "the files themselves")
            yield path
