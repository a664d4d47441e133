"""How many nodes and ranks a command says, and where it says it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from gto_rules.project.launch_flags import Level
from gto_rules.project.launchers import CountSource
from gto_rules.project.model import Place
from gto_rules.project.shell_values import Field, value_place


@dataclass(frozen=True, slots=True)
class Said:
    """A count: an int, a text such as ``1:4`` or ``gpu``, or ``unknown``. ``written`` is its text."""

    value: int | str
    place: Place
    written: str = ""
    default: bool = False


class Lookup(Protocol):
    """Reads files that options name, relative to where the command runs."""

    def config(self, path: str) -> Mapping[str, tuple[str, Place]] | None: ...

    def hosts(self, path: str) -> tuple[int, int | None, Place] | None: ...


@dataclass(frozen=True, slots=True)
class Counts:
    nodes: Said | None
    ranks: Said | None
    total: Said | None


def counts_of(level: Level, env: Mapping[str, Field], lookup: Lookup | None) -> Counts:
    """Nodes, ranks per node and ranks in all that one program is told."""
    spec = level.spec
    config = _config(level, lookup)
    nodes = _direct(level, spec.nodes, env, config) or _hosts(level, spec.nodes, lookup) or _groups(level, spec.nodes)
    ranks = _direct(level, spec.ranks, env, config) or _devices(level, spec.ranks, env)
    total = _total(level, spec.ranks, config)
    slots = _slots(level, spec.ranks, lookup)
    if nodes is None and _told_elsewhere(level, lookup):
        nodes = Said("unknown", Place(None, None))
    if nodes is None and spec.nodes.default is not None and not _names_hostfile(level):
        nodes = Said(spec.nodes.default, Place(None, None), default=True)
    if total is None and isinstance(slots, tuple):
        ranks = ranks or slots[0]
    if nodes is not None and nodes.default and ranks is not None and total is not None:
        nodes = divide(total, ranks) or nodes
    elif nodes is None and ranks is not None and total is not None:
        nodes = divide(total, ranks)
    if ranks is None and total is not None and nodes is not None:
        ranks = divide(total, nodes) or Said("unknown", total.place, total.written)
    if ranks is None and total is None and spec.ranks.default is not None:
        ranks = Said(spec.ranks.default, Place(None, None), default=True)
    if total is None and nodes is not None and ranks is not None:
        total = _product(nodes, ranks)
    return Counts(nodes, ranks, total)


def said(field: Field) -> Said:
    """A word as a count."""
    return _said(field.text, field.known, value_place(field))


def _said(text: str, known: bool, place: Place) -> Said:
    text = text.strip()
    if known and re.fullmatch(r"\d{1,9}", text):
        return Said(int(text), place, text)
    same = re.fullmatch(r"(\d{1,9})[:-](\d{1,9})", text) if known else None
    if same and same.group(1) == same.group(2):
        return Said(int(same.group(1)), place, text)
    meant = known and (same is not None or re.fullmatch(r"\d{1,9}[:-]\d{1,9}|[a-z]{2,8}", text) is not None)
    return Said(text if meant else "unknown", place, text)


def _direct(
    level: Level, source: CountSource, env: Mapping[str, Field], config: Mapping[str, tuple[str, Place]]
) -> Said | None:
    flag = level.flag(source.flags)
    if flag is not None and flag.value is not None:
        return said(flag.value)
    for name in source.env:
        if name in env:
            return said(env[name])
    return next((_said(config[k][0], True, config[k][1]) for k in source.config if k in config), None)


def _total(level: Level, source: CountSource, config: Mapping[str, tuple[str, Place]]) -> Said | None:
    flag = level.flag(source.total)
    if flag is not None and flag.value is not None:
        return said(flag.value)
    return next((_said(config[k][0], True, config[k][1]) for k in source.total_config if k in config), None)


def _config(level: Level, lookup: Lookup | None) -> Mapping[str, tuple[str, Place]]:
    path = config_path(level)
    return {} if lookup is None or path is None else lookup.config(path) or {}


def config_path(level: Level) -> str | None:
    """The configuration file of the launcher itself."""
    flag = level.flag(level.spec.config_flags)
    if flag is not None and flag.value is not None:
        return flag.value.text
    operand = level.words[level.first].text if level.first < len(level.words) else "-"
    return operand if level.spec.config_operands and not operand.startswith("-") else None


def _hosts(level: Level, source: CountSource, lookup: Lookup | None) -> Said | None:
    """Nodes out of a list of hosts, or out of a file with one on each line."""
    flag = level.flag(source.hosts)
    if flag is not None and flag.value is not None:
        text = flag.value.text
        count = host_count(text) if flag.value.known else None
        return Said("unknown" if count is None else count, value_place(flag.value), text)
    flag = level.flag(source.hostfile)
    if flag is None or flag.value is None or lookup is None:
        return None
    found = lookup.hosts(flag.value.text)
    return None if found is None else Said(found[0], found[2], str(found[0]))


def _told_elsewhere(level: Level, lookup: Lookup | None) -> bool:
    """Whether this is one of several nodes, and the file that says how many is not at hand."""
    path = config_path(level)
    unread = path is not None and (lookup is None or lookup.config(path) is None)
    return unread and level.flag(level.spec.multi_node.rank_flags) is not None


def _names_hostfile(level: Level) -> bool:
    return level.flag((*level.spec.nodes.hostfile, *level.spec.multi_node.starts_flags)) is not None


def _slots(level: Level, source: CountSource, lookup: Lookup | None) -> tuple[Said] | None:
    """Ranks per node as the file of hosts gives them."""
    flag = level.flag(source.hostfile)
    found = lookup.hosts(flag.value.text) if flag and flag.value and lookup else None
    return (Said(found[1], found[2], str(found[1])),) if found and found[1] is not None else None


def _devices(level: Level, source: CountSource, env: Mapping[str, Field]) -> Said | None:
    """Ranks out of a list of devices: ``localhost:0,1`` or ``0,1``."""
    flag = level.flag(source.devices)
    if flag is None or flag.value is None:
        return None
    text = flag.value.text
    counts = {len([d for d in host.rpartition(":")[2].split(",") if d]) for host in text.split("@")}
    if not flag.value.known or len(counts) > 1:
        return Said("unknown", value_place(flag.value), text)
    return Said(counts.pop(), value_place(flag.value), text)


def _groups(level: Level, source: CountSource) -> Said | None:
    """Nodes out of a list of devices on several hosts: ``h0:0,1@h1:0,1``."""
    flag = level.flag(source.devices)
    if flag is None or flag.value is None or not flag.value.known:
        return None
    return Said(flag.value.text.count("@") + 1, value_place(flag.value), flag.value.text)


def host_count(text: str) -> int | None:
    """Number of hosts in ``a,b``, ``a:4,b:4`` or ``node[0-3,7]``; None when that is not plain."""
    if not text or set(text) & set("$`^/"):
        return None
    count = 0
    for host in re.split(r",(?![^\[]*\])", text):
        ranges = re.search(r"\[([^\]]*)\]", host)
        count += sum(_range(part) for part in ranges.group(1).split(",")) if ranges else 1
    return count


def _range(text: str) -> int:
    bounds = re.fullmatch(r"(\d+)-(\d+)", text)
    return max(int(bounds.group(2)) - int(bounds.group(1)) + 1, 0) if bounds else 1


def divide(total: Said, by: Said) -> Said | None:
    """``total / by`` where both are known, or where ``total`` is written as a multiple of ``by``."""
    if isinstance(total.value, int) and isinstance(by.value, int):
        whole = by.value > 0 and total.value % by.value == 0
        return Said(total.value // by.value, total.place, str(total.value // by.value)) if whole else None
    names = [re.sub(r"[${}\s]", "", text) for text in (total.written, by.written)]
    inner = re.fullmatch(r"\(\((.*)\)\)", names[0])
    factors = (inner.group(1) if inner else names[0]).split("*")
    if len(factors) == 2 and names[1] in factors:
        other = factors[1 - factors.index(names[1])]
        if other.isdigit():
            return Said(int(other), total.place, other)
    return None


def _product(nodes: Said, ranks: Said) -> Said | None:
    if isinstance(nodes.value, int) and isinstance(ranks.value, int):
        return Said(nodes.value * ranks.value, ranks.place, str(nodes.value * ranks.value))
    return None
