"""The same command for one node."""

from __future__ import annotations

from collections.abc import Sequence

from gto_rules.project.launch_flags import Flag
from gto_rules.project.launch_unwrap import Reading
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.model import Launch


def single_node_words(reading: Reading, launch: Launch, hints: Sequence[LauncherSpec]) -> tuple[str, ...]:
    """The words of the command without what ties it to other nodes, environment first."""
    level, rule = reading.level, reading.level.spec.single_node
    drop_env = {name for spec in (level.spec, *hints) for name in spec.single_node.drop_env}
    env = [f"{name}={word.text}" for name, word in launch.env.items() if name not in drop_env]
    drop = {level.spec.flags.canonical(n) for n in rule.drop_flags}
    stated = {level.spec.flags.canonical(n): v for n, v in _stated(launch, level.spec).items()}
    words: list[str] = [f.text for f in level.words[: level.first]]
    flags = {flag.first: flag for flag in level.options.flags}
    end = level.options.rest if level.spec.role != "program" else len(level.words)
    given = {flag.name for flag in flags.values()}
    at = level.first
    while at < end:
        flag = flags.get(at)
        if flag is None:
            words.append(level.words[at].text)
            at += 1
            continue
        words.extend(_kept(flag, [f.text for f in level.words[flag.first : flag.last]], drop, stated))
        at = flag.last
    for name, value in _stated(launch, level.spec).items():
        if level.spec.flags.canonical(name) not in given:
            words += [name, value]
    return tuple(env + words + _program_words(reading, hints, end))


def _kept(flag: Flag, words: list[str], drop: set[str], stated: dict[str, str]) -> list[str]:
    if flag.name in stated:
        given = words[0].partition("=")[0] if flag.glued else words[0]
        return [f"{given}={stated[flag.name]}"] if flag.glued else [given, stated[flag.name]]
    return [] if flag.name in drop else words


def _stated(launch: Launch, spec: LauncherSpec) -> dict[str, str]:
    """Options that the command for one node must state, with their values."""
    values = {"nodes": "1", "ranks": str(launch.nproc_per_node) if isinstance(launch.nproc_per_node, int) else None}
    found = {name: values.get(what) for name, what in spec.single_node.state.items()}
    return {name: value for name, value in found.items() if value is not None}


def _program_words(reading: Reading, hints: Sequence[LauncherSpec], start: int) -> list[str]:
    """What runs, and its arguments without those that count nodes."""
    level = reading.level
    if level.spec.role != "interpreter":
        return [f.text for f in level.words[start:]]
    flags = {n for spec in hints for n in spec.single_node.drop_flags}
    keys = {n for spec in hints for n in spec.single_node.drop_overrides}
    kept: list[str] = []
    words = [f.text for f in level.words[start:]]
    at = 0
    while at < len(words):
        name, equals, _ = words[at].partition("=")
        if name in flags:
            at += 1 if equals else 2
        elif equals and name.lstrip("+") in keys:
            at += 1
        else:
            kept.append(words[at])
            at += 1
    return kept
