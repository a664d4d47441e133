"""Small projects and a way to check them, for the tests of ``check``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gto_rules.cli.main import main
from gto_rules.errors import GtoError

ITEM = "torch/item-in-training-loop"
FAULT = """for batch in loader:
    loss = model(batch)
    loss.backward()
    total += loss.item()
"""


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


class Checker:
    """Runs ``gto-rules check`` in a folder."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys

    def run(self, *words: str) -> tuple[int, str, str]:
        """Exit code, output and errors."""
        self._capsys.readouterr()
        try:
            code = main(["check", *words])
        except GtoError as error:
            out, _ = self._capsys.readouterr()
            return error.exit_code, out, str(error) + (error.hint or "")
        out, err = self._capsys.readouterr()
        return code, out, err

    def json(self, *words: str) -> dict[str, Any]:
        code, out, err = self.run("--format", "json", *words)
        assert code in (0, 1), err
        data: dict[str, Any] = json.loads(out)
        return data

    def places(self, *words: str) -> list[str]:
        """``path:line rule`` of every finding."""
        return [f"{f['path']}:{f['line']} {f['rule']}" for f in self.json(*words)["findings"]]
