"""Arguments that the program itself declares, by the parser rules of the packs.

A settings table may hold ``parsers``: how libraries turn code into a command line. Each has a ``call`` (canonical
name, ``*`` allowed) and a ``kind``:

* ``options``: the call declares one argument: its flags are positional texts, keywords give the rest;
* ``defaults``: the call's keywords are defaults of arguments declared elsewhere in the file;
* ``named``: the same as ``options`` with a plain name first, then the default (``DEFINE_integer("steps", 10)``);
* ``function``: the call's first argument is a function whose parameters are the arguments;
* ``dataclasses``: the call's first argument is a dataclass, or several, whose fields are the arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tree_sitter import Node

from gto_rules.facts.python.grammar import text_of
from gto_rules.facts.python.model import Binding, Field, Function, Scope
from gto_rules.facts.python.module import PythonModule
from gto_rules.facts.python.values import Home, Located
from gto_rules.facts.settings.code import CallSite, Code
from gto_rules.facts.settings.table import Parser
from gto_rules.facts.settings.words import is_flag, normal

_BOOL_ACTIONS = ("store_true", "store_false", "BooleanOptionalAction")
_TYPE_WORD = re.compile(r"\b(bool|int|float|str|list|List|tuple|Tuple|Sequence|dict|Dict|Path)\b")
_TYPES = {"List": "list", "tuple": "list", "Tuple": "list", "Sequence": "list", "Dict": "dict", "Path": "str"}


@dataclass(frozen=True, slots=True)
class Declared:
    """One argument that the program declares.

    Attributes:
        name: Its name in the code.
        spellings: Normalised flags that set it.
        type: Type as a settings table names it.
        default: The default's expression, if there is one.
        implicit: Default that the declaration implies without writing it (False for a switch), when ``has_implicit``.
        site: The expression to point at when the default is implicit.
        owner: Canonical name of the function or class whose argument it is; '' for a parser's option.
        depth: Distance of its file from the entry.
    """

    name: str
    spellings: frozenset[str]
    type: str
    default: Located | None
    site: Located
    owner: str = ""
    depth: int = 0
    implicit: bool | None = None
    negative: frozenset[str] = frozenset()


class Arguments:
    """All declared arguments of the code that runs, nearest to the entry first."""

    def __init__(self, code: Code, parsers: Iterable[Parser], is_given: Callable[[Declared], bool]) -> None:
        """``is_given`` tells whether the launch sets an argument."""
        self._code = code
        self.is_given = is_given
        self.parsers = tuple(parsers)
        found: list[Declared] = []
        self.classes: list[str] = []
        self.fed_at: dict[str, int] = {}  # class, or '' for one that nobody knows → depth of the nearest parser
        self._defaults: dict[tuple[str, str], Located] = {}
        self._from_config: set[str] = set()
        for site, parser in self._sites():
            found += self._declare(site, parser)
        self.all = tuple(sorted(found, key=lambda d: d.depth))
        self._named: dict[str, list[Declared]] = {}
        for declared in self.all:
            self._named.setdefault(declared.name, []).append(declared)

    def deciding(self, alike: list[Declared]) -> list[Declared]:
        """Of declarations with one name: in each file the one that the launch uses, else the first.

        ``--x`` and ``--no-x`` may both store to ``x``; a default set apart from them goes before theirs.
        """
        chosen: dict[tuple[str, str], Declared] = {}
        for declared in alike:
            key = (declared.site.home.place(declared.site.node)[0], declared.name)
            if key not in chosen or (self.is_given(declared) and not self.is_given(chosen[key])):
                apart = self._defaults.get(key)
                chosen[key] = replace(declared, default=apart) if apart is not None else declared
        return list(chosen.values())

    @property
    def names(self) -> Mapping[str, object]:
        """Every argument's name (as keys)."""
        return self._named

    def named(self, name: str) -> list[Declared]:
        """The arguments with this name, nearest to the entry first."""
        return self._named.get(name, [])

    def _sites(self) -> Iterator[tuple[CallSite, Parser]]:
        """Calls of parsers, in the order of their files and places."""
        found = [(site, parser) for parser in self.parsers for site in self._code.matching(parser.call)]
        found.sort(key=lambda f: (f[0].depth, f[0].module.path, f[0].call.node.start_byte))
        seen: set[int] = set()
        for site, parser in found:
            if id(site.call) not in seen:
                seen.add(id(site.call))
                yield site, parser

    def _declare(self, site: CallSite, parser: Parser) -> Iterator[Declared]:
        if parser.kind == "defaults":
            for keyword in site.call.arguments:
                if keyword.name is not None:
                    where = site.module.located(keyword.value, site.call.scope)
                    self._defaults[(site.module.path, keyword.name)] = where
        if parser.kind in ("options", "named"):
            found = _option(site, named=parser.kind == "named")
            if found is not None:
                yield found
            return
        first = site.call.positional(0)
        if first is None or parser.kind == "defaults":
            return
        if parser.kind == "function":
            yield from self._function(site, first.value)
        for name in self.classes_in(site.module, first.value, site.call.scope):
            if parser.config:
                self._from_config.add(name)
            self.fed_at[name] = min(site.depth, self.fed_at.get(name, site.depth))
            yield from self._class(name, site.depth)

    def reads_config(self, declared: Declared) -> bool:
        """Whether an argument may also come from a configuration file that the launch names."""
        return declared.owner in self._from_config

    def classes_in(self, home: Home, node: Node, scope: Scope) -> list[str]:
        """Canonical names of the classes that an expression lists, in order; '' for an unknown one."""
        nodes = node.named_children if node.type in ("tuple", "list") else [node]
        return [home.canonical(n, scope) or "" for n in nodes if n.type != "comment"]

    def _function(self, site: CallSite, node: Node) -> Iterator[Declared]:
        name = site.module.canonical(node, site.call.scope)
        held = self.function_named(name) if name else None
        if name is None or held is None:
            return
        module, function = held
        for binding in function.parameters:
            if binding.name != "self":
                yield _parameter(module, binding, name, site.depth)

    def function_named(self, name: str) -> tuple[PythonModule, Function] | None:
        for module, _ in self._code.modules:
            for function in module.functions:
                if module.qualified(function.qualname) == name:
                    return module, function
        return None

    def _class(self, name: str, depth: int) -> Iterator[Declared]:
        if name not in self.classes:
            self.classes.append(name)
        seen: set[str] = set()
        for cls_name in self._code.lineage(name):
            held = self._code.classes.get(cls_name)
            for field in held[0].fields if held else ():
                if field.name not in seen and held is not None:
                    seen.add(field.name)
                    yield field_argument(held[1], field, name, depth)


