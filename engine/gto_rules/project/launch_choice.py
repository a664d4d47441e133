"""Choosing between the launches of one text, and saying so where the text does not decide."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gto_rules.project.launch_hints import matching
from gto_rules.project.launch_unwrap import Reading
from gto_rules.project.launchers import LauncherSpec, with_role
from gto_rules.project.model import Launch

_ROLE_POINTS = {"launcher": 4, "program": 4}


@dataclass(frozen=True)
class Found:
    """A launch and how it was read."""

    launch: Launch
    reading: Reading


def choose(found: Sequence[Found], launchers: Sequence[LauncherSpec], problems: tuple[str, ...]) -> Launch:
    """The one launch that the evidence favours, or a launch that lists the equals in ``ambiguous``."""
    best = _best(found, launchers)
    first = best[0].launch
    if len(best) > 1:
        local = _all_nodes_here(best)
        first = replace(first, multi_node="none", single_node=()) if local else _merged([one.launch for one in best])
    left = [one.launch for one in found if one not in best and not one.reading.opaque]
    notes = tuple(f"also runs: {_title(one)}" for one in left[:5])
    return replace(first, problems=tuple(dict.fromkeys((*first.problems, *problems, *notes))))


def _best(found: Sequence[Found], launchers: Sequence[LauncherSpec]) -> list[Found]:
    scores = [points(one, launchers) for one in found]
    top = [one for one, score in zip(found, scores, strict=True) if score == max(scores)]
    different: list[Found] = []
    for one in top:
        if not any(_same_run(one.launch, other.launch) for other in different):
            different.append(one)
    return different


def points(found: Found, launchers: Sequence[LauncherSpec]) -> int:
    """How much a launch looks like the training run of its text."""
    if found.reading.opaque:
        return -100
    launch, level = found.launch, found.reading.level
    starts_ranks = any(one.spec.launches for one in found.reading.chain)
    # A command of the project's own package has no rule: its name alone speaks.
    score = 4 if starts_ranks else _ROLE_POINTS.get(level.spec.role, 0) if level.spec.id else 0
    return score + entry_score(launch, launchers)


def entry_score(launch: Launch, launchers: Sequence[LauncherSpec]) -> int:
    """Points for the name of what runs (``train.py`` against ``convert.py``)."""
    if launch.entry is not None:
        name = posixpath.basename(launch.entry)
    else:
        name = launch.entry_module or (launch.program[-1] if launch.program else "")
    return name_score(name, launchers)


def name_score(name: str, launchers: Sequence[LauncherSpec]) -> int:
    """Points for a name alone."""
    tables = [spec.entry_scores for spec in with_role(launchers, "words")]
    return sum(next((p for pattern, p in t.items() if matching(name.lower(), (pattern,))), 0) for t in tables)


def _same_run(one: Launch, two: Launch) -> bool:
    def words(launch: Launch) -> tuple[object, ...]:
        env = tuple((k, w.text) for k, w in launch.env.items())
        return tuple(w.text for w in launch.argv), env, launch.cwd, launch.outer

    return words(one) == words(two)


def _all_nodes_here(best: Sequence[Found]) -> bool:
    """Whether the commands are the nodes of one run, all started on this machine side by side."""
    if not all(one.reading.context.background for one in best) or best[0].launch.nnodes != len(best):
        return False
    ranks, others = set(), set()
    for one in best:
        level = one.reading.level
        flag = level.flag(level.spec.multi_node.rank_flags)
        if flag is None or flag.value is None:
            return False
        ranks.add(flag.value.text)
        others.add(tuple(w.text for at, w in enumerate(level.words) if not flag.first <= at < flag.last))
    return len(ranks) == len(best) and len(others) == 1


def _merged(launches: Sequence[Launch]) -> Launch:
    """What all launches have in common; ``ambiguous`` lists them."""
    first = launches[0]
    kinds = {one.multi_node for one in launches}
    multi_node = next(kind for kind in ("B", "A", "none") if kind in kinds)
    several = next((one for one in launches if one.multi_node == "B" and one.single_node), first)
    same_program = len({(one.entry, one.entry_module, one.program) for one in launches}) == 1
    return replace(
        first,
        nnodes=first.nnodes if len({one.nnodes for one in launches}) == 1 else "unknown",
        nproc_per_node=first.nproc_per_node if len({one.nproc_per_node for one in launches}) == 1 else "unknown",
        entry=first.entry if same_program else None,
        entry_module=first.entry_module if same_program else None,
        multi_node=multi_node,
        single_node=_single(several, first) if multi_node == "B" else (),
        ambiguous=tuple(launches),
        problems=(f"{len(launches)} commands are meant equally; name one of them",),
    )


def _single(several: Launch, first: Launch) -> tuple[str, ...]:
    """One form for one node, without the variables that only some of the commands set."""
    extra = {f"{k}={w.text}" for k, w in several.env.items()} - {f"{k}={w.text}" for k, w in first.env.items()}
    return tuple(w for w in several.single_node if w not in extra)


def _title(launch: Launch) -> str:
    what = launch.entry or launch.entry_module
    return f"{launch.launcher} {what}" if what else " ".join(launch.program) or launch.launcher
