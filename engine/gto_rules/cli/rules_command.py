"""The rules themselves: list them, explain one, validate and test packs, try an expression on a project."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gto_rules.cli.options import add_format, add_packs, print_json, rulebook_of
from gto_rules.errors import RulebookError, UsageError

if TYPE_CHECKING:
    from gto_rules.rulebook.model import Rule, Rulebook


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    one = commands.add_parser("list", help="every rule with its kind, points and number of cases")
    one.add_argument("--kind", help="only rules of this kind")
    _common(one)
    for name, words in (("show", "one rule as its file holds it"), ("explain", "one rule in words")):
        one = commands.add_parser(name, help=words)
        one.add_argument("id", metavar="ID")
        _common(one)
    one = commands.add_parser("validate", help="check packs and print everything that is wrong")
    one.add_argument("packs", nargs="*", type=Path, metavar="PACK_DIR")
    _common(one)
    one = commands.add_parser("test", help="run the cases beside the rules")
    one.add_argument("packs", nargs="*", type=Path, metavar="PACK_DIR")
    one.add_argument("-k", dest="match", default="", metavar="TEXT", help="only rules whose id holds TEXT")
    _common(one)
    one = commands.add_parser("eval", help="the value of a JMESPath expression over a project's facts")
    one.add_argument("expression")
    one.add_argument("--on", type=Path, required=True, metavar="PROJECT")
    one.add_argument("--launch", metavar="CMD")
    one.add_argument("--cwd", default=".")
    _common(one)


def _common(parser: argparse.ArgumentParser) -> None:
    add_packs(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    actions = {
        "list": _list,
        "show": _show,
        "explain": _explain,
        "validate": _validate,
        "test": _test,
        "eval": _eval,
    }
    return actions[args.action](args)


def _rule(rulebook: Rulebook, rule_id: str) -> Rule:
    import difflib

    try:
        return rulebook.get(rule_id)
    except KeyError:
        near = difflib.get_close_matches(rule_id, [r.id for r in rulebook.rules], n=1)
        raise UsageError(f"there is no rule '{rule_id}'", hint=f"did you mean '{near[0]}'?" if near else None) from None


def _list(args: argparse.Namespace) -> int:
    from gto_rules.loop.rule_cases import is_positive
    from gto_rules.rulebook.cases import read_cases
    from gto_rules.rulebook.discover import builtin_packs

    rulebook = rulebook_of(args)
    cases, _ = read_cases((*builtin_packs(), *args.pack))
    rows: list[dict[str, Any]] = []
    for rule in rulebook.rules:
        if args.kind and rule.kind != args.kind:
            continue
        own = cases[rule.id].cases if rule.id in cases else ()
        positive = sum(is_positive(rule.kind, case["expect"]) for case in own)
        title = rule.data.get("title", rule.id)
        rows.append(
            {
                "id": rule.id,
                "kind": rule.kind,
                "pack": rule.pack,
                "title": title.get(args.lang, title["en"]) if isinstance(title, dict) else title,
                "severity": rule.data.get("severity"),
                "points": rule.data.get("points"),
                "max": rule.data.get("max"),
                "tests": {"positive": positive, "negative": len(own) - positive},
            }
        )
    if args.format == "json":
        print_json({"rules": rows})
        return 0
    width = max((len(r["id"]) for r in rows), default=0)
    for row in rows:
        tests = f"{row['tests']['positive']}+{row['tests']['negative']}"
        print(f"{row['id']:<{width}}  {row['kind']:<9} {tests:>6} cases  {row['title']}")
    print(f"{len(rows)} rules")
    return 0


def _show(args: argparse.Namespace) -> int:
    from gto_rules.rulebook.discover import builtin_packs

    rule = _rule(rulebook_of(args), args.id)
    if args.format == "json":
        print_json(dict(rule.data))
        return 0
    roots = {p.name: p for p in (*builtin_packs(), *(p.resolve() for p in args.pack))}
    print(f"# {rule.path}:{rule.line}")
    print((roots[rule.path.split("/")[0]].parent / rule.path).read_text("utf-8"), end="")
    return 0


def _explain(args: argparse.Namespace) -> int:
    rule = _rule(rulebook_of(args), args.id)
    data = rule.data

    def words(value: Any) -> str:
        return str(value.get(args.lang, value["en"])) if isinstance(value, dict) else str(value)

    print(f"{words(data.get('title', rule.id))}  ({rule.id}, {rule.kind})")
    for key in ("why", "advice", "symptom", "cause", "solution", "needs"):
        if key in data:
            print(f"  {key}: {words(data[key])}")
    if "gain" in data:
        print(f"  gain: {words(data['gain']['text'])} {data['gain'].get('source', '')}")
    for key in ("priority", "risk", "severity", "points"):
        if key in data:
            print(f"  {key}: {data[key]}")
    for key in ("applies_when", "enabled", "recommended_when", "when", "requires", "set", "edits"):
        if key in data:
            print(f"  {key}: {data[key]}")
    for reference in data.get("references", ()):
        print(f"  source: {reference['url']} ({reference.get('proves', '')})")
    print(f"  file: {rule.path}:{rule.line}")
    return 0


def _validate(args: argparse.Namespace) -> int:
    from gto_rules.rulebook import load
    from gto_rules.rulebook.cases import read_cases
    from gto_rules.rulebook.discover import builtin_packs

    try:
        rulebook = load((*args.pack, *args.packs), use_cache=False)
    except RulebookError as error:
        print(error, file=sys.stderr)
        print(f"{len(error.diagnostics)} error(s)", file=sys.stderr)
        return 2
    _, wrong = read_cases((*builtin_packs(), *args.pack, *args.packs))
    for diagnostic in wrong:
        print(diagnostic.render(), file=sys.stderr)
    if wrong:
        print(f"{len(wrong)} error(s)", file=sys.stderr)
        return 2
    print(f"{len(rulebook.packs)} packs with {len(rulebook.rules)} rules are valid")
    return 0


def _test(args: argparse.Namespace) -> int:
    from gto_rules.loop.rule_cases import run_case
    from gto_rules.rulebook import load
    from gto_rules.rulebook.cases import TESTED, read_cases
    from gto_rules.rulebook.discover import builtin_packs

    rulebook = load((*args.pack, *args.packs), use_cache=not args.no_cache)
    cases, wrong = read_cases(args.packs or (*builtin_packs(), *args.pack))
    for diagnostic in wrong:
        print(diagnostic.render(), file=sys.stderr)
    own = {p.resolve().name for p in args.packs}
    rules = [r for r in rulebook.rules if args.match in r.id and (not own or r.pack in own)]
    results, bare = [], []
    for rule in rules:
        ran = [run_case(rule, case, rulebook) for case in (cases[rule.id].cases if rule.id in cases else ())]
        results += ran
        if rule.kind in TESTED and not ({True} <= {r.positive for r in ran} and {False} <= {r.positive for r in ran}):
            bare.append(rule.id)
    failed = [r for r in results if r.problem and not r.gap]
    for result in failed:
        print(f"FAILED {result.rule}: {result.name}\n       {result.problem}")
    for rule_id in bare:
        print(f"LACKS  {rule_id}: needs a case where it holds and one where it does not")
    gaps = sum(bool(r.gap and r.problem) for r in results)
    passed = len(results) - len(failed) - gaps
    print(f"{passed} cases passed, {len(failed)} failed, {gaps} known gaps, {len(bare)} rules lack cases")
    return 1 if failed or bare or wrong else 0


def _eval(args: argparse.Namespace) -> int:
    from gto_rules.loop.analysis import analyse
    from gto_rules.rulebook.expressions import Names, check_expression, evaluate_expression

    rulebook = rulebook_of(args)
    settings = frozenset(n for r in rulebook.of("settings") for n in r.data["settings"])
    names = Names(settings, frozenset(r.id for r in rulebook.of("pattern")))
    for error in check_expression(args.expression, names):
        print(f"{args.expression}\n{' ' * error.offset}^ {error.message}", file=sys.stderr)
        for extra in (error.hint, error.expected):
            if extra:
                print(f"  {extra}", file=sys.stderr)
        return 2
    analysis = analyse(args.on, command=args.launch, cwd=args.cwd, rulebook=rulebook)
    print_json(evaluate_expression(args.expression, analysis.facts.document()))
    return 0
