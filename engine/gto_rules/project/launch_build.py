"""From a program that would run to a :class:`Launch`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gto_rules.location import Evidence
from gto_rules.project.launch_configs import config_words, override_words
from gto_rules.project.launch_counts import Counts, Said, config_path, counts_of
from gto_rules.project.launch_files import NamedFiles
from gto_rules.project.launch_flags import Level
from gto_rules.project.launch_hints import framework_of, inference_of
from gto_rules.project.launch_single import single_node_words
from gto_rules.project.launch_unwrap import Reading
from gto_rules.project.launchers import CountSource, LauncherSpec, with_role
from gto_rules.project.model import Launch, Place, Word
from gto_rules.project.shell_values import Field


@dataclass(frozen=True)
class Nodes:
    """The counts that hold in the end. ``by_program`` means that the program's own words say them,
    ``ranked`` that they also say which node this is.

    ``untold`` is the node count around a launcher that itself is told no node count.
    """

    nodes: Said | None
    ranks: Said | None
    by_program: bool = False
    ranked: bool = False
    untold: bool = False


def build(reading: Reading, command: str, specs: Sequence[LauncherSpec], named: NamedFiles, start: str) -> Launch:
    """The launch of one reading, with its alternatives in ``ambiguous``."""
    level = reading.level
    hints = with_role(specs, "words")
    launcher, outer = _names(reading)
    arguments = level.words[reading.rest :] if not reading.opaque else ()
    counts = _counts(reading, hints, named, arguments)
    multi_node = _multi_node(reading, counts, named)
    env = {name: value.word() for name, value in reading.env.items() if value.place.line is not None}
    launch = Launch(
        command=command,
        launcher=launcher,
        outer=outer,
        nnodes=_value(counts.nodes),
        nproc_per_node=_value(counts.ranks),
        count_places=_count_places(counts),
        entry=_within(named, level.words[reading.entry].text) if reading.entry is not None else None,
        entry_module=level.words[reading.module].text if reading.module is not None else level.module,
        program=_program(reading),
        arguments=tuple(f.word() for f in arguments),
        launcher_arguments=_launcher_words(reading),
        configs=tuple(_within(named, path) for path in config_words(reading, hints, named)),
        overrides=override_words(arguments),
        env=env,
        multi_node=multi_node,
        argv=() if reading.opaque else tuple(f.word() for f in level.words),
        cwd=reading.state.cwd,
        start=start,
        scripts=reading.context.scripts,
        evidence=_evidence(reading, counts),
        problems=_problems(reading),
    )
    launch = replace(launch, framework=level.spec.framework or framework_of(launch, hints))
    launch = replace(launch, inference=inference_of(launch, level.spec, hints))
    if multi_node == "B":
        launch = replace(launch, single_node=single_node_words(reading, launch, hints))
    return replace(launch, ambiguous=_alternatives(launch, counts))


def _names(reading: Reading) -> tuple[str, str | None]:
    """Name of what starts the ranks, and of the program around it."""
    starters = [one for one in reading.chain if one.spec.role != "allocation"]
    if reading.opaque and starters:
        return starters[-1].name, starters[-2].name if len(starters) > 1 else None
    if reading.level.spec.role == "interpreter" and starters and starters[-1].spec.launches:
        return starters[-1].name, starters[-2].name if len(starters) > 1 else None
    return reading.level.name, starters[-1].name if starters else None


def _program(reading: Reading) -> tuple[str, ...]:
    level = reading.level
    if reading.opaque:
        return tuple(f.text for f in level.words[level.options.rest : level.options.rest + 1])
    if level.spec.role == "program":
        return tuple(f.text for f in level.words[: level.first])
    return (level.words[reading.rest].text,) if reading.entry is None and reading.module is None else ()


def _launcher_words(reading: Reading) -> tuple[Word, ...]:
    level = reading.level
    if reading.opaque or level.spec.role == "program":
        return ()
    end = next(at for at in (reading.entry, reading.module, reading.rest) if at is not None)
    return tuple(f.word() for f in level.words[level.first : end])


def _within(named: NamedFiles, path: str) -> str:
    """An absolute path inside the project as one relative to where the command runs."""
    if named.root is not None and posixpath.isabs(path) and named.find(path) is not None:
        return posixpath.relpath(path, posixpath.join(named.root, named.cwd))
    return path


def _count_places(counts: Nodes) -> dict[str, Place]:
    said = {"nnodes": counts.nodes, "nproc_per_node": counts.ranks}
    return {name: count.place for name, count in said.items() if count is not None and count.place.line is not None}


def _value(count: Said | None) -> int | str | None:
    return None if count is None else count.value


def _counts(reading: Reading, hints: Sequence[LauncherSpec], named: NamedFiles, arguments: tuple[Field, ...]) -> Nodes:
    around = [counts_of(one, reading.env, named) for one in reading.chain]
    nodes_around = next((c.nodes for c in reversed(around) if c.nodes is not None and not c.nodes.default), None)
    ranks_around = next((c.ranks for c in reversed(around) if c.ranks is not None and not c.ranks.default), None)
    own = Counts(None, None, None) if reading.opaque else counts_of(reading.level, reading.env, named)
    if reading.level.spec.role == "launcher" or reading.level.spec.role == "program":
        return _launcher_counts(reading, own, nodes_around)
    if nodes_around is None and ranks_around is None:
        stated = _argument_counts(hints, arguments)
        if stated is not None:
            return stated
        if reading.chain and any(one.spec.launches for one in reading.chain):
            return _default_around(around)
    if reading.opaque:
        return Nodes(nodes_around or (Said("unknown", Place(None, None)) if reading.chain else None), ranks_around)
    launches = any(one.spec.launches for one in reading.chain)
    return Nodes(nodes_around or own.nodes, ranks_around if launches else own.ranks)


def _default_around(around: list[Counts]) -> Nodes:
    nodes = next((c.nodes for c in reversed(around) if c.nodes is not None), None)
    return Nodes(nodes, next((c.ranks for c in reversed(around) if c.ranks is not None), None))


def _launcher_counts(reading: Reading, own: Counts, around: Said | None) -> Nodes:
    told = own.nodes is not None and not own.nodes.default
    starter = any(one.spec.multi_node.starts or one.spec.role == "interpreter" for one in reading.chain)
    if told or around is None or not starter:
        return Nodes(own.nodes, own.ranks)
    return Nodes(around, own.ranks, untold=around.value != 1)


def _argument_counts(hints: Sequence[LauncherSpec], arguments: tuple[Field, ...]) -> Nodes | None:
    """Counts that the started program itself is given, such as ``trainer.num_nodes=2``."""
    found = [(_stated(spec.nodes, arguments), _stated(spec.ranks, arguments)) for spec in hints]
    nodes = next((n for n, _ in found if n is not None), None)
    ranks = next((r for _, r in found if r is not None), None)
    given = {word.text.partition("=")[0] for word in arguments}
    ranked = any(flag in given for spec in hints for flag in spec.multi_node.rank_flags)
    return None if nodes is None else Nodes(nodes, ranks, by_program=True, ranked=ranked)


def _stated(source: CountSource, arguments: tuple[Field, ...]) -> Said | None:
    from gto_rules.project.launch_counts import said
    from gto_rules.project.launch_flags import after

    for at, word in enumerate(arguments):
        name, equals, _ = word.text.partition("=")
        if equals and (name in source.flags or name in source.overrides):
            return said(after(word, len(name) + 1))
        if name in source.flags and at + 1 < len(arguments):
            return said(arguments[at + 1])
    return None


def _multi_node(reading: Reading, counts: Nodes, named: NamedFiles) -> str:
    """``none``, ``A`` (one command starts every node) or ``B`` (one command on each node)."""
    nodes = counts.nodes
    if nodes is not None and nodes.value == 1:
        return "none"
    level, own = reading.level, reading.level.spec.multi_node
    if any(_starts(one, reading, nodes) for one in reading.chain):
        return "A"
    if reading.opaque:
        return "none"
    config = named.config(config_path(level) or "") or {}
    if nodes is None or nodes.default:
        return "A" if level.flag(own.starts_flags) is not None else "none"
    if _has_rank(level, reading, config):
        return "B"
    if any(key in config and config[key][0] in values for key, values in own.starts_config.items()):
        return "A"
    return "A" if own.starts else own.otherwise


def _starts(level: Level, reading: Reading, nodes: Said | None) -> bool:
    multi_node = level.spec.multi_node
    if multi_node.looped:
        return reading.context.looped
    several = nodes is not None and not nodes.default
    return several and (multi_node.starts or (level.spec.role == "interpreter" and level.spec.separator is not None))


def _has_rank(level: Level, reading: Reading, config: Mapping[str, object]) -> bool:
    rank = level.spec.multi_node
    return (
        level.flag(rank.rank_flags) is not None
        or any(name in reading.env for name in rank.rank_env)
        or any(key in config for key in rank.rank_config)
    )


def _alternatives(launch: Launch, counts: Nodes) -> tuple[Launch, ...]:
    """Other meanings of the same words."""
    if counts.untold:
        return (launch, replace(launch, nnodes=1, multi_node="none", single_node=()))
    if counts.by_program and launch.multi_node == "B" and not counts.ranked:
        return (launch, replace(launch, multi_node="A", single_node=()))
    return ()


def _evidence(reading: Reading, counts: Nodes) -> tuple[Evidence, ...]:
    words = reading.level.words
    text = " ".join(w.text for w in words[: reading.rest + 1])
    found = [Evidence(words[0].place.path, words[0].place.line, _short(text))]
    for label, count in (("nodes", counts.nodes), ("ranks per node", counts.ranks)):
        if count is not None and count.place.line is not None:
            found.append(Evidence(count.place.path, count.place.line, f"{label}: {_short(count.written)}"))
    return tuple(found)


def _short(text: str) -> str:
    flat = re.sub(r"\s+", " ", text).strip()
    return flat if len(flat) <= 120 else flat[:117] + "..."


def _problems(reading: Reading) -> tuple[str, ...]:
    if reading.level.spec.role == "program":
        return ()
    return tuple(
        f"{word.text} is not known here and may hold options of {reading.level.name}"
        for word in reading.level.options.unread
    )
