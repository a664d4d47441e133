"""Facts: values with where they were set. Nothing here judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from gto_rules.location import Evidence, Span

ValueKind = Literal["literal", "computed", "default", "unset"]
OriginKind = Literal[
    "keyword",
    "attribute",
    "field",
    "argparse",
    "cli",
    "override",
    "config",
    "env",
    "nested",
    "pattern",
    "implied",
    "default",
]


@dataclass(frozen=True, slots=True)
class Origin:
    """One place that sets a setting.

    Attributes:
        kind: What sort of place it is (``keyword`` of a call, dataclass ``field``, ``cli`` flag...).
        path: File, relative to the project; None when the launch command itself is the place.
        line: Line where the value stands (the shell variable's line when the flag holds one).
        span: Byte span of the *value* in that file (or in the command text when path is None).
        value: What is written there; None with ``computed=True`` when it cannot be known statically.
        text: The value as it is written in the source.
        computed: The value is decided at run time.
        reason: Why it is computed (``"depends on os.environ['WORLD_SIZE']"``).
        key: How the setting is spelt here (``--bf16``, ``train.ema_device``, ``zero_optimization.stage``).
        anchor: Byte span of the enclosing construct that an edit works on (the call, the mapping
            entry, the flag with its value), for the patch room.
    """

    kind: OriginKind
    path: str | None
    line: int | None
    span: Span | None = None
    value: Any = None
    text: str = ""
    computed: bool = False
    reason: str | None = None
    key: str = ""
    anchor: Span | None = None

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {
            "kind": self.kind,
            "path": self.path,
            "line": self.line,
            "value": self.value,
            "key": self.key,
        }
        if self.computed:
            out["computed"] = True
            out["reason"] = self.reason
        return out


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A resolved setting: the deciding origin, and those it overrides, strongest first."""

    name: str
    value: Any
    kind: ValueKind
    origin: Origin | None = None
    overrides: tuple[Origin, ...] = ()
    pack: str = ""

    @property
    def evidence(self) -> Evidence:
        if self.origin is None:
            default = f" (default {self.value!r})" if self.kind == "default" else ""
            return Evidence(None, None, f"{self.name} is not set{default}")
        shown = f"{self.origin.key or self.name} = {self.origin.text or self.value}"
        if self.origin.path is None and self.origin.kind == "default":
            return Evidence(None, None, f"{self.name} is not set (default {self.value!r})")
        return Evidence(self.origin.path, self.origin.line, shown if self.origin.path else f"launch command: {shown}")

    def to_json(self) -> dict[str, Any]:
        origin = self.origin
        out: dict[str, Any] = {
            "value": self.value,
            "kind": self.kind,
            "path": origin.path if origin else None,
            "line": origin.line if origin else None,
            "source": origin.kind if origin else None,
            "overrides": [o.to_json() for o in self.overrides],
        }
        if origin and origin.reason:
            out["reason"] = origin.reason
        return out


@dataclass(frozen=True, slots=True)
class Dependency:
    """A declared dependency: ``version`` is the pinned one (``==`` or lock file), or None."""

    name: str
    specifier: str
    version: str | None
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One match of a code pattern."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    span: Span
    text: str
    captures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Facts:
    """Everything known about a project before judging. ``document()`` is what expressions see."""

    project: Mapping[str, Any]
    launch: Mapping[str, Any] | None
    imports: Mapping[str, tuple[Evidence, ...]]
    dependencies: Mapping[str, Dependency]
    patterns: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)
    unknown_patterns: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)
    settings: Mapping[str, SettingValue] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    hardware: Mapping[str, Any] | None = None
    metrics: Mapping[str, Any] | None = None
    detection: Mapping[str, Any] | None = None
    problems: tuple[str, ...] = ()

    def with_(self, **changes: Any) -> Facts:
        return replace(self, **changes)

    def document(self) -> dict[str, Any]:
        """Plain JSON for JMESPath, validated by ``schemas/facts.schema.json`` in the tests."""
        return {
            "project": dict(self.project),
            "launch": dict(self.launch) if self.launch is not None else None,
            "imports": {n: [e.to_json() for e in ev] for n, ev in self.imports.items()},
            "dependencies": {
                n: {"specifier": d.specifier, "version": d.version, "path": d.path, "line": d.line}
                for n, d in self.dependencies.items()
            },
            "patterns": {
                n: [{"path": h.path, "line": h.line, "column": h.column, "text": h.text} for h in hits]
                for n, hits in self.patterns.items()
            },
            "settings": {n: s.to_json() for n, s in self.settings.items()},
            "environment": dict(self.environment),
            "hardware": dict(self.hardware) if self.hardware is not None else None,
            "metrics": dict(self.metrics) if self.metrics is not None else None,
            "detection": dict(self.detection) if self.detection is not None else None,
        }
