"""Finders for what code says: keywords of calls, attributes, dataclass fields, declared arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

from gto_rules.facts.model import Origin
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Argument
from gto_rules.facts.python.values import Located
from gto_rules.facts.settings.arguments import Declared, default_node
from gto_rules.facts.settings.code import AttributeSite, CallSite, fits, unguarded
from gto_rules.facts.settings.flow_attributes import parsed_class
from gto_rules.facts.settings.origins import expression_origin
from gto_rules.facts.settings.reading import Found, Reading
from gto_rules.facts.settings.splats import splat_item
from gto_rules.facts.settings.table import Source, Spec


def find_keyword(source: Source, spec: Spec, spelling: str, reading: Reading) -> Iterator[Found]:
    """Keyword arguments of the source's callables; the calls nearest to the entry decide.

    Option ``prefer`` lists keywords that mark the calls that count among several alike, wherever they stand.
    """
    name = source.spelt(spelling)
    preferred = tuple(source.options.get("prefer", ()))
    limit = _parser_depth(source, spec, reading)
    found: list[tuple[int, Found]] = []
    for site in _sites(source, reading):
        one = _at_call(source, spec, name, site, reading)
        if one is not None and limit is not None and site.depth > limit:
            one = Found(one.origin, one.node, maybe=True, weak=True)
        if one is not None:
            rank = site.depth if not preferred else int(not _marked(site, preferred, reading))
            found.append((rank, one))
    found.sort(key=lambda f: f[0])
    yield from _nearest(found)


def _parser_depth(source: Source, spec: Spec, reading: Reading) -> int | None:
    """Distance of the parser that makes an object of this kind (or of a kind that nobody knows) for the program.

    Calls further away make other objects, for other tasks as often as not: they may count, they do not decide.
    """
    if not any(s.kind == "field" and s.of == source.of for s in spec.sources):
        return None
    derived = reading.derived(source.of)
    fed = reading.arguments.fed_at
    depths = [d for cls, d in fed.items() if not cls or cls in derived or any(fits(cls, p) for p in source.of)]
    return min(depths, default=None)


def _marked(site: CallSite, keywords: tuple[str, ...], reading: Reading) -> bool:
    """Whether a call has one of the keywords, with a value other than False or None."""
    for keyword in keywords:
        held = site.call.keyword(keyword)
        if held is not None:
            found = reading.flow.value(site.module.located(held.value, site.call.scope))
            if not found.plain or found.value:
                return True
    return False


def _sites(source: Source, reading: Reading) -> tuple[CallSite, ...]:
    """The calls of a source's callables; the same for all settings of a table, so they are found once."""
    excluded = tuple(source.options.get("not", ()))
    key = (source.of, excluded)
    if key not in reading.sites:
        found = reading.sites[key] = tuple(_find_sites(source.of, excluded, reading))
        # Conditions may ask for settings that these very calls hold: until they are judged, all calls count.
        reading.sites[key] = tuple(s for s in found if _can_run(s, reading))
    return reading.sites[key]


def _can_run(site: CallSite, reading: Reading) -> bool:
    """False for a call under a condition that does not hold in this run."""
    return reading.flow.truth(unguarded(site.call.block), site.module) is not False


def _find_sites(patterns: tuple[str, ...], excluded: tuple[str, ...], reading: Reading) -> Iterator[CallSite]:
    derived = reading.derived(patterns)
    seen: set[int] = set()
    for site in _candidates(patterns, derived, reading):
        name = site.call.name or text_of(site.call.function)
        if id(site.call) in seen or any(fnmatchcase(name, p) for p in excluded):
            continue
        seen.add(id(site.call))
        if name in derived or any(_is_call_of(site, name, p, reading) for p in patterns):
            yield site


def _candidates(patterns: tuple[str, ...], derived: frozenset[str], reading: Reading) -> list[CallSite]:
    """Calls that can be meant, by the last word of what they call, nearest to the entry first."""
    found = [s for p in patterns for s in reading.code.matching(f"*.{p.rpartition('.')[2]}")]
    found += [s for d in sorted(derived) for s in reading.code.called(d.rpartition(".")[2])]
    return sorted(found, key=lambda s: s.depth)


def _is_call_of(site: CallSite, name: str, pattern: str, reading: Reading) -> bool:
    if pattern.startswith("*."):
        return site.call.last == pattern[2:]
    if fits(name, pattern):
        return True
    owner, _, method = name.rpartition(".")
    if site.call.last == pattern.rpartition(".")[2] and owner in reading.code.classes:
        return any(fits(f"{base}.{method}", pattern) for base in reading.code.lineage(owner))
    return False


def _at_call(source: Source, spec: Spec, name: str, site: CallSite, reading: Reading) -> Found | None:
    """What one call says about a setting."""
    held = site.call.keyword(name)
    if held is None and "position" in source.options:
        held = site.call.positional(int(source.options["position"]))
    if held is not None:
        return Found(_argument_origin(spec, name, site, held, reading))
    for splat in (a for a in site.call.arguments if a.kind == "dict_splat"):
        item = splat_item(reading, site, splat, name)
        if isinstance(item, Located):
            return Found(expression_origin("keyword", spec, name, item, reading, splat.span))
        if item is None:
            return Found(_splat_origin(name, site, splat), maybe=True, weak=True)
    if source.options.get("present"):
        return Found(_present(name, site))
    return None


