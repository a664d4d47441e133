"""Packs → rulebook: from the cache if nothing changed, else compiled anew."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gto_rules.errors import Diagnostic, RulebookError
from gto_rules.rulebook import cache
from gto_rules.rulebook.discover import PACK_FILE, builtin_packs, data_root, pack_files
from gto_rules.rulebook.model import Pack, Rule, Rulebook


def load(extra: Sequence[Path] = (), *, use_cache: bool = True) -> Rulebook:
    """Every built-in pack and those in ``extra``, validated and compiled.

    Args:
        extra: Folders of further packs; a pack of the same name replaces a built-in one.
        use_cache: False neither reads nor writes the cache of compiled rules.

    Raises:
        RulebookError: with everything that is wrong in any pack.
    """
    roots = _roots(extra)
    packs = [pack_files(root) for root in roots]
    key = ""
    if use_cache:
        schemas = sorted(data_root("schemas").glob("*.json"))
        key = cache.fingerprint([*schemas, *(path for pack in packs for path in pack.all)])
        stored = _thaw(cache.read_cache(key))
        if stored is not None:
            return stored
    # Only here: reading rules takes YAML and schemas, which a start from the cache should not wait for.
    from gto_rules.rulebook.compile import compile_packs

    rulebook = compile_packs(packs)
    if use_cache:
        cache.write_cache(key, _freeze(rulebook))
    return rulebook


def _roots(extra: Sequence[Path]) -> list[Path]:
    problems = []
    for folder in extra:
        if not (folder / PACK_FILE).is_file():
            what = f"has no {PACK_FILE}" if folder.is_dir() else "is not a folder"
            problems.append(Diagnostic(f"the pack {folder} {what}", hint="give the folder that holds pack.yaml"))
    if problems:
        raise RulebookError(problems)
    given = list(dict.fromkeys(folder.resolve() for folder in extra))
    own = {folder.name for folder in given}
    return [*(p for p in builtin_packs() if p.name not in own), *given]


def _freeze(rulebook: Rulebook) -> Any:
    """The rulebook as plain data for the cache."""
    packs = [(p.name, p.version, p.path, p.framework, p.uses, dict(p.data)) for p in rulebook.packs.values()]
    rules = [(r.id, r.kind, r.pack, dict(r.data), r.path, r.line) for r in rulebook.rules]
    return packs, rules, rulebook.digest


def _thaw(stored: Any) -> Rulebook | None:
    """The rulebook that ``_freeze`` took apart; None if it is not one (written by another state of the engine)."""
    try:
        packs, rules, digest = stored
        return Rulebook({row[0]: Pack(*row) for row in packs}, tuple(Rule(*row) for row in rules), digest)
    except (TypeError, ValueError, LookupError):
        return None
