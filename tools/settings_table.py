#!/usr/bin/env python3
"""Writes a ``kind: settings`` table out of a framework's own sources.

    settings_table.py RECIPE [--sheet FILE.tsv] [--release VERSION=DIR ...] [--check]

A recipe (``tools/settings_recipes/*.yaml``) holds what no source says: the table's header, the places that can
set a setting, renames, implications. The rest, every setting with type, choices and default, comes from

* ``--sheet``: a tab-separated sheet whose first line names the columns (``setting``, ``type``, ``default``,
  ``choices``, and ``where``, ``cli_flag`` or ``class``); or
* ``--release``: unpacked releases of the framework. The dataclass that the recipe names is read with ``ast`` in
  each of them, nothing is imported; versions in which a field appears, disappears or changes its default are told
  apart.

``--check`` writes nothing and fails when the committed table differs.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
NOTHING = object()


@dataclass
class Row:
    """One setting: its type, choices, and default by version (empty version = the sheet's only one)."""

    name: str
    type: str
    choices: list[Any] = field(default_factory=list)
    defaults: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


# --- types ---------------------------------------------------------------------------------------------------


def simple_type(annotation: str) -> str:
    """A Python annotation as one of the table's types; a mixture becomes ``any``."""
    text = annotation.replace("typing.", "").strip()
    if not text:
        return "any"
    try:
        found = _types(ast.parse(text, mode="eval").body)
    except SyntaxError:
        return {"store_true": "bool", "store_false": "bool"}.get(text, "any")
    found.discard("none")
    if found == {"int", "float"}:
        return "float"
    return found.pop() if len(found) == 1 else "any"


_NAMES = {"bool": "bool", "int": "int", "float": "float", "str": "str", "dict": "dict", "Dict": "dict", "JSON": "dict"}
_NAMES |= {"EnvBool": "bool", "EnvInt": "int", "EnvFloat": "float", "EnvStr": "str", "EnvTuple": "list"}
_NAMES |= {"store_true": "bool", "mapping": "dict", "None": "none", "Any": "any"}


def _types(node: ast.expr) -> set[str]:
    if isinstance(node, ast.BinOp):
        return _types(node.left) | _types(node.right)
    if isinstance(node, ast.Constant):
        return {"none"} if node.value is None else {type(node.value).__name__}
    if isinstance(node, ast.Subscript):
        return _subscript(node)
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return {_NAMES.get(name, "list" if name in ("list", "List", "tuple", "Tuple") else "str")}


def _subscript(node: ast.Subscript) -> set[str]:
    name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name in ("Optional", "Union", "Annotated"):
        found = set().union(*(_types(i) for i in (inner[:1] if name == "Annotated" else inner)))
        return found | ({"none"} if name == "Optional" else set())
    if name == "Literal":
        return {type(i.value).__name__ if i.value is not None else "none" for i in inner if isinstance(i, ast.Constant)}
    return {"dict"} if name.lower() in ("dict", "mapping") else {"list"}


def literal(text: str, kind: str) -> Any:
    """A default as a sheet writes it: a Python or JSON literal, else text for ``str``, else unknown."""
    text = text.strip()
    if text in ("null", "None"):
        return None
    if text in ("true", "false"):
        return text == "true"
    if text in ("list()", "dict()", "tuple()"):
        return {} if text.startswith("dict") else []
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        plain = all(c.isalnum() or c in "_-./:+~ " for c in text)
        return text if kind in ("str", "any") and plain and "." not in text.strip("./~") else NOTHING
    return sorted(value) if isinstance(value, set) else list(value) if isinstance(value, tuple) else value


# --- sheets --------------------------------------------------------------------------------------------------


def read_sheet(path: Path, recipe: Mapping[str, Any]) -> dict[str, Row]:
    """Rows of a sheet by setting name, after the recipe's ``rows`` filter and ``rename``."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("# ")]
    rows: dict[str, Row] = {}
    for record in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
        if not _wanted(record, recipe.get("rows", {})):
            continue
        row = _sheet_row(record, recipe)
        if row.name not in rows:
            rows[row.name] = row
        elif rows[row.name].defaults != row.defaults:
            rows[row.name].defaults.clear()
    return rows


def _wanted(record: Mapping[str, str], rows: Mapping[str, list[str]]) -> bool:
    return all(any((record.get(column) or "").startswith(v) for v in values) for column, values in rows.items())


def _sheet_row(record: Mapping[str, str], recipe: Mapping[str, Any]) -> Row:
    name = record["setting"]
    prefix = recipe.get("prefix", {}).get(record.get("class") or "", "")
    kind = simple_type(record["type"])
    row = Row(prefix + name, kind)
    text = record.get("default") or ""
    if record["type"] == "store_true" and not text.strip():
        text = "False"
    value = literal(text, kind) if text.strip() else NOTHING
    if value is not NOTHING and " | " not in text:
        row.defaults[""] = value
    row.choices = _choices(record.get("choices") or "", kind)
    row.extra = _flag_extra(record.get("cli_flag") or "", name)
    if (record.get("cli_flag") or record.get("where") or "").startswith("env"):
        row.extra["sources"] = [{"env": name}]
    return row


def _choices(text: str, kind: str) -> list[Any]:
    if not text or "()" in text or kind == "bool":
        return []
    if text.startswith("["):
        value = literal(text, "list")
        return value if isinstance(value, list) else []
    found = [literal(part, "str") for part in text.split(",")]
    return [] if NOTHING in found else [v for v in found if v is not None]


def _flag_extra(flags: str, name: str) -> dict[str, Any]:
    """Spellings of the flag that the name does not tell (``-tp``, ``--tp``)."""
    if not flags.lstrip().startswith("-"):
        return {}
    known = {f"--{name}", f"--{name.replace('_', '-')}", f"--no-{name.replace('_', '-')}"}
    words = [w.strip() for w in flags.split(" (")[0].replace(" / ", "|").split("|")]
    spelt = [w for w in words if w.startswith("-") and w not in known and not w.startswith("--no-")]
    return {"flags": spelt} if spelt else {}


# --- releases ------------------------------------------------------------------------------------------------


def read_releases(releases: Mapping[str, Path], recipe: Mapping[str, Any]) -> dict[str, Row]:
    """Fields of the recipe's dataclass over all releases, newest spelling first."""
    rows: dict[str, Row] = {}
    skip = set(recipe.get("skip", ()))
    for version in sorted(releases, key=Version, reverse=True):
        for name, (annotation, default, choices) in read_class(releases[version], recipe["class"]).items():
            if name in skip or name.startswith("__"):
                continue
            row = rows.setdefault(name, Row(name, simple_type(annotation), choices))
            row.defaults[version] = default
    return rows


def read_class(root: Path, places: Iterable[str]) -> dict[str, tuple[str, Any, list[Any]]]:
    """Fields of the first class ``file.py:Class`` found under ``root``; later places are its bases."""
    fields: dict[str, tuple[str, Any, list[Any]]] = {}
    for place in places:
        name, _, cls = place.partition(":")
        path = root / name
        if path.is_file():
            for key, value in _class_fields(ast.parse(path.read_text(encoding="utf-8")), cls).items():
                fields.setdefault(key, value)
    return fields


def _class_fields(tree: ast.Module, cls: str) -> dict[str, tuple[str, Any, list[Any]]]:
    node = next((n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == cls), None)
    found: dict[str, tuple[str, Any, list[Any]]] = {}
    for item in node.body if node else ():
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            annotation = ast.unparse(item.annotation)
            if not annotation.startswith(("ClassVar", "InitVar")):
                found[item.target.id] = (annotation, _field_default(item.value), _field_choices(item.value))
    return found


def _field_default(node: ast.expr | None) -> Any:
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg == "default":
                return _literal_node(keyword.value)
            if keyword.arg == "default_factory":
                body = keyword.value.body if isinstance(keyword.value, ast.Lambda) else keyword.value
                empty = {"list": [], "dict": {}}.get(getattr(body, "id", ""), NOTHING)
                return empty if empty is not NOTHING else _literal_node(body)
        return NOTHING
    return NOTHING if node is None else _literal_node(node)


def _literal_node(node: ast.expr) -> Any:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return NOTHING
    return sorted(value) if isinstance(value, set) else list(value) if isinstance(value, tuple) else value


def _field_choices(node: ast.expr | None) -> list[Any]:
    for keyword in node.keywords if isinstance(node, ast.Call) else ():
        if keyword.arg == "metadata" and isinstance(keyword.value, ast.Dict):
            for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "choices":
                    found = _literal_node(value)
                    return found if isinstance(found, list) else []
    return []


# --- the table -----------------------------------------------------------------------------------------------


def body(row: Row, versions: list[str], flag_for: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A row as it stands in the table. ``versions`` are the releases read, oldest first."""
    out: dict[str, Any] = {"type": row.type}
    if versions and row.defaults:
        out |= _history(row, versions)
    elif row.defaults and row.defaults[""] is not NOTHING:
        out["default"] = _shown(row.defaults[""])
    if row.choices:
        out["choices"] = row.choices
    flags = row.extra.get("flags")
    if flags:
        out["also"] = [{"cli": flag, **({"for": dict(flag_for)} if flag_for else {})} for flag in flags]
    if "sources" in row.extra:
        out["sources"] = row.extra["sources"]
    return out


def _history(row: Row, versions: list[str]) -> dict[str, Any]:
    have = [v for v in versions if v in row.defaults]
    out: dict[str, Any] = {}
    if have[0] != versions[0]:
        out["since"] = minor(have[0])
    if have[-1] != versions[-1]:
        out["removed"] = minor(versions[versions.index(have[-1]) + 1])
    steps: list[tuple[str, Any]] = []
    for version in have:
        if not steps or not _same(steps[-1][1], row.defaults[version]):
            steps.append((version, row.defaults[version]))
    if len(steps) == 1:
        return out if steps[0][1] is NOTHING else {"default": _shown(steps[0][1]), **out}
    rest = [s for s in zip(steps, [*steps[1:], None], strict=True) if s[0][1] is not NOTHING]
    shown = [{"value": s[1], "version": f"<{minor(n[0])}"} if n else {"value": s[1]} for s, n in rest]
    return {"default": shown, **out} if shown else out


def minor(version: str) -> str:
    """``4.46`` for ``4.46.3``: settings come and go with minor versions, and one release of each is read."""
    return ".".join(version.split(".")[:2])


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b


def _shown(value: Any) -> Any:
    """A default of mappings in a list would read as alternatives by version; say it as one alternative."""
    risky = isinstance(value, list) and value and all(isinstance(v, dict) and "value" in v for v in value)
    return [{"value": value}] if risky else value


def build(recipe: Mapping[str, Any], rows: Mapping[str, Row], versions: list[str]) -> str:
    """The whole YAML file."""
    header = {"kind": "settings", "schema": 1, **recipe["header"]}
    if versions:
        header["verified"] = versions
    table = {name: body(row, versions, recipe.get("flag_for")) for name, row in rows.items()}
    for name, extra in (recipe.get("overlay") or {}).items():
        table[name] = {k: v for k, v in {**table.get(name, {}), **extra}.items() if v is not None or k == "default"}
    for name in recipe.get("drop") or ():
        table.pop(name, None)
    lines = [
        f"# Written by tools/settings_table.py from tools/settings_recipes/{recipe['file']}; edit the recipe instead."
    ]
    lines.append(
        yaml.safe_dump(header, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None).rstrip()
    )
    lines.append("settings:")
    lines += [f"  {_key(name)}: {_flow(value)}" for name, value in table.items()]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return yaml.safe_dump(name, default_flow_style=True, width=10_000).split("\n")[0]


def _flow(value: Any) -> str:
    value = json.loads(json.dumps(value))  # shared parts would come out as anchors
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=1_000_000)
    return text.rstrip().removesuffix("...").rstrip()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Writes a settings table out of a framework's own sources.")
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--sheet", type=Path)
    parser.add_argument("--release", action="append", default=[], metavar="VERSION=DIR")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(argv)
    recipe = yaml.safe_load(options.recipe.read_text(encoding="utf-8")) | {"file": options.recipe.name}
    releases = {v: Path(d) for v, _, d in (r.partition("=") for r in options.release)}
    rows = read_sheet(options.sheet, recipe) if options.sheet else read_releases(releases, recipe)
    if not rows:
        print("settings_table: no settings found: wrong sheet, class or folder?", file=sys.stderr)
        return 2
    text = build(recipe, rows, sorted(releases, key=Version))
    target = ROOT / recipe["output"]
    if options.check:
        same = target.is_file() and target.read_text(encoding="utf-8") == text
        print(f"{recipe['output']}: {'up to date' if same else 'differs'}")
        return 0 if same else 1
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    print(f"{recipe['output']}: {len(rows)} settings")
    return 0


if __name__ == "__main__":
    sys.exit(main())
