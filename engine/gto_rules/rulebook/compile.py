"""Pack folders → rulebook: read, validate, override, check what they need."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gto_rules import __version__
from gto_rules.errors import Diagnostic, RulebookError
from gto_rules.location import Location
from gto_rules.rulebook.discover import FOLDERS, PACK_FILE, PackFiles
from gto_rules.rulebook.model import Pack, Rule, Rulebook
from gto_rules.rulebook.places import Placed, load_placed
from gto_rules.rulebook.references import Loaded, check_references
from gto_rules.rulebook.validate import check_schema, kinds


def compile_packs(packs: Sequence[PackFiles]) -> Rulebook:
    """Read and check pack folders; every error of all of them is raised at once."""
    compiler = _Compiler()
    for files in packs:
        compiler.pack(files)
    compiler.override()
    compiler.needs()
    if not compiler.diagnostics:
        compiler.diagnostics += check_references(compiler.loaded)
    if compiler.diagnostics:
        raise RulebookError(sorted(compiler.diagnostics, key=lambda d: d.location or Location("", 0)))
    rules = tuple(sorted((one.rule for one in compiler.loaded), key=lambda r: (r.kind, r.id)))
    return Rulebook(compiler.packs, rules, compiler.digest.hexdigest())


@dataclass
class _Compiler:
    loaded: list[Loaded] = field(default_factory=list)
    packs: dict[str, Pack] = field(default_factory=dict)
    placed_packs: dict[str, Placed] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    digest: Any = field(default_factory=lambda: hashlib.blake2b(digest_size=16))

    def read(self, path: Path, base: Path) -> Placed:
        name = path.relative_to(base.parent).as_posix()
        try:
            raw = path.read_bytes()
            text = raw.decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            self.diagnostics.append(Diagnostic(f"cannot be read as UTF-8 text: {error}", Location(name, 1)))
            return Placed(name)
        self.digest.update(name.encode() + b"\0" + raw)
        placed = load_placed(text, name)
        self.diagnostics += placed.diagnostics
        return placed

    def pack(self, files: PackFiles) -> None:
        placed = self.read(files.root / PACK_FILE, files.root)
        if placed.data is None:
            return
        wrong = list(check_schema(placed, "pack", None))
        self.diagnostics += wrong
        data = placed.data if isinstance(placed.data, dict) else {}
        name = str(data.get("name", files.root.name))
        if name != files.root.resolve().name:
            expected = f"name: {files.root.resolve().name}"
            self.diagnostics.append(
                placed.diagnostic("the pack's name is not its folder's", ("name",), expected=expected)
            )
        for path in files.strangers:
            folders = ", ".join(sorted(FOLDERS))
            message = "this file lies in no folder of rules (or does not end in .yaml), so it would never be read"
            place = Location(path.relative_to(files.root.parent).as_posix(), 1)
            self.diagnostics.append(Diagnostic(message, place, expected=f"one of the folders: {folders}"))
        if not files.rules and not data.get("override") and not data.get("disable"):
            self.diagnostics.append(placed.diagnostic("the pack holds no rules", ()))
        if not wrong:
            self.packs[name] = Pack(
                name, data["version"], files.root.name, data.get("framework"), tuple(data.get("uses", ())), data
            )
            self.placed_packs[name] = placed
        for path in files.rules:
            self.rule(path, files.root, name)

    def rule(self, path: Path, root: Path, pack: str) -> None:
        placed = self.read(path, root)
        if placed.data is None:
            return
        if not isinstance(placed.data, dict):
            self.diagnostics.append(placed.diagnostic("a rule file is a mapping of keys", ()))
            return
        kind, rule_id = placed.data.get("kind"), placed.data.get("id")
        wanted = FOLDERS[path.relative_to(root).parts[0]]
        known = kinds()
        if not isinstance(kind, str) or kind not in known:
            near = difflib.get_close_matches(str(kind), known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else None
            message = f"unknown kind '{kind}'" if kind else "the key 'kind' is missing"
            self.diagnostics.append(placed.diagnostic(message, ("kind",), expected=f"kind: {wanted}", hint=hint))
            return
        if kind != wanted:
            message = f"a file of kind '{kind}' lies in the folder for '{wanted}'"
            self.diagnostics.append(placed.diagnostic(message, ("kind",), expected=f"kind: {wanted}"))
        wrong = list(check_schema(placed, kind, str(rule_id)))
        self.diagnostics += wrong
        expected = f"{pack}/{path.stem}"
        if rule_id != expected and isinstance(rule_id, str):
            message = f"the id '{rule_id}' is not the pack's name and the file's"
            self.diagnostics.append(placed.diagnostic(message, ("id",), expected=f"id: {expected}"))
        if isinstance(rule_id, str) and rule_id in self.ids:
            self.diagnostics.append(
                placed.diagnostic(f"the id '{rule_id}' is already used in {self.ids[rule_id]}", ("id",))
            )
        elif not wrong and isinstance(rule_id, str):
            self.ids[rule_id] = placed.path
            line, _ = placed.places.get(("id",), (1, 1))
            self.loaded.append(Loaded(Rule(rule_id, kind, pack, placed.data, placed.path, line), placed))

    def override(self) -> None:
        """Apply every pack's overrides and removals to the rules of other packs."""
        for name, pack in self.packs.items():
            changes: Mapping[str, Any] = pack.data.get("override") or {}
            removed: Mapping[str, Any] = pack.data.get("disable") or {}
            for target in [*changes, *removed]:
                if target not in self.ids:
                    near = difflib.get_close_matches(str(target), self.ids, n=1)
                    hint = f"did you mean '{near[0]}'?" if near else None
                    key = "override" if target in changes else "disable"
                    placed = self.placed_packs[name]
                    self.diagnostics.append(
                        placed.diagnostic(f"there is no rule '{target}'", (key, target), key=True, hint=hint)
                    )
            self.loaded = [
                self.changed(one, changes.get(one.rule.id), self.placed_packs[name])
                for one in self.loaded
                if one.rule.id not in removed
            ]

    def changed(self, one: Loaded, change: Mapping[str, Any] | None, pack: Placed) -> Loaded:
        """A rule with fields replaced; it must still be one, and its id, kind and pack stay."""
        if not change:
            return one
        rule, at = one.rule, ("override", one.rule.id)
        for key in _FIXED & change.keys():
            self.diagnostics.append(pack.diagnostic(f"'{key}' of a rule cannot be overridden", (*at, key), key=True))
        fields = {key: value for key, value in change.items() if key != "reason" and key not in _FIXED}
        data = {**rule.data, **fields}
        placed = replace(one.placed, data=data, changed={**one.placed.changed, **dict.fromkeys(fields, (pack, at))})
        wrong = list(check_schema(placed, rule.kind, rule.id))
        self.diagnostics += wrong
        return one if wrong else Loaded(replace(rule, data=data), placed)

    def needs(self) -> None:
        """What packs say they need: each other, and a version of the engine."""
        from packaging.specifiers import InvalidSpecifier, SpecifierSet

        for name, pack in self.packs.items():
            placed = self.placed_packs[name]
            for key in ("uses", "extends"):
                for number, other in enumerate(pack.data.get(key) or ()):
                    if other not in self.packs:
                        near = difflib.get_close_matches(other, self.packs, n=1)
                        hint = f"did you mean '{near[0]}'?" if near else f"give its folder too: --pack {other}"
                        message = f"there is no pack '{other}'"
                        self.diagnostics.append(placed.diagnostic(message, (key, number), hint=hint))
            wanted = pack.data.get("engine", "")
            try:
                fits = SpecifierSet(wanted).contains(__version__, prereleases=True)
                message = f"this pack needs another version of the engine (this is {__version__})"
            except InvalidSpecifier:
                fits, message = False, f"'{wanted}' is not a range of versions"
            if not fits:
                self.diagnostics.append(placed.diagnostic(message, ("engine",), hint='for example ">=0.1"'))


# What makes a rule that rule: overriding one of these would make another.
_FIXED = frozenset(("kind", "schema", "id"))
