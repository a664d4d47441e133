"""Changes to launch commands: what is read again has the new value, and nothing else differs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from gto_rules.errors import LaunchError
from gto_rules.project.launch import read_launch
from gto_rules.project.launch_edit import LaunchChange, remove_flag, set_env, set_flag, set_override
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.model import Launch
from gto_rules.project.project import Project
from hypothesis import assume, given, settings
from hypothesis import strategies as st

RULES = Path(__file__).parents[2] / "rules" / "launchers" / "launchers"
SPECS = [
    LauncherSpec.from_mapping(yaml.safe_load(p.read_text(encoding="utf-8")))
    for p in sorted(RULES.glob("*.yaml"))
    if not p.name.endswith(".test.yaml")
]
COMMANDS = [
    "torchrun --nproc_per_node=2 fit.py --lr 1e-5 --name 'a b' --bf16",
    'A=1 B="x y" torchrun --nproc_per_node 2 fit.py --lr="1e-5" --bf16 --name x steps=5',
    "torchrun --nproc_per_node=2 \\\n  fit.py \\\n  --lr 1e-5 \\\n  --bf16 \\\n  --name x\n",
    'ARGS="--lr 1e-5 --name x"\ntorchrun --nproc_per_node=2 fit.py $ARGS --bf16\n',
    "ARGS=(--lr 1e-5\n  --name 'a b')\nLR=3\ntorchrun --nproc_per_node=2 fit.py \"${ARGS[@]}\" --lr2 $LR --bf16\n",
    "LR=1e-5\ntorchrun --nproc_per_node=2 fit.py --name $LR --lr=$LR --bf16 | tee log\n",
    "nohup bash -c 'cd x && torchrun --nproc_per_node=2 fit.py --lr 1e-5 --bf16 --name x' > log 2>&1 &",
    'docker run --rm -e A=1 img bash -c "torchrun --nproc_per_node=2 fit.py --lr 1e-5 --name x --bf16"',
    "cd é && uv run torchrun --nproc_per_node=2 fit.py --lr 1e-5 --name ü --bf16 steps=5 > out.txt",
]
plain = st.from_regex(r"[A-Za-z0-9_./:@%+,-]{1,12}", fullmatch=True).filter(lambda v: not v.startswith("-"))
hard = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=12).filter(
    lambda v: not v.startswith("-")
)


def read(command: str) -> Launch:
    return read_launch(command, project=None, launchers=SPECS)


def options(launch: Launch) -> dict[str, list[str]]:
    """Options of the program with their values."""
    found: dict[str, list[str]] = {}
    name = ""
    for word in launch.arguments:
        if word.text.startswith("--"):
            name, equals, value = word.text.partition("=")
            found[name] = [value] if equals else []
        elif "=" not in word.text:
            found.setdefault(name, []).append(word.text)
    return found


def rest(launch: Launch, *, but: str = "") -> tuple[object, ...]:
    """Everything that an edit must leave alone."""
    kept = {k: v for k, v in options(launch).items() if k != but}
    env = {k: w.text for k, w in launch.env.items() if k != but}
    overrides = {k: w.text for k, w in launch.overrides.items() if k != but}
    return launch.launcher, launch.entry, launch.cwd, [w.text for w in launch.launcher_arguments], kept, env, overrides


def in_command(change: LaunchChange) -> str:
    assert change.edits == ()
    return change.command


@given(st.sampled_from(COMMANDS), plain)
@settings(max_examples=150, deadline=None)
def test_a_flag_gets_a_value(command: str, value: str) -> None:
    before = read(command)
    after = read(in_command(set_flag(command, before, "--lr", value)))
    assert options(after)["--lr"] == [value]
    assert rest(after, but="--lr") == rest(before, but="--lr")


@given(st.sampled_from(COMMANDS), hard)
@settings(max_examples=150, deadline=None)
def test_a_value_with_blanks_and_quotes_survives_or_is_refused(command: str, value: str) -> None:
    before = read(command)
    try:
        changed = in_command(set_flag(command, before, "--name", value))
    except LaunchError as error:
        assert "bash -c" in command or "ARGS" in command, error
        return
    after = read(changed)
    assume("=" not in value)
    assert options(after)["--name"] == [value]
    assert rest(after, but="--name") == rest(before, but="--name")


@given(st.sampled_from(COMMANDS), plain)
@settings(max_examples=100, deadline=None)
def test_a_new_flag_is_added(command: str, value: str) -> None:
    before = read(command)
    after = read(in_command(set_flag(command, before, "--extra", value)))
    assert options(after)["--extra"] == [value]
    assert rest(after, but="--extra") == rest(before)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_flag_is_removed_and_twice_is_once(command: str) -> None:
    before = read(command)
    once = in_command(remove_flag(command, before, "--lr"))
    after = read(once)
    assert "--lr" not in options(after)
    assert rest(after) == rest(before, but="--lr")
    assert in_command(remove_flag(once, after, "--lr")) == once


@given(st.sampled_from(COMMANDS), plain)
@settings(max_examples=100, deadline=None)
def test_a_variable_is_set(command: str, value: str) -> None:
    before = read(command)
    for name in ("A", "NEW_NAME"):
        after = read(in_command(set_env(command, before, name, value)))
        assert after.env[name].text == value
        assert rest(after, but=name) == rest(before, but=name)


@given(st.sampled_from(COMMANDS), plain)
@settings(max_examples=100, deadline=None)
def test_an_override_is_set(command: str, value: str) -> None:
    before = read(command)
    for key in ("steps", "train.lr"):
        after = read(in_command(set_override(command, before, key, value)))
        assert after.overrides[key].text == value
        assert rest(after, but=key) == rest(before, but=key)


@given(st.sampled_from(COMMANDS), st.integers(1, 64))
@settings(max_examples=60, deadline=None)
def test_a_flag_of_the_launcher_is_set(command: str, value: int) -> None:
    before = read(command)
    after = read(in_command(set_flag(command, before, "--nproc_per_node", str(value), launcher=True)))
    assert after.nproc_per_node == value
    assert [w.text for w in after.arguments] == [w.text for w in before.arguments]
    added = read(in_command(set_flag(command, before, "--master_port", str(value), launcher=True)))
    assert (added.nproc_per_node, added.entry) == (2, "fit.py")
    assert " ".join(w.text for w in added.launcher_arguments).count(f"--master_port {value}") == 1


def test_only_the_needed_bytes_change() -> None:
    command = "torchrun  fit.py --lr  '1e-5'   # note\n"
    assert in_command(set_flag(command, read(command), "--lr", "2e-5")) == "torchrun  fit.py --lr  '2e-5'   # note\n"


def test_an_added_variable_stands_where_a_shell_reads_it() -> None:
    for command, expected in {
        "B=2 torchrun fit.py": "B=2 A=1 torchrun fit.py",
        "nohup torchrun fit.py": "nohup env A=1 torchrun fit.py",
        "bash -c 'torchrun fit.py'": "bash -c 'env A=1 torchrun fit.py'",
    }.items():
        assert in_command(set_env(command, read(command), "A", "1")) == expected


SCRIPT = """#!/bin/bash
LR=1e-5
OPTS="--warmup 10 --bf16"
export A=1
torchrun --nproc_per_node=2 fit.py \\
    --lr $LR $OPTS \\
    --name x "$@"
