from __future__ import annotations

from pathlib import Path

import pytest
from checking import Checker


@pytest.fixture
def checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Checker:
    """A checker in an empty folder, which has no repository above it."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    return Checker(root, capsys)
