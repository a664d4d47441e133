"""Names and parameters: which binding holds, and what callers give."""

from __future__ import annotations

from gto_rules.facts.python.blocks import conditions
from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Binding, Scope
from gto_rules.facts.python.module import PythonModule
from gto_rules.facts.python.values import Located
from gto_rules.facts.settings.code import CallSite, unguarded
from gto_rules.facts.settings.results import Follower, Result, Rule, Symbol, agreed, here, unknown


def follow_name(flow: Follower, where: Located, depth: int) -> Result:
    """A plain name."""
    name = text_of(where.node)
    found = where.home.lookup(name, where.scope)
    if found is None:
        return unknown(where, name)
    scope, bindings = found
    if scope.kind == "module" and where.home.rewrites_names:
        return unknown(where, f"{name}, which executed code may replace")
    held = [b for b in bindings if b.kind not in ("other", "delete")]
    return agreed(where, _candidates(flow, where, held, depth), f"{name}, which is set in several places")


def _candidates(flow: Follower, where: Located, bindings: list[Binding], depth: int) -> list[Result]:
    """What the name can hold where it is used: the last sure binding and the open ones after it."""
    use = where.home.block_at(where.node)
    results: list[Result] = []
    for binding in reversed(bindings):
        if binding.block.scope is use.scope and binding.start >= where.node.start_byte:
            continue
        around = [b for b in unguarded(binding.block) if b not in conditions(use)]
        held = flow.truth(around, where.home, depth + 1)
        if held is False:
            continue
        results.append(_binding(flow, where, binding, depth))
        if held is True:
            break
    return results


def _binding(flow: Follower, where: Located, binding: Binding, depth: int) -> Result:
    if binding.kind == "parameter":
        return _parameter(flow, where, binding, depth)
    if binding.kind == "import" and binding.imported:
        target = where.home.constant(binding.imported)
        return flow.value(target, depth + 1) if target else here(where, Symbol(binding.imported))
    if binding.kind == "assign" and binding.value is not None:
        return flow.value(Located(binding.value, binding.block.scope, where.home), depth + 1)
    return unknown(where, binding.name)


def _parameter(flow: Follower, where: Located, binding: Binding, depth: int) -> Result:
    """A parameter: an argument of the program, or what all callers give."""
    function = binding.block.scope
    home = flow.code.module_of(where)
    owner = home.qualified(function.qualname) if home is not None else ""
    for declared in flow.arguments.named(binding.name):
        if declared.owner == owner:
            return flow.argument(declared, depth)
    sites = _callers(flow, home, function) if home is not None else []
    results = [_passed(flow, site, where, binding, depth) for site in sites]
    if not results:
        return unknown(where, f"the parameter {binding.name}")
    return agreed(where, results, f"the parameter {binding.name}, which its callers give differently")


def _callers(flow: Follower, home: PythonModule, function: Scope) -> list[CallSite]:
    made = function.parent if function.name == "__init__" and function.parent is not None else function
    name = home.qualified(made.qualname)
    sites = flow.code.called(made.name)
    return [s for s in sites if s.call.scope is not function and s.call.name in (name, None)]


def _passed(flow: Follower, site: CallSite, where: Located, binding: Binding, depth: int) -> Result:
    """What one call gives to a parameter: its argument, else the parameter's default."""
    function = binding.block.scope
    keyword = site.call.keyword(binding.name)
    position = _position(function, binding)
    held = keyword if keyword is not None or position is None else site.call.positional(position)
    if held is not None:
        return flow.value(site.module.located(held.value, site.call.scope), depth + 1)
    open_end = any(a.kind in ("list_splat", "dict_splat") for a in site.call.arguments)
    if open_end or binding.value is None or function.parent is None:
        return unknown(site.module.located(site.call.node), f"the arguments of {site.call.last}")
    return flow.value(Located(binding.value, function.parent, where.home), depth + 1)


def _position(function: Scope, binding: Binding) -> int | None:
    """A parameter's place among the positional ones as a caller counts them (without ``self``)."""
    held = sorted((b for bs in function.bindings.values() for b in bs if b.kind == "parameter"), key=lambda b: b.start)
    names = [b.name for b in held]
    method = function.parent is not None and function.parent.kind == "class" and names[:1] in (["self"], ["cls"])
    at = names.index(binding.name) - (1 if method else 0)
    return at if at >= 0 else None


NAME_RULES: dict[str, Rule] = {"identifier": follow_name}