"""


def apply(change: LaunchChange, files: Mapping[str, bytes]) -> dict[str, bytes]:
    changed = dict(files)
    for edit in change.edits:
        assert edit.path is not None
        text = changed[edit.path]
        changed[edit.path] = text[: edit.span.start] + edit.text.encode() + text[edit.span.end :]
    return changed


@pytest.mark.parametrize(
    ("flag", "value", "expected"),
    [
        ("--lr", "3", "    --lr 3 $OPTS"),
        ("--warmup", "20", 'OPTS="--warmup 20 --bf16"'),
        ("--name", "a b", "    --name 'a b' \"$@\""),
        ("--new", "1", '    --name x "$@" --new 1'),
    ],
)
def test_a_script_is_edited_where_the_value_stands(flag: str, value: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(SCRIPT, encoding="utf-8")
    launch = read_launch("bash run.sh --last 1", project=Project.open(tmp_path), launchers=SPECS)
    change = set_flag("bash run.sh --last 1", launch, flag, value, read=lambda p: (tmp_path / p).read_bytes())
    text = apply(change, {"run.sh": SCRIPT.encode()})["run.sh"].decode()
    assert change.command == "bash run.sh --last 1"
    assert expected in text.split("\n") or expected + " \\" in text.split("\n")
    assert sum(a != b for a, b in zip(text.split("\n"), SCRIPT.split("\n"), strict=True)) == 1


def test_a_computed_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(SCRIPT, encoding="utf-8")
    launch = read_launch("bash run.sh", project=Project.open(tmp_path), launchers=SPECS)
    with pytest.raises(LaunchError, match=r"run\.sh"):
        set_flag("bash run.sh", launch, "--lr", "3")
