"""Pack folders → rulebook: read, validate, override, check what they need."""

from __future__ import annotations

import difflib
import hashlib
import re
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
        for name in self.extension_order():
            pack = self.packs[name]
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

    def extension_order(self) -> list[str]:
        """Packs so that each comes behind those that it extends; the last word is the extending pack's."""
        order: list[str] = []
        state: dict[str, int] = {}

        def visit(name: str, ring: tuple[str, ...]) -> None:
            if state.get(name) == _DONE:
                return
            if state.get(name) == _BEGUN:
                said = " → ".join((*ring[ring.index(name) :], name))
                message = f"packs extend each other in a ring: {said}"
                self.diagnostics.append(self.placed_packs[name].diagnostic(message, ("extends",), key=True))
                return
            state[name] = _BEGUN
            for number, wanted in enumerate(self.packs[name].data.get("extends") or ()):
                other = self.extended(name, number, str(wanted))
                if other is not None:
                    visit(other, (*ring, name))
            state[name] = _DONE
            order.append(name)

        for name in self.packs:
            visit(name, ())
        return order

    def extended(self, name: str, number: int, wanted: str) -> str | None:
        """The pack that an entry of ``extends`` names, if it is there in a version that fits."""
        from packaging.specifiers import InvalidSpecifier, SpecifierSet

        placed, at = self.placed_packs[name], ("extends", number)
        found = _EXTENDS.fullmatch(wanted)
        other = found["name"] if found else wanted
        if found is None or other not in self.packs:
            near = difflib.get_close_matches(other, self.packs, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"give it too: --pack {other}"
            self.diagnostics.append(placed.diagnostic(f"there is no pack '{other}'", at, hint=hint))
            return None
        version = self.packs[other].version
        try:
            if not SpecifierSet(found["range"] or "").contains(version, prereleases=True):
                message = f"this pack extends {wanted}, but there is {other} {version}"
                self.diagnostics.append(placed.diagnostic(message, at))
        except InvalidSpecifier:
            message = f"'{found['range']}' is not a range of versions"
            self.diagnostics.append(placed.diagnostic(message, at, hint='for example "acme >=1.2,<2"'))
        return other

    def changed(self, one: Loaded, change: Mapping[str, Any] | None, pack: Placed) -> Loaded:
        """A rule with fields replaced; it must still be one, and its id, kind and pack stay."""
        if not change:
            return one
        rule, at = one.rule, ("override", one.rule.id)
        data, changed = dict(rule.data), dict(one.placed.changed)
        for key, value in change.items():
            if key == "reason":
                continue
            first, *inner = key.split(".")
            if first in _FIXED:
                message = f"'{first}' of a rule cannot be overridden"
                self.diagnostics.append(pack.diagnostic(message, (*at, key), key=True))
                continue
            if inner and not _has(data, (first, *inner)):
                self.diagnostics.append(self.no_such_value(data, (first, *inner), pack, (*at, key)))
                continue
            data[first] = _with(data.get(first), inner, value)
            changed[first] = (pack, at)
        placed = replace(one.placed, data=data, changed=changed)
        wrong = list(check_schema(placed, rule.kind, rule.id))
        self.diagnostics += wrong
        return one if wrong else Loaded(replace(rule, data=data), placed)

    def no_such_value(
        self, data: Mapping[str, Any], keys: tuple[str, ...], pack: Placed, at: tuple[str, ...]
    ) -> Diagnostic:
        """What to say about ``thresholds.shaer.value``."""
        depth = next(n for n in range(len(keys)) if not _has(data, keys[: n + 1]))
        node: Any = data
        for key in keys[:depth]:
            node = node[key]
        known = [str(k) for k in node] if isinstance(node, Mapping) else []
        near = difflib.get_close_matches(keys[depth], known, n=1)
        right = ".".join((*keys[:depth], near[0], *keys[depth + 1 :])) if near else ""
        hint = f"did you mean '{right}'?" if right else (f"there is: {', '.join(known)}" if known else None)
        return pack.diagnostic(f"the rule has no '{'.'.join(keys)}'", at, key=True, hint=hint)

    def needs(self) -> None:
        """What packs say they need: each other, and a version of the engine."""
        from packaging.specifiers import InvalidSpecifier, SpecifierSet

        for name, pack in self.packs.items():
            placed = self.placed_packs[name]
            for number, other in enumerate(pack.data.get("uses") or ()):
                if other not in self.packs:
                    near = difflib.get_close_matches(other, self.packs, n=1)
                    hint = f"did you mean '{near[0]}'?" if near else f"give its folder too: --pack {other}"
                    message = f"there is no pack '{other}'"
                    self.diagnostics.append(placed.diagnostic(message, ("uses", number), hint=hint))
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
_BEGUN, _DONE = 1, 2
_EXTENDS = re.compile(r"(?P<name>[a-z][a-z0-9_]*)[ \t]*(?P<range>[^a-z].*)?")


def _has(data: Any, keys: Sequence[str]) -> bool:
    for key in keys:
        if not isinstance(data, Mapping) or key not in data:
            return False
        data = data[key]
    return True


def _with(data: Any, keys: Sequence[str], value: Any) -> Any:
    """``data`` with the value below ``keys`` replaced; nothing that others hold is changed."""
    if not keys:
        return value
    return {**data, keys[0]: _with(data[keys[0]], keys[1:], value)}