def _argument_origin(spec: Spec, name: str, site: CallSite, held: Argument, reading: Reading) -> Origin:
    where = site.module.located(held.value, site.call.scope)
    return expression_origin("keyword", spec, name, where, reading, site.call.span)


def _splat_origin(name: str, site: CallSite, splat: Argument) -> Origin:
    path, line, span = site.module.place(splat.value)
    reason = f"{name} may come from **{text_of(splat.value)}"
    return Origin("keyword", path, line, span, None, text_of(splat.value), True, reason, name, site.call.span)


def _present(name: str, site: CallSite) -> Origin:
    path, line, span = site.module.place(site.call.function)
    return Origin("keyword", path, line, span, True, text_of(site.call.function), key=name, anchor=site.call.span)


def _nearest(found: list[tuple[int, Found]]) -> Iterator[Found]:
    """Findings nearest to the entry first; when the nearest disagree, a computed one stands before them."""
    sure = [(depth, f) for depth, f in found if not f.maybe]
    if sure:
        first = sure[0][1].origin
        near = [f.origin for depth, f in sure if depth == sure[0][0]]
        other = next((o for o in near if o.computed or o.value != first.value), None)
        if other is not None and not first.computed:
            yield Found(disagreement(first, other))
        yield from (f for _, f in sure)
    else:
        yield from (f for _, f in found[:1])


def disagreement(first: Origin, other: Origin) -> Origin:
    """``first`` as an open value, because ``other`` says something else with the same right."""
    shown = "decided at run time" if other.computed else repr(other.value)
    reason = f"{first.value!r} here, {shown} at {other.path}:{other.line}"
    return replace(first, value=None, computed=True, reason=reason)


def find_attribute(source: Source, spec: Spec, spelling: str, reading: Reading) -> Iterator[Found]:
    """``args.name = value`` on instances of the source's classes; under an open condition it only may hold."""
    name = source.spelt(spelling)
    for site in reversed(reading.code.assigned(name)):
        if site.assignment.augmented or not _is_instance(source, site, reading):
            continue
        held = reading.flow.truth(unguarded(site.assignment.block), site.module)
        if held is False:
            continue
        where = Located(site.assignment.value, site.assignment.scope, site.module)
        origin = expression_origin("attribute", spec, name, where, reading, site.module.span(site.assignment.node))
        yield Found(origin, maybe=held is None, weak=held is None)


def _is_instance(source: Source, site: AttributeSite, reading: Reading) -> bool:
    owner = site.assignment.object
    where = Located(owner, site.assignment.scope, site.module)
    cls = site.module.instance_of(owner, site.assignment.scope) or parsed_class(reading.flow, where, owner)
    if cls is None:
        return False
    return cls in reading.derived(source.of) or any(fits(cls, p) for p in source.of)


def find_field(source: Source, spec: Spec, spelling: str, reading: Reading) -> Iterator[Found]:
    """Defaults of fields in project classes that derive from the source's classes and are used."""
    name = source.spelt(spelling)
    found: list[Found] = []
    for cls in _used_classes(source, reading):
        for base in reading.code.lineage(cls):
            held = reading.code.classes.get(base)
            field = held[0].field(name) if held else None
            if held is None or field is None:
                continue
            node = default_node(field.default) if field.default is not None else None
            if node is not None:
                where = held[1].located(node)
                found.append(Found(expression_origin("field", spec, name, where, reading, field.span)))
            break
    yield from _nearest([(0, f) for f in found])


def _used_classes(source: Source, reading: Reading) -> tuple[str, ...]:
    """Project classes of the wanted kind: those that a parser feeds; else those that are made; else all."""
    if source.of not in reading.used:
        reading.used[source.of] = tuple(_find_used(reading.derived(source.of), reading))
    return reading.used[source.of]


def _find_used(wanted: frozenset[str], reading: Reading) -> list[str]:
    fed = [c for c in reading.arguments.classes if c in wanted]
    if fed or not wanted:
        return fed
    made = [s.call.name for s in reading.code.all_calls() if s.call.name in wanted]
    if made:
        return [m for m in dict.fromkeys(made) if m]
    inner = {base for cls in wanted for base in list(reading.code.lineage(cls))[1:]}
    return sorted(wanted - inner)


def find_argument(source: Source, spec: Spec, spelling: str, reading: Reading) -> Iterator[Found]:
    """Defaults that the program's own parser declares."""
    name = source.spelt(spelling)
    found = reading.arguments.named(name)
    for declared in [d for d in found if d.depth == found[0].depth]:
        origin = declared_default(declared, reading, spec.type)
        if origin is not None:
            yield Found(origin)


def declared_default(declared: Declared, reading: Reading, kind: str | None = None) -> Origin | None:
    """A declared argument's default as an origin; kind ``default`` when the declaration only implies it."""
    if declared.default is not None:
        spec = Spec(declared.name, kind or declared.type)
        return expression_origin("argparse", spec, declared.name, declared.default, reading, None)
    if declared.implicit is None:
        return None
    path, line, span = declared.site.home.place(declared.site.node)
    return Origin("default", path, line, span, declared.implicit, "", key=declared.name)
