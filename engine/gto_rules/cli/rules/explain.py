"""One rule in words: what, why, example, fix, sources."""

from __future__ import annotations

import argparse
import shutil

from gto_rules.cli.options import print_json, rulebook_of
from gto_rules.cli.rules.common import add_common, find_rule

_WIDEST = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID")
    add_common(parser, ("text", "json", "markdown"))


def run(args: argparse.Namespace) -> int:
    from gto_rules.cli.show import colour
    from gto_rules.report.rules.docs import KIND_NAMES, page_markdown
    from gto_rules.report.rules.page import Pages
    from gto_rules.report.rules.terminal import render_page
    from gto_rules.rulebook.cases import read_cases
    from gto_rules.rulebook.discover import builtin_packs

    rulebook = rulebook_of(args)
    rule = find_rule(rulebook, args.id)
    cases, _ = read_cases((*builtin_packs(), *args.pack))
    pages = Pages(rulebook, cases, args.lang)
    page = pages.page(rule)
    if args.format == "json":
        print_json(page.to_json())
    elif args.format == "markdown":
        print(page_markdown(page, args.lang), end="")
    else:
        width = min(shutil.get_terminal_size().columns, _WIDEST)
        print(render_page(page, pages.say(*KIND_NAMES[rule.kind]), pages.say, width, colour), end="")
    return 0
