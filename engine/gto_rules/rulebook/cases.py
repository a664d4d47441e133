"""The test files that stand beside rules: found and validated here, run by ``loop.rule_cases``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gto_rules.errors import Diagnostic
from gto_rules.location import Location
from gto_rules.rulebook.discover import TEST_SUFFIX, builtin_packs
from gto_rules.rulebook.places import load_placed
from gto_rules.rulebook.validate import check_schema

# Kinds whose rules must have a case where they hold and one where they do not. A launcher is read, it
# does not hold: its cases say what comes out.
TESTED = ("item", "pattern", "finding", "detector", "remedy", "diagnosis", "repair")


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The cases of one rule."""

    rule: str
    path: str
    cases: tuple[Mapping[str, Any], ...]


def read_cases(
    roots: Iterable[Path] | None = None,
) -> tuple[dict[str, CaseFile], tuple[Diagnostic, ...]]:
    """Every test file of the packs, by rule id, and what is wrong with them."""
    found: dict[str, CaseFile] = {}
    wrong: list[Diagnostic] = []
    for root in builtin_packs() if roots is None else [root.resolve() for root in roots]:
        for path in sorted(root.rglob(f"*{TEST_SUFFIX}")):
            name = path.relative_to(root.parent).as_posix()
            try:
                placed = load_placed(path.read_text("utf-8"), name)
            except (OSError, UnicodeDecodeError) as error:
                wrong.append(Diagnostic(f"cannot be read as UTF-8 text: {error}", Location(name, 1)))
                continue
            problems = [*placed.diagnostics]
            if placed.data is not None:
                problems += check_schema(placed, "test", None)
                problems += _misplaced(placed.data, root, path, name)
            wrong += problems
            if not problems:
                found[placed.data["rule"]] = CaseFile(placed.data["rule"], name, tuple(placed.data["cases"]))
    return found, tuple(wrong)


def _misplaced(data: Any, root: Path, path: Path, name: str) -> Iterator[Diagnostic]:
    expected = f"{root.name}/{path.name.removesuffix(TEST_SUFFIX)}"
    rule = data.get("rule") if isinstance(data, dict) else None
    if rule != expected:
        yield Diagnostic(f"the test file names the rule '{rule}'", Location(name, 1), expected=f"rule: {expected}")
    if not path.with_name(path.name.removesuffix(TEST_SUFFIX) + ".yaml").is_file():
        yield Diagnostic("there is no rule beside this test file", Location(name, 1))
