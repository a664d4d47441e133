"""Where packs lie, and which files they hold. Nothing else in the engine knows."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACK_FILE = "pack.yaml"
TEST_SUFFIX = ".test.yaml"
# A folder with this ending holds inputs of cases, never rules.
DATA_SUFFIX = ".files"

# Folder of a pack → kind of the rules in it.
FOLDERS: dict[str, str] = {
    "detectors": "detector",
    "settings": "settings",
    "patterns": "pattern",
    "findings": "finding",
    "surfaces": "surface",
    "audits": "audit",
    "items": "item",
    "diagnosis": "diagnosis",
    "remedies": "remedy",
    "repairs": "repair",
    "launchers": "launcher",
    "trials": "trial",
    "hardware": "hardware",
    "policies": "policy",
    "fragments": "fragment",
}


@dataclass(frozen=True, slots=True)
class PackFiles:
    """A pack folder and its rule files, in path order."""

    root: Path
    rules: tuple[Path, ...]
    strangers: tuple[Path, ...]

    @property
    def all(self) -> tuple[Path, ...]:
        return (self.root / PACK_FILE, *self.rules)


@cache
def data_root(name: str) -> Path:
    """The folder ``rules`` or ``schemas``: inside the installed package, else in the checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / name
    return inside if inside.is_dir() else package.parent.parent / name


def builtin_packs() -> tuple[Path, ...]:
    return tuple(sorted(p.parent for p in data_root("rules").glob(f"*/{PACK_FILE}")))


def pack_files(root: Path) -> PackFiles:
    """The rule files of a pack; ``strangers`` are YAML files that lie where no kind lives."""
    rules: list[Path] = []
    strangers: list[Path] = []
    # Walked by hand: every command lists every pack, and rglob takes longer.
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if not name.endswith(DATA_SUFFIX))
        inside = Path(folder)
        known = inside != root and inside.relative_to(root).parts[0] in FOLDERS
        for name in names:
            ending = name.rpartition(".")[2]
            if ending not in ("yaml", "yml") or name.endswith(TEST_SUFFIX) or (inside == root and name == PACK_FILE):
                continue
            (rules if known and ending == "yaml" else strangers).append(inside / name)
    return PackFiles(root, tuple(sorted(rules)), tuple(sorted(strangers)))
