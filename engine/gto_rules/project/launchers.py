"""How launchers are read: the launcher rules as values."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

ROLES = ("wrapper", "shell", "starter", "allocation", "launcher", "interpreter", "program", "words")


@dataclass(frozen=True)
class FlagSyntax:
    """Which options a program has.

    Attributes:
        value: Options that take one value; ``two``: two values; ``bare``: none;
            ``optional``: one unless another option follows.
        hyphens: ``-`` and ``_`` mean the same inside long options.
        abbreviated: A unique beginning of a long option stands for it.
        clustered: Short options may be put together (``-xeuc``).
        unknown: What an option that is not listed takes: ``bare`` or ``value``.
    """

    value: tuple[str, ...] = ()
    two: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    hyphens: bool = False
    abbreviated: bool = False
    clustered: bool = False
    unknown: str = "bare"

    def canonical(self, name: str) -> str:
        """``name`` in the one spelling that is compared."""
        return "--" + name[2:].replace("-", "_") if self.hyphens and name.startswith("--") else name

    def all(self) -> tuple[str, ...]:
        return self.value + self.two + self.bare + self.optional


@dataclass(frozen=True)
class CountSource:
    """Where a count is said, strongest first as listed.

    Attributes:
        flags: Options whose value is the count.
        total: Options whose value is the count over all nodes (ranks only).
        env: Environment variables.
        config: Keys of the launcher's configuration file; ``total_config`` for totals.
        hosts: Options that list hosts (``a,b``, ``n[0-3]``, ``a:4``).
        hostfile: Options that name a file with one host per line.
        devices: Options that list devices (``localhost:0,1``, ``0,1``).
        overrides: Keys of ``key=value`` words of the program.
        default: Count when nothing says it.
    """

    flags: tuple[str, ...] = ()
    total: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    config: tuple[str, ...] = ()
    total_config: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    hostfile: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    default: int | None = None


@dataclass(frozen=True)
class MultiNode:
    """How a run over several nodes is started.

    Attributes:
        rank_flags, rank_env, rank_config: What says which node this is: one start per node (B).
        starts: This program starts every node by itself (A).
        starts_flags, starts_config: Options, or values in the configuration, that make it do so.
        looped: It starts one node, so every node when it stands in a loop.
        otherwise: Type when nothing of this is there: ``A`` or ``B``.
    """

    rank_flags: tuple[str, ...] = ()
    rank_env: tuple[str, ...] = ()
    rank_config: tuple[str, ...] = ()
    starts: bool = False
    starts_flags: tuple[str, ...] = ()
    starts_config: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    looped: bool = False
    otherwise: str = "B"


@dataclass(frozen=True)
class SingleNode:
    """The same command for one node: what to drop, and flags to state (``nodes``, ``ranks``)."""

    drop_flags: tuple[str, ...] = ()
    drop_env: tuple[str, ...] = ()
    drop_overrides: tuple[str, ...] = ()
    state: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FrameworkHint:
    """A framework that the started program points to. Every given condition must hold."""

    framework: str
    entries: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class EngineHint:
    """An inference engine that words of the command name."""

    engine: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class LauncherSpec:
    """One launcher rule.

    Attributes:
        programs: Pattern of the program's base name → name that is reported (``*``: as it is).
        modules: Pattern of a module run by an interpreter → reported name.
        subcommands: Words that must follow, one of these sequences (options may stand between).
        runs: What stands after the options: ``entry``, ``argv``, ``text``, ``script``, ``target``, ``program``
            or ``none``.
        operands: Words between the options and what runs.
        separator: Word after which the inner command stands; required when ``separated``.
        assignments: ``NAME=value`` words may stand before the inner command.
        loops: It runs what stands behind it once for each of its inputs.
        default_files: Names of the file whose targets it runs (``runs: target``).
        endings: File name endings that make this the reader of a program given by its path.
        ignore: Patterns of modules and scripts that are no training or serving run.
        exports: Variable that the program sets for what it starts → ``nodes``, ``ranks`` or ``total``.
        directives: Prefix of comment lines that hold options of this program.
        entry_scores: Pattern of an entry's name → points for a candidate.
    """

    id: str
    role: str
    programs: Mapping[str, str] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)
    subcommands: tuple[tuple[str, ...], ...] = ()
    flags: FlagSyntax = FlagSyntax()
    runs: str = "none"
    operands: int = 0
    separator: str | None = None
    separated: bool = False
    assignments: bool = False
    endings: tuple[str, ...] = ()
    module_flags: tuple[str, ...] = ()
    program_flags: tuple[str, ...] = ()
    text_flags: tuple[str, ...] = ()
    env_flags: tuple[str, ...] = ()
    cwd_flags: tuple[str, ...] = ()
    config_flags: tuple[str, ...] = ()
    loose_config_flags: tuple[str, ...] = ()
    config_endings: tuple[str, ...] = ()
    config_operands: bool = False
    nodes: CountSource = CountSource()
    ranks: CountSource = CountSource()
    multi_node: MultiNode = MultiNode()
    single_node: SingleNode = SingleNode()
    launches: bool = False
    loops: bool = False
    default_files: tuple[str, ...] = ()
    exports: Mapping[str, str] = field(default_factory=dict)
    directives: str | None = None
    ignore: tuple[str, ...] = ()
    framework: str | None = None
    inference: tuple[str, ...] = ()
    frameworks: tuple[FrameworkHint, ...] = ()
    engines: tuple[EngineHint, ...] = ()
    entry_scores: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any]) -> LauncherSpec:
        """The rule out of a rule file's data; keys that only people need are left out."""
        values = _common(cls, data)
        values["subcommands"] = tuple(tuple(words) for words in data.get("subcommands", ()))
        for key, kind in _PARTS.items():
            values[key] = kind(**_common(kind, data.get(key, {})))
        starts = data.get("multi_node", {}).get("starts_config", {})
        if starts:
            values["multi_node"] = MultiNode(
                **{**_common(MultiNode, data["multi_node"]), "starts_config": {k: tuple(v) for k, v in starts.items()}}
            )
        values["frameworks"] = tuple(FrameworkHint(**_common(FrameworkHint, d)) for d in data.get("frameworks", ()))
        values["engines"] = tuple(EngineHint(**_common(EngineHint, d)) for d in data.get("engines", ()))
        values["flags"] = _completed(values)
        return cls(**values)

    def named(self, program: str, names: Mapping[str, str]) -> str | None:
        """The name to report for ``program``, or None when no pattern fits."""
        for pattern, name in names.items():
            if fnmatch.fnmatchcase(program, pattern):
                return program if name == "*" else name
        return None


