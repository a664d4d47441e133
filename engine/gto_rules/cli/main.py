"""The command line: find the command, run it, turn errors into exit codes.

Exit codes: 0 nothing to report, 1 something to report, 2 wrong use, bad rule or bad configuration,
3 the original project changed during a run, 70 a fault of gto-rules itself, 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from gto_rules import __version__
from gto_rules.cli.commands import COMMANDS
from gto_rules.errors import GtoError

EXIT_BUG = 70
EXIT_INTERRUPTED = 130


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"gto_rules.cli.{COMMANDS[name].module}")


def _overview() -> argparse.ArgumentParser:
    """The parser for ``gto-rules --help``: it knows every command by name and loads none."""
    width = max(map(len, COMMANDS))
    listing = "\n".join(f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="gto-rules",
        usage="gto-rules COMMAND [OPTIONS]",
        description="Audits and tunes GPU training projects. The project itself is never written to.",
        epilog=f"commands:\n{listing}\n\n'gto-rules COMMAND --help' says more about one command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"gto-rules {__version__}")
    return parser


def main(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code; errors a user can mend are printed, not raised."""
    if not argv or argv[0].startswith("-"):
        parser = _overview()
        parser.parse_args(list(argv))
        parser.print_help()
        return 2 if argv else 0
    name, rest = argv[0], list(argv[1:])
    if name not in COMMANDS:
        import difflib

        near = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        print(f"gto-rules: there is no command '{name}'.{hint} 'gto-rules --help' lists them.", file=sys.stderr)
        return 2
    module = _module(name)
    parser = argparse.ArgumentParser(
        prog=f"gto-rules {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    code: int = module.run(parser.parse_args(rest))
    return code


def _guarded(argv: Sequence[str]) -> int:
    try:
        return main(argv)
    except GtoError as error:
        print(f"gto-rules: {error}", file=sys.stderr)
        if error.hint:
            print(f"  hint: {error.hint}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("gto-rules: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (``| head``): not an error of ours. Point stdout at
        # nothing so that the interpreter's own flush at exit stays quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:
        from gto_rules.cli.crash import write_crash_log

        log = write_crash_log(argv)
        print(f"gto-rules: this is a fault of gto-rules itself; the details are in {log}", file=sys.stderr)
        return EXIT_BUG


def run() -> None:
    """Entry point of the installed ``gto-rules`` command."""
    sys.exit(_guarded(sys.argv[1:]))


if __name__ == "__main__":
    run()
