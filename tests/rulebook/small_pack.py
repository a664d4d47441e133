"""A small pack that is right, to be broken in one place by each test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gto_rules.errors import Diagnostic, RulebookError
from gto_rules.rulebook.compile import compile_packs
from gto_rules.rulebook.discover import pack_files
from gto_rules.rulebook.model import Rulebook

FILES: dict[str, str] = {
    "pack.yaml": """\
kind: pack
schema: 1
name: acme
version: "1.0.0"
title: A pack to be broken
engine: ">=0.1"
""",
    "settings/arguments.yaml": """\
kind: settings
schema: 1
id: acme/arguments
title: Settings
sources:
  - {cli: '--{name}'}
settings:
  half_precision: {type: bool, default: false}
  warm_up: {type: int, default: 10}
""",
    "patterns/compiled.yaml": """\
kind: pattern
schema: 1
id: acme/compiled
title: A compiled model
match: {call: acme.compile}
""",
    "audits/speed.yaml": """\
kind: audit
schema: 1
id: acme/speed
title: Speed
report: speed
max: 5
categories:
  - {id: A, title: Arithmetic, max: 3, groups: {kind: {mode: best_of, max: 3}}}
  - {id: B, title: Rest, max: 2}
""",
    "items/half.yaml": """\
kind: item
schema: 1
id: acme/half
title: Half precision
audit: acme/speed
category: A
group: kind
points: 3
enabled: {setting: half_precision, equals: true}
remedies: [acme/enable-half]
""",
    "items/compile.yaml": """\
kind: item
schema: 1
id: acme/compile
title: Compilation
audit: acme/speed
category: B
points: 2
enabled:
  all:
    - {pattern: acme/compiled}
    - settings.warm_up.value > `1`
""",
    "remedies/enable-half.yaml": """\
kind: remedy
schema: 1
id: acme/enable-half
title: Switch half precision on
why: It is faster.
risk: neutral
set: {half_precision: true}
""",
    "detectors/acme.yaml": """\
kind: detector
schema: 1
id: acme/acme
title: Acme
framework: acme
role: training
priority: 10
signals:
  - {dependency: [acme], strength: strong}
  - {pattern: acme/compiled, strength: weak}
""",
    "diagnosis/slow.yaml": """\
kind: diagnosis
schema: 1
id: acme/slow
title: Slow
severity: low
thresholds: {share: {value: 0.5}}
when: metrics.steps > `3`
cost: "`0.1`"
symptom: It is slow.
cause: Nobody knows.
solution: Try half precision.
evidence:
  - {setting: half_precision}
""",
}


def write_pack(folder: Path, files: Mapping[str, str | bytes | None] | None = None, name: str = "acme") -> Path:
    """Write the small pack with some files replaced (None leaves a file out); gives its folder."""
    root = folder / name
    for path, content in {**FILES, **(files or {})}.items():
        if content is not None:
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return root


def compiled(*roots: Path) -> Rulebook:
    """The packs in these folders alone, without the built-in ones."""
    return compile_packs([pack_files(root) for root in roots])


def mistakes(*roots: Path) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with these packs."""
    try:
        compiled(*roots)
    except RulebookError as error:
        return error.diagnostics
    return ()
