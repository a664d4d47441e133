"""Whatever happens to a rule file: it is right, or its mistakes are told; never anything else."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_pack import FILES, mistakes, write_pack

WORDS = ["null", "true", "1", "1e5", "[a]", "{}", "~", ".nan", ".inf", "-1", "acme/half", "A", "2024-01-01"]
MARKS = (
    "",
    "\n",
    " ",
    "  ",
    ":",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "*a",
    "&a ",
    "'",
    '"',
    "#",
    "? ",
    "<<: ",
    "`",
    "@",
    "\t",
    "\0",
)
TAGS = ("!!int ", "!!bool ", "!!float ", "!!timestamp ", "!!binary ", "!!set ", "!!map ", "!!null ", "!a ")
PIECES = st.sampled_from((*WORDS, *MARKS, *TAGS))


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, str]:
    """The files of the small pack with up to three pieces of one or two files replaced."""
    files = {}
    for path in draw(st.lists(st.sampled_from(sorted(FILES)), min_size=1, max_size=2, unique=True)):
        text = FILES[path]
        for _ in range(draw(st.integers(1, 3))):
            start = draw(st.integers(0, len(text)))
            length = draw(st.sampled_from((0, 0, 1, 3, 8, 20)))
            text = text[:start] + draw(PIECES) + text[start + length :]
        files[path] = text
    return files


@st.composite
def other_values(draw: st.DrawFn) -> dict[str, str]:
    """The files of the small pack with the value of one line replaced by another kind of value."""
    path = draw(st.sampled_from(sorted(FILES)))
    lines = FILES[path].split("\n")
    number = draw(st.sampled_from([n for n, line in enumerate(lines) if ": " in line]))
    key = lines[number].split(": ", 1)[0]
    lines[number] = f"{key}: {draw(PIECES)}"
    return {path: "\n".join(lines)}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged() | other_values())
def test_a_damaged_pack_is_right_or_its_mistakes_are_told(files: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write_pack(Path(folder), files)
        for found in mistakes(root):
            assert found.location is not None and found.render().startswith(f"{root.name}/")