_PARTS: dict[str, type] = {
    "flags": FlagSyntax,
    "nodes": CountSource,
    "ranks": CountSource,
    "multi_node": MultiNode,
    "single_node": SingleNode,
}


def _common(kind: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of ``data`` that ``kind`` has, lists as tuples."""
    names = {f.name for f in fields(kind)}
    return {k: tuple(v) if isinstance(v, list) else v for k, v in data.items() if k in names}


def _completed(values: Mapping[str, Any]) -> FlagSyntax:
    """The options of a rule with those that its other keys mention: these take a value."""
    syntax: FlagSyntax = values["flags"]
    nodes, ranks, multi = values["nodes"], values["ranks"], values["multi_node"]
    mentioned = [values.get(k, ()) for k in ("env_flags", "cwd_flags", "config_flags")]
    if values["role"] in ("wrapper", "starter", "allocation"):
        mentioned.append(values.get("text_flags", ()))
    for counts in (nodes, ranks):
        mentioned += [counts.flags, counts.total, counts.hosts, counts.hostfile, counts.devices]
    mentioned += [multi.rank_flags, values["single_node"].drop_flags]
    known = {syntax.canonical(n) for n in syntax.all()}
    extra = [n for names in mentioned for n in names if syntax.canonical(n) not in known]
    return replace(syntax, value=(*syntax.value, *dict.fromkeys(extra)))


def with_role(specs: Iterable[LauncherSpec], *roles: str) -> Sequence[LauncherSpec]:
    return [spec for spec in specs if spec.role in roles]
