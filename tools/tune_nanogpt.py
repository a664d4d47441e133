"""Tune a checkout of karpathy/nanoGPT on the CPU with a small local text.

    python tools/tune_nanogpt.py CHECKOUT WORKDIR [OPTIONS OF gto-rules tune]

nanoGPT has no DataLoader, and its configuration is Python that is run by ``exec``: what it sets cannot be known
without running it. The checkout is copied; its own ``prepare.py`` makes the data from a text of this repository. Needs
torch, numpy and requests (which prepare.py imports) in the environment that ``python`` means.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from gto_rules.cli.main import main

TEXTS = Path(__file__).parent.parent / "tests" / "projects" / "plain_torch" / "data" / "messages.jsonl"
COMMAND = (
    "python train.py config/train_shakespeare_char.py --device=cpu --compile=False --eval_iters=1 --log_interval=1 "
    "--eval_interval=5000 --block_size=64 --batch_size=12 --n_layer=2 --n_head=4 --n_embd=64 --max_iters=5000 "
    "--lr_decay_iters=5000 --dropout=0.0"
)


def prepare(checkout: Path, project: Path) -> None:
    """Copy the checkout and make its character data set from local text."""
    shutil.copytree(checkout, project, ignore=shutil.ignore_patterns(".git"))
    data = project / "data" / "shakespeare_char"
    lines = [json.loads(line)["text"] for line in TEXTS.read_text("utf-8").splitlines()]
    (data / "input.txt").write_text("\n".join(lines), "utf-8")
    subprocess.run(["python", "prepare.py"], cwd=data, check=True, stdout=subprocess.DEVNULL)


def run(arguments: list[str]) -> int:
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    checkout, work = Path(arguments[0]), Path(arguments[1]).resolve()
    project = work / "nanoGPT"
    if project.exists():
        shutil.rmtree(work)
    work.mkdir(parents=True, exist_ok=True)
    prepare(checkout, project)
    print("settings that gto-rules claims to know:", flush=True)
    main(["settings", str(project), "--launch", COMMAND])
    return main(["tune", str(project), "--launch", COMMAND, *arguments[2:]])


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
