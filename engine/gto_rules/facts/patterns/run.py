"""Run all pattern rules over a project, parsing only the files that can match."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from gto_rules.facts.model import Hit
from gto_rules.facts.patterns.compile import Pattern, compile_patterns
from gto_rules.facts.patterns.model import Context, Found
from gto_rules.facts.prefilter import WordTable, subclass_words
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.index import PythonIndex
from gto_rules.facts.python.module import PythonModule
from gto_rules.rulebook.model import Rule

Hits = dict[str, tuple[Hit, ...]]
_LONGEST_TEXT = 200


def match_patterns(
    index: PythonIndex, rules: Iterable[Rule], paths: Iterable[str] | None = None, only: Collection[str] | None = None
) -> tuple[Hits, Hits]:
    """Hits of every pattern rule, and the places where only a run could tell.

    Args:
        index: The project's Python.
        rules: Rules of kind ``pattern``.
        paths: Files to look at; by default all.
        only: Ids of the rules that are wanted (the others may still be referred to); by default all
            that are no fragments.

    Returns:
        Two mappings by rule id, hits in path and source order; ids without a hit are left out.

    Raises:
        RulebookError: a rule cannot be compiled.
    """
    patterns = compile_patterns(rules)
    wanted = [p for i, p in sorted(patterns.items()) if (i in only if only is not None else not p.fragment)]
    return match_compiled(index, wanted, paths) if wanted else ({}, {})


def match_compiled(
    index: PythonIndex, patterns: Sequence[Pattern], paths: Iterable[str] | None = None
) -> tuple[Hits, Hits]:
    """``match_patterns`` for rules that are compiled already."""
    hits: dict[str, list[Hit]] = {}
    unknown: dict[str, list[Hit]] = {}
    paths = tuple(index.paths if paths is None else paths)
    table = WordTable(index, (w for p in patterns for group in p.anchors for w in group), paths)
    heirs = subclass_words(index, table, {w for p in patterns for w in p.classes})
    for path, wanted in _candidates(table, patterns, paths, heirs):
        module = index.module(path)
        if module is None:
            continue
        context = Context(module, index, heirs)
        for pattern in wanted:
            for found in context.find(pattern.matcher):
                (hits if found.certain else unknown).setdefault(pattern.id, []).append(hit_of(module, found))
    return _frozen(hits), _frozen(unknown)


def _candidates(
    table: WordTable, patterns: Sequence[Pattern], paths: Sequence[str], heirs: Mapping[bytes, frozenset[bytes]]
) -> Iterator[tuple[str, list[Pattern]]]:
    """Files with the patterns whose anchor words they hold."""
    anchors = [tuple(_with_heirs(group, heirs) for group in p.anchors) for p in patterns]
    for path in paths:
        wanted = [p for p, groups in zip(patterns, anchors, strict=True) if table.can_match(path, groups)]
        if wanted:
            yield path, wanted


def _with_heirs(group: frozenset[bytes], heirs: Mapping[bytes, frozenset[bytes]]) -> frozenset[bytes]:
    return group.union(*(heirs[w] for w in group if w in heirs))


def hit_of(module: PythonModule, found: Found) -> Hit:
    place = module.location(found.node)
    text = text_of(found.node).partition("\n")[0].strip()[:_LONGEST_TEXT]
    captures = {name: text_of(node) for name, node in found.captures.items()}
    end_line, end_column = place.end_line or place.line, place.end_column or place.column
    return Hit(place.path, place.line, place.column, end_line, end_column, module.span(found.node), text, captures)


def _frozen(held: Mapping[str, list[Hit]]) -> Hits:
    return {rule: tuple(sorted(held[rule], key=lambda h: (h.path, h.span.start, -h.span.end))) for rule in sorted(held)}