def _option(site: CallSite, *, named: bool) -> Declared | None:
    call, module = site.call, site.module
    words = [module.value(a.value, call.scope) for a in call.arguments if a.kind == "positional"]
    flags = [v.value for v in words if v.known and isinstance(v.value, str)]
    if not flags or (named and len(words) < 2):
        return None
    longest = max(flags[:1] if named else flags, key=lambda f: (f.startswith("--"), len(f)))
    dest = _text_keyword(site, "dest")
    action = _text_keyword(site, "action") or ("store_true" if _text_keyword(site, "is_flag") == "True" else "")
    spelt = frozenset(normal(f) for f in (flags[:1] if named else flags) if named or is_flag(f))
    default = call.keyword("default")
    node = default.value if default is not None else None
    if named:
        second = call.positional(1)
        node = second.value if second is not None else node
    where = module.located(node, call.scope) if node is not None else None
    kind = _option_type(site, action)
    implicit = {"store_true": False, "store_false": True}.get(action.strip("\"'"))
    name = dest if dest else normal(longest)
    site_node = module.located(call.node, call.scope)
    return Declared(name, spelt or frozenset({name}), kind, where, site_node, "", site.depth, implicit)


def _option_type(site: CallSite, action: str) -> str:
    if any(word in action for word in _BOOL_ACTIONS):
        return "bool"
    if site.call.keyword("nargs") is not None and _text_keyword(site, "nargs") not in ("?", "1"):
        return "list"
    kind = site.call.keyword("type")
    if kind is None:
        return "str" if site.call.keyword("default") is None else _type_of_default(site)
    return type_of(text_of(kind.value))


def _type_of_default(site: CallSite) -> str:
    return "any"


def _text_keyword(site: CallSite, name: str) -> str:
    """A keyword's constant as text; its source text when it is not a constant."""
    held = site.call.keyword(name)
    if held is None:
        return ""
    value = site.module.value(held.value, site.call.scope)
    return str(value.value) if value.known else text_of(held.value)


def type_of(annotation: str) -> str:
    """A type annotation's text, or a ``type=`` function, as a type of the settings tables."""
    found = {_TYPES.get(word, word) for word in _TYPE_WORD.findall(annotation)}
    if "list" in found:
        return "list"
    if "2bool" in annotation or "strtobool" in annotation or "str_to_bool" in annotation:
        return "bool"
    return found.pop() if len(found) == 1 else "any"


def _parameter(module: PythonModule, binding: Binding, owner: str, depth: int) -> Declared:
    kind = type_of(text_of(binding.annotation)) if binding.annotation is not None else "any"
    scope = binding.block.scope
    default = module.located(binding.value, scope.parent) if binding.value is not None else None
    site = module.located(binding.node, scope)
    return Declared(binding.name, frozenset({binding.name}), kind, default, site, owner, depth)


def field_argument(module: PythonModule, field: Field, owner: str, depth: int) -> Declared:
    """A dataclass field as an argument."""
    kind = type_of(text_of(field.annotation)) if field.annotation is not None else "any"
    node = default_node(field.default) if field.default is not None else None
    default = module.located(node) if node is not None else None
    site = module.located(field.node)
    return Declared(field.name, frozenset({field.name}), kind, default, site, owner, depth)


def default_node(node: Node) -> Node | None:
    """The default's expression inside ``field(default=...)``; a plain default as it is."""
    if node.type != "call" or text_of(node.child_by_field_name("function") or node).rpartition(".")[2] != "field":
        return node
    held = node.child_by_field_name("arguments")
    for child in held.named_children if held is not None else ():
        if child.type != "keyword_argument":
            continue
        key, value = child.child_by_field_name("name"), child.child_by_field_name("value")
        if key is None or value is None:
            continue
        if text_of(key) == "default":
            return value
        if text_of(key) == "default_factory":
            return value.child_by_field_name("body") if value.type == "lambda" else None
    return None
