"""No text, however odd, gives anything but a launch or a LaunchError."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from gto_rules.errors import LaunchError
from gto_rules.project.launch import launch_from_file, read_launch
from gto_rules.project.launchers import LauncherSpec
from gto_rules.project.model import Launch, Place
from gto_rules.project.project import Project
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

RULES = Path(__file__).parents[2] / "rules" / "launchers" / "launchers"
SPECS = [
    LauncherSpec.from_mapping(yaml.safe_load(p.read_text(encoding="utf-8")))
    for p in sorted(RULES.glob("*.yaml"))
    if not p.name.endswith(".test.yaml")
]
# Pieces that shells and launchers give a meaning to, put together at random.
PIECES = [
    *(Path(__file__).parent / "data" / "launch" / "pieces.txt").read_text(encoding="utf-8").splitlines(),
    *("\n", "\0", "\r\n"),
]
texts = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=10).map("".join),
)


def places(launch: Launch) -> list[Place]:
    words = (*launch.argv, *launch.env.values(), *launch.overrides.values())
    return [place for word in words for place in (word.place, word.value_place)]


@given(texts)
@settings(max_examples=400, deadline=None)
def test_any_text_gives_a_launch_or_a_launch_error(text: str) -> None:
    try:
        launch = read_launch(text, project=None, launchers=SPECS)
    except LaunchError:
        return
    size = len(text.encode("utf-8", "replace"))
    for place in places(launch):
        assert place.path is None
        if place.span is not None:
            assert 0 <= place.span.start <= place.span.end <= size
            assert place.line == text.encode("utf-8", "replace")[: place.span.start].count(b"\n") + 1


@given(text=texts)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_script_gives_a_launch_or_a_launch_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_bytes(text.encode("utf-8", "replace"))
    (tmp_path / "other.sh").write_text("bash run.sh\n", encoding="utf-8")
    project = Project.open(tmp_path)
    for read in (
        lambda: launch_from_file(project, "run.sh", launchers=SPECS),
        lambda: read_launch("bash other.sh a b", project=project, launchers=SPECS),
    ):
        try:
            read()
        except LaunchError:
            continue


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "torchrun a.py",
        "bash -c '" * 30 + "python a.py",
        "$(" * 3000,
        "{ " * 2000,
        "python a.py " + "a " * 9000,
    ],
    ids=["brackets", "strings", "substitutions", "groups", "words"],
)
def test_deep_and_long_texts_end(text: str) -> None:
    try:
        read_launch(text, project=None, launchers=SPECS)
    except LaunchError as error:
        assert str(error)


def test_a_doubling_variable_does_not_eat_the_memory() -> None:
    text = "a=xxxxxxxxxx\n" + 'a="$a$a"\n' * 40 + "python fit.py $a\n"
    launch = read_launch(text, project=None, launchers=SPECS)
    assert sum(len(w.text) for w in launch.argv) < 10_000_000


def test_an_endless_loop_ends() -> None:
    launch = read_launch("while true; do python fit.py; sleep 1; done", project=None, launchers=SPECS)
    assert launch.entry == "fit.py"


def test_too_long_a_command_is_refused() -> None:
    with pytest.raises(LaunchError, match="at most"):
        read_launch("python fit.py " + "x" * 300_000, project=None, launchers=SPECS)
