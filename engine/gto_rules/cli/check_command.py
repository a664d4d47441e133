"""Check files for training-code faults, contradictory settings, and settings that do not exist.

Files are only read. Exit codes: 0 nothing to report, 1 something to report, 2 wrong use or a bad rule.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gto_rules.errors import UsageError

if TYPE_CHECKING:
    from datetime import date

    from gto_rules.check.config import Config, Configs
    from gto_rules.check.fixes import Patch
    from gto_rules.check.model import CheckResult
    from gto_rules.check.ruleset import Selection
    from gto_rules.check.targets import Target
    from gto_rules.rulebook.model import Rulebook

FORMATS = ("text", "json", "jsonl", "sarif", "junit", "github", "gitlab", "markdown")
_RISKS = ("neutral", "numerics", "convergence", "artefact")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and folders (default: the current folder); - reads stdin"
    )
    parser.add_argument("--stdin-filename", metavar="FILE", help="name under which stdin is checked")
    chosen = parser.add_argument_group("which findings")
    chosen.add_argument("--select", action="append", metavar="RULE", help="only these rules: ids, beginnings, packs")
    chosen.add_argument("--ignore", action="append", metavar="RULE", help="leave these rules out")
    chosen.add_argument("--severity", choices=("error", "warning", "info"), help="the weakest severity reported")
    chosen.add_argument("--priority", action="append", choices=("P0", "P1", "P2"), help="only these priorities")
    chosen.add_argument("--diff", metavar="REV", help="only what the files brought since a git revision")
    chosen.add_argument("--baseline", type=Path, metavar="FILE", help="leave out the findings that FILE knows")
    chosen.add_argument("--write-baseline", type=Path, metavar="FILE", help="write the findings to FILE as known")
    fixes = parser.add_argument_group("fixes (the files themselves are never written to)")
    fixes.add_argument("--show-fixes", action="store_true", help="print the fixes as a diff")
    fixes.add_argument("--emit-patch", type=Path, metavar="FILE", help="write the fixes to FILE for git apply")
    fixes.add_argument("--allow-risk", action="append", choices=_RISKS[1:], default=[], help="fixes of this risk too")
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=FORMATS, default="text", help="output format (default: text)")
    output.add_argument("--lang", choices=("en", "zh"), default="en", help="language of texts (default: en)")
    output.add_argument("--output", type=Path, metavar="FILE", help="write to FILE instead of the terminal")
    output.add_argument("--fail-on", choices=("error", "warning", "info", "never"), help="weakest severity for exit 1")
    output.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colour of text output")
    run = parser.add_argument_group("how")
    run.add_argument("--config", type=Path, metavar="FILE", help="use this configuration for every file")
    run.add_argument("--pack", action="append", default=[], metavar="PACK", help="a rule pack to add (may repeat)")
    run.add_argument("--no-cache", action="store_true", help="neither read nor write what is known of unchanged files")
    run.add_argument("--jobs", "-j", type=int, metavar="N", help="processes at most (default: one per core)")


def run(args: argparse.Namespace) -> int:
    from gto_rules.check.config import Configs

    base = Path.cwd()
    configs = Configs(args.config)
    own = configs.of(base)
    rulebook = _rulebook(args, own)
    result, targets = _checked(args, base, configs, rulebook)
    result = _less_known(args, result, targets, rulebook, own)
    if args.write_baseline:
        from gto_rules.check.baseline import write_baseline

        count = write_baseline(args.write_baseline, result.findings, result.root)
        print(f"{count} findings are known from now on: {args.write_baseline}", file=sys.stderr)
        return 0
    patch = _patch(args, result)
    _write(args, result, patch)
    return _exit_code(args.fail_on or own.fail_on, result)


def _today() -> date:
    from datetime import datetime

    return datetime.now().astimezone().date()


def _rulebook(args: argparse.Namespace, config: Config) -> Rulebook:
    from gto_rules.rulebook import load

    return load(_packs(args, config), use_cache=not args.no_cache)


def _packs(args: argparse.Namespace, config: Config) -> tuple[Path, ...]:
    """Folders of the packs that the configuration and the command line add."""
    if not config.packs and not args.pack:
        return ()
    from gto_rules.rulebook.lock import LOCK_FILE, hold_to_lock
    from gto_rules.rulebook.sources import find_pack

    configured = [find_pack(name, config.folder) for name in config.packs]
    if configured:
        hold_to_lock(config.folder / LOCK_FILE, configured)
    return tuple(one.folder for one in (*configured, *(find_pack(name, Path.cwd()) for name in args.pack)))


def _selection(args: argparse.Namespace, config: Config) -> Selection | None:
    """What the command line wants instead of the configuration; None if it says nothing."""
    if not (args.select or args.ignore or args.severity or args.priority):
        return None
    from gto_rules.check.ruleset import Selection

    known = config.selection()
    return Selection(
        _listed(args.select) or known.select,
        (*known.ignore, *_listed(args.ignore)),
        args.severity or known.severity,
        tuple(args.priority or known.priorities),
    )


def _listed(values: list[str] | None) -> tuple[str, ...]:
    return tuple(one.strip() for value in values or () for one in value.split(",") if one.strip())


def _known_prefixes(args: argparse.Namespace, rulebook: Rulebook) -> None:
    """Refuse a rule on the command line that there is not: a misspelt one would pass in silence."""
    from gto_rules.check.ruleset import starts

    ids = [rule.id for rule in rulebook.of("finding")]
    for prefix in (*_listed(args.select), *_listed(args.ignore)):
        if not any(starts(one, prefix) for one in ids):
            import difflib

            near = difflib.get_close_matches(prefix, [*ids, *rulebook.packs], n=1)
            hint = f"did you mean '{near[0]}'?" if near else "gto-rules rules list --kind finding shows them all"
            raise UsageError(f"no finding rule is named '{prefix}'", hint=hint)


def _checked(
    args: argparse.Namespace, base: Path, configs: Configs, rulebook: Rulebook
) -> tuple[CheckResult, list[Target]]:
    from dataclasses import replace

    from gto_rules.check.file import KINDS
    from gto_rules.check.run import Options, check
    from gto_rules.check.targets import Targets

    _known_prefixes(args, rulebook)
    options = Options(_selection(args, configs.of(base)), not args.no_cache, _jobs(args.jobs), _today())
    if args.paths == ["-"]:
        return _stdin(args, base, configs, rulebook, options)
    if args.stdin_filename:
        raise UsageError("--stdin-filename goes with the path -")
    found = Targets(base, configs, KINDS)
    found.add(args.paths or ["."])
    targets = found.found
    if args.diff is not None:
        from gto_rules.check.revisions import Revision, known_before, new_ones, only_changed

        revision = Revision(base, args.diff)
        pairs = only_changed(targets, revision)
        targets = [target for target, _ in pairs]
        result = check(targets, rulebook, options, base)
        before = known_before(pairs, revision, rulebook, options.selection, options.today)
        result = replace(result, findings=tuple(new_ones(result.findings, before)))
    else:
        result = check(targets, rulebook, options, base)
    return replace(result, skipped=(*found.skipped, *result.skipped)), targets


def _stdin(
    args: argparse.Namespace, base: Path, configs: Configs, rulebook: Rulebook, options: object
) -> tuple[CheckResult, list[Target]]:
    from gto_rules.check.run import Options, check_content
    from gto_rules.check.targets import target_named

    if not args.stdin_filename:
        raise UsageError("stdin has no name to judge it by", hint="add --stdin-filename FILE")
    if not isinstance(options, Options):
        raise TypeError("options")
    target = target_named(base, args.stdin_filename, configs)
    return check_content(target, sys.stdin.buffer.read(), rulebook, options, base), [target]


def _jobs(wanted: int | None) -> int:
    if wanted is not None:
        if wanted < 1:
            raise UsageError("--jobs must be at least 1")
        return wanted
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _less_known(
    args: argparse.Namespace, result: CheckResult, targets: list[Target], rulebook: Rulebook, own: Config
) -> CheckResult:
    """The result without what the baseline knows."""
    file = args.baseline or own.baseline
    if file is None or args.write_baseline:
        return result
    from dataclasses import replace

    from gto_rules.check.baseline import apply_baseline

    kept, known = apply_baseline(result.findings, file, result.root)
    return replace(result, findings=tuple(kept), suppressed=(*result.suppressed, *known))


def _patch(args: argparse.Namespace, result: CheckResult) -> Patch | None:
    if not (args.show_fixes or args.emit_patch):
        return None
    from gto_rules.check.fixes import patch_of

    if args.paths == ["-"]:
        raise UsageError("fixes of stdin have no file to apply to")
    return patch_of(result.findings, result.root, frozenset(("neutral", "numerics", *args.allow_risk)))


def _write(args: argparse.Namespace, result: CheckResult, patch: Patch | None) -> None:
    from gto_rules.report.findings import render_check

    colour = args.color == "always" or (
        args.color == "auto" and args.output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    )
    text = render_check(result, args.format, args.lang, colour=colour)
    if args.output is not None:
        try:
            args.output.write_text(text, "utf-8")
        except OSError as error:
            raise UsageError(f"{args.output} cannot be written ({error.strerror or error})") from error
    else:
        sys.stdout.write(text)
    if patch is None:
        return
    for one, reason in patch.left:
        print(f"{one.path}:{one.line}: {one.rule} is not in the patch: {reason}", file=sys.stderr)
    if args.show_fixes:
        from gto_rules.report.text import clean

        shown = patch.content.decode("utf-8", "replace")
        sys.stdout.write("\n".join(clean(line) if line else line for line in shown.split("\n")))
    if args.emit_patch:
        try:
            args.emit_patch.write_bytes(patch.content)
        except OSError as error:
            raise UsageError(f"{args.emit_patch} cannot be written ({error.strerror or error})") from error
        fixes, files = len(patch.fixed), len(patch.diffs)
        counted = f"{fixes} fix{'es' * (fixes != 1)} in {files} file{'s' * (files != 1)}"
        print(f"{counted}: git apply {args.emit_patch}" if fixes else "there is nothing to fix", file=sys.stderr)


def _exit_code(fail_on: str, result: CheckResult) -> int:
    from gto_rules.evaluate.finding import SEVERITIES

    if fail_on == "never":
        return 0
    weakest = SEVERITIES.index(fail_on)
    return 1 if any(SEVERITIES.index(f.severity) <= weakest for f in result.findings) else 0
