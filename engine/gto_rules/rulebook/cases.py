"""The test files that stand beside rules: found and validated here, run by ``loop.rule_cases``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gto_rules.errors import Diagnostic
from gto_rules.location import Location
from gto_rules.rulebook.case_files import with_files
from gto_rules.rulebook.discover import DATA_SUFFIX, FOLDERS, TEST_SUFFIX, builtin_packs
from gto_rules.rulebook.expectations import check_expectation
from gto_rules.rulebook.places import Placed, load_placed
from gto_rules.rulebook.validate import check_schema

# Kinds whose rules must have a case where they hold and one where they do not. A launcher is read, it
# does not hold: its cases say what comes out.
TESTED = ("item", "pattern", "finding", "detector", "remedy", "diagnosis", "repair")


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The cases of one rule.

    Attributes:
        rule: Id of the rule.
        path: The test file, relative to the folder that holds its pack.
        cases: Its cases; what lies in folders beside the file is already in ``files``.
        file: The test file on disk.
        lines: Line of each case.
    """

    rule: str
    path: str
    cases: tuple[Mapping[str, Any], ...]
    file: Path = Path()
    lines: tuple[int, ...] = ()


def read_cases(
    roots: Iterable[Path] | None = None,
) -> tuple[dict[str, CaseFile], tuple[Diagnostic, ...]]:
    """Every test file of the packs, by rule id, and what is wrong with them."""
    found: dict[str, CaseFile] = {}
    wrong: list[Diagnostic] = []
    for root in builtin_packs() if roots is None else [root.resolve() for root in roots]:
        for path in sorted(root.rglob(f"*{TEST_SUFFIX}")):
            if any(part.endswith(DATA_SUFFIX) for part in path.relative_to(root).parts):
                continue
            one, problems = _read(path, root)
            wrong += problems
            if one is not None:
                found[one.rule] = one
    return found, tuple(wrong)


def _read(path: Path, root: Path) -> tuple[CaseFile | None, list[Diagnostic]]:
    name = path.relative_to(root.parent).as_posix()
    try:
        placed = load_placed(path.read_text("utf-8"), name)
    except (OSError, UnicodeDecodeError) as error:
        return None, [Diagnostic(f"cannot be read as UTF-8 text: {error}", Location(name, 1))]
    problems = [*placed.diagnostics]
    if placed.data is not None:
        problems += check_schema(placed, "test", None)
        problems += _misplaced(placed.data, root, path, name)
    if problems:
        return None, problems
    cases, problems = _cases(placed, path, root)
    lines = tuple(placed.places.get(("cases", number), (1, 1))[0] for number in range(len(cases)))
    return None if problems else CaseFile(placed.data["rule"], name, tuple(cases), path, lines), problems


def _cases(placed: Placed, path: Path, root: Path) -> tuple[list[Mapping[str, Any]], list[Diagnostic]]:
    """The cases with the files that lie beside them."""
    kind = FOLDERS.get(path.relative_to(root).parts[0], "")
    cases: list[Mapping[str, Any]] = []
    problems: list[Diagnostic] = []
    for number, written in enumerate(placed.data["cases"]):
        case, wrong = with_files(written, ("cases", number), placed, path.parent, root)
        problems += wrong or check_expectation(kind, case["expect"], ("cases", number, "expect"), placed)
        cases.append(case)
    return cases, problems


def _misplaced(data: Any, root: Path, path: Path, name: str) -> Iterator[Diagnostic]:
    expected = f"{root.name}/{path.name.removesuffix(TEST_SUFFIX)}"
    rule = data.get("rule") if isinstance(data, dict) else None
    if rule != expected:
        yield Diagnostic(f"the test file names the rule '{rule}'", Location(name, 1), expected=f"rule: {expected}")
    if not path.with_name(path.name.removesuffix(TEST_SUFFIX) + ".yaml").is_file():
        yield Diagnostic("there is no rule beside this test file", Location(name, 1))
