"""A new pack: a folder of rules that are valid and whose cases pass, to be changed one by one.

The files are templates below ``scaffold/``: those of every pack, and a folder for each kind.
"""

from __future__ import annotations

import difflib
import json
import keyword
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gto_rules import __version__
from gto_rules.errors import UsageError
from gto_rules.rulebook.discover import TEST_SUFFIX, builtin_packs

TEMPLATES = Path(__file__).parent / "scaffold"
_ENDING = ".j2"
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Kind:
    """What is written for one kind: in words, and which other kinds its rules need."""

    summary: str
    needs: tuple[str, ...] = ()


KINDS: dict[str, Kind] = {
    "pattern": Kind("a code pattern: a call by its canonical name"),
    "settings": Kind("a table of settings and where they are written"),
    "item": Kind("an item of an audit, and the audit", ("settings",)),
    "remedy": Kind("a change: a setting to switch on", ("settings",)),
    "finding": Kind("a fault in code, for check"),
    "surface": Kind("every name that a call accepts, and a finding about two of them"),
    "diagnosis": Kind("a bottleneck that measured figures show"),
    "repair": Kind("what to do about a run that failed with a known message"),
    "detector": Kind("how a framework is recognised"),
    "launcher": Kind("how the command line of a launcher is read"),
    "fragment": Kind("a condition that other rules name, here an item", ("item",)),
}
DEFAULT_KINDS = ("pattern", "item", "remedy", "finding")


def new_pack(folder: Path, kinds: Sequence[str] = DEFAULT_KINDS, title: str | None = None) -> tuple[Path, ...]:
    """Write a pack into a folder that is not there yet, or empty; gives the files written.

    Raises:
        UsageError: the folder's name cannot be a pack's, or something is there already.
    """
    folder = folder.resolve()
    name = folder.name
    _check_name(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already", hint="nothing was written; choose a folder that does not exist")
    files = pack_files_of(name, kinds, title)
    for path, content in files.items():
        target = folder / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, "utf-8")
        except OSError as error:
            raise UsageError(f"{target} cannot be written: {error.strerror or error}") from error
    return tuple(folder / path for path in files)


def _check_name(name: str) -> None:
    import yaml

    if not _NAME.fullmatch(name) or yaml.safe_load(name) != name:
        near = re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_0123456789")
        hint = f"for example '{near}'" if _NAME.fullmatch(near) and near != name else None
        raise UsageError(
            f"'{name}' cannot be the name of a pack: small letters, digits and _, a letter first, no word of YAML",
            hint=hint,
        )
    if name in {root.name for root in builtin_packs()}:
        raise UsageError(f"there is a built-in pack '{name}', which this one would replace", hint="choose another name")


def pack_files_of(name: str, kinds: Iterable[str], title: str | None = None) -> dict[str, str]:
    """Path → content of every file of a new pack."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    wanted = _with_needs(kinds)
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    values = {
        "name": name,
        # The library that the rules are about; a word of the language cannot be imported.
        "module": f"{name}_kit" if keyword.iskeyword(name) else name,
        "prefix": name.rstrip("_"),
        # A JSON text is a YAML text, whatever it holds.
        "title": json.dumps(title or name.replace("_", " ").strip().capitalize() or name, ensure_ascii=False),
        "engine": ".".join(__version__.split(".")[:2]),
        "kinds": wanted,
    }

    def rendered(kind: str, **more: object) -> dict[str, str]:
        # One newline at the end, whatever a template's last condition left.
        return {
            path: environment.get_template(template).render(**values, **more).rstrip("\n") + "\n"
            for path, template in _templates(kind)
        }

    rules = {path: text for kind in wanted for path, text in rendered(kind).items()}
    listing = [_listed(path, rules[path]) for path in sorted(rules) if not path.endswith(TEST_SUFFIX)]
    return dict(sorted({**rendered("pack", listing=listing), **rules}.items()))


def _listed(path: str, text: str) -> tuple[str, str, str]:
    """Path, kind and title of a rule."""
    import yaml

    data = yaml.safe_load(text)
    title = data["title"]
    return path, data["kind"], title["en"] if isinstance(title, dict) else title


def _with_needs(kinds: Iterable[str]) -> tuple[str, ...]:
    wanted: dict[str, None] = {}
    for kind in kinds:
        if kind not in KINDS:
            near = difflib.get_close_matches(kind, KINDS, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"one of: {', '.join(KINDS)}"
            raise UsageError(f"there is no kind '{kind}' to begin with", hint=hint)
        wanted.update(dict.fromkeys((*_with_needs(KINDS[kind].needs), kind)))
    return tuple(kind for kind in KINDS if kind in wanted)


def _templates(kind: str) -> list[tuple[str, str]]:
    """(path in the pack, name of the template) of one kind."""
    found = sorted((TEMPLATES / kind).rglob(f"*{_ENDING}"))
    return [
        (path.relative_to(TEMPLATES / kind).as_posix().removesuffix(_ENDING), path.relative_to(TEMPLATES).as_posix())
        for path in found
    ]
