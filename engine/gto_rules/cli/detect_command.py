"""Which framework a project uses, which inference engines, and what its launch command runs.

Nothing of the project is run or imported; every statement comes with the file and line it rests on.
"""

from __future__ import annotations

import argparse

from gto_rules.cli.options import add_project, analyse_project, print_json, print_problems


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_project(parser)


def run(args: argparse.Namespace) -> int:
    analysis = analyse_project(args, judge=False)
    data = analysis.detect_json() | {"problems": list(analysis.facts.problems)}
    if args.format == "json":
        print_json(data)
        return 0
    from gto_rules.cli.show import evidence_line, say

    print(f"framework    {data['framework']}")
    engines = [name for name, found in data["inference"].items() if found]
    print(f"inference    {', '.join(engines) or 'none'}")
    print(f"multi-node   {data['multi_node']}")
    launch = data["launch"]
    if launch:
        print(f"launch       {say(launch['command'])}")
        print(f"             launcher {launch['launcher']}, entry {launch['entry'] or launch['entry_module'] or '-'},")
        ranks = launch["nproc_per_node"] if launch["nproc_per_node"] is not None else "not said"
        print(f"             nodes {launch['nnodes']}, ranks per node {ranks}")
    elif data["candidates"]:
        print("launch       not given; found in the project (choose one with --launch):")
        for candidate in data["candidates"][:8]:
            print(f"             {say(candidate['command'])}  [{evidence_line(candidate['evidence'])}]")
    else:
        print("launch       none given, none found")
    for evidence in data["evidence"][:8]:
        print(f"evidence     {evidence_line(evidence)}")
    for name, places in data["alternatives"].items():
        print(f"also seen    {name}: {evidence_line(places[0])}")
    print_problems(analysis)
    return 0
