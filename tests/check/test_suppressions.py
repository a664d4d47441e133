"""Suppression comments: which findings they hide, and what is said about those that hide nothing."""

from __future__ import annotations

import pytest
from checking import ITEM, Checker, write

HEAD = "for batch in loader:\n    loss = model(batch)\n    loss.backward()\n"
IGNORE = f"# gto-rules: ignore[{ITEM}]: shown to a person"
CORE = "core"


@pytest.mark.parametrize(
    ("body", "left"),
    [
        (f"    total += loss.item()  {IGNORE}\n", []),
        (f"    {IGNORE}\n    total += loss.item()\n", []),
        (f"    {IGNORE}\n    # why\n\n    total += loss.item()\n", []),
        # A statement of several lines is one.
        (f"    total.append(\n        loss.item(),\n    )  {IGNORE}\n", []),
        (f"    {IGNORE}\n    total.append(\n        loss.item(),\n    )\n", []),
        # The next statement is another.
        (f"    x = 1  {IGNORE}\n    total += loss.item()\n", [f"4 {CORE}/unused-suppression", f"5 {ITEM}"]),
        (f"    total += loss.item()\n    {IGNORE}\n", [f"4 {ITEM}", f"5 {CORE}/unused-suppression"]),
        # Prose and strings that quote a suppression are none.
        (f"    total += loss.item(); x = '{IGNORE}'\n", [f"4 {ITEM}"]),
        (f'    """{IGNORE}"""\n    total += loss.item()\n', [f"5 {ITEM}"]),
        (f"    # write {IGNORE} behind it\n    total += loss.item()\n", [f"5 {ITEM}"]),
        # Names: a pack, a beginning, several, another rule, one that there is not.
        ("    total += loss.item()  # gto-rules: ignore[torch]: known\n", []),
        (f"    total += loss.item()  # gto-rules: ignore[deepspeed, {ITEM}]: known\n", []),
        (
            "    total += loss.item()  # gto-rules: ignore[torch/seed]: known\n",
            [f"4 {ITEM}", f"4 {CORE}/malformed-suppression"],
        ),
        ("    total += loss.item()  # gto-rules: ignore\n", [f"4 {ITEM}", f"4 {CORE}/malformed-suppression"]),
        ("    total += loss.item()  # gto-rules: ignore[]: all\n", [f"4 {ITEM}", f"4 {CORE}/malformed-suppression"]),
        (f"    total += loss.item()  # gto-rules: ignore[{ITEM}]\n", [f"4 {CORE}/unexplained-suppression"]),
        # Dates.
        (f"    total += loss.item()  # gto-rules: ignore[{ITEM}] until 2999-01-01: later\n", []),
        (
            f"    total += loss.item()  # gto-rules: ignore[{ITEM}] until 2020-01-01: later\n",
            [f"4 {ITEM}", f"4 {CORE}/expired-suppression"],
        ),
        (
            f"    total += loss.item()  # gto-rules: ignore[{ITEM}] until 2020-13-01: later\n",
            [f"4 {ITEM}", f"4 {CORE}/malformed-suppression"],
        ),
        (f"    total += loss.item()\n# gto-rules: ignore-file[{ITEM}]: generated\n", []),
    ],
)
def test_what_a_comment_hides(checker: Checker, body: str, left: list[str]) -> None:
    write(checker.root, {"train.py": HEAD + body})
    found = checker.json("train.py")["findings"]
    assert sorted(f"{f['line']} {f['rule']}" for f in found) == sorted(left)


@pytest.mark.parametrize(
    ("name", "text", "left"),
    [
        ("a.yaml", "deepspeed_config:\n  {}\n", 0),
        ("run.sh", "# gto-rules: ignore[torch]: to find a fault\nCUDA_LAUNCH_BLOCKING=1 torchrun train.py\n", 0),
        ("run.sh", "CUDA_LAUNCH_BLOCKING=1 torchrun train.py  # gto-rules: ignore[torch]: to find a fault\n", 0),
        ("run.sh", "echo '# gto-rules: ignore[torch]: x'\nCUDA_LAUNCH_BLOCKING=1 torchrun train.py\n", 1),
        ("run.sh", "CUDA_LAUNCH_BLOCKING=1 torchrun train.py\n", 1),
    ],
)
def test_comments_of_other_files(checker: Checker, name: str, text: str, left: int) -> None:
    write(checker.root, {name: text, "train.py": "import torch\n"})
    assert len(checker.places(name)) == left, checker.places(name)


def test_a_suppression_of_a_rule_that_is_not_selected_is_not_called_unused(checker: Checker) -> None:
    write(checker.root, {"train.py": HEAD + f"    x = 1  {IGNORE}\n"})
    assert checker.places("train.py", "--select", "deepspeed,core") == []
    assert checker.places("train.py") == ["train.py:4 core/unused-suppression"]
