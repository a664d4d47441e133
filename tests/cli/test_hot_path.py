"""What starts fast must not load what it does not need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent / "projects" / "hf_trainer"
HEAVY = ("torch", "jsonschema", "jinja2", "psutil", "pynvml", "gto_rules.patch.fork", "gto_rules.report.render")


@pytest.mark.parametrize("command", [["detect", str(PROJECT)], ["audit", str(PROJECT)], ["settings", str(PROJECT)]])
def test_static_commands_load_no_heavy_modules(command: list[str], tmp_path: Path) -> None:
    code = (
        "import sys; from gto_rules.cli.main import main; main(sys.argv[1:]); main(sys.argv[1:]); "
        "print('LOADED', *sorted(sys.modules), file=sys.stderr)"
    )
    # Twice: the first run may have to compile the rules, which needs the schemas.
    env = {"GTO_RULES_CACHE": str(tmp_path), "PATH": "/usr/bin:/bin"}
    for attempt in range(2):
        ran = subprocess.run(
            [sys.executable, "-c", code, *command], env=env, capture_output=True, text=True, check=True
        )
        loaded = set(ran.stderr.rpartition("LOADED")[2].split())
        if attempt:
            assert not loaded & set(HEAVY)


def test_the_cache_changes_nothing(tmp_path: Path) -> None:
    outputs = set()
    for extra in ([], [], ["--no-cache"]):
        ran = subprocess.run(
            [sys.executable, "-m", "gto_rules.cli.main", "audit", str(PROJECT), "--format", "json", *extra],
            env={"GTO_RULES_CACHE": str(tmp_path), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(ran.stdout)
    assert len(outputs) == 1
