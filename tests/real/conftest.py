"""Tests that train for real: they need torch in this environment and run one after the other."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

PROJECTS = Path(__file__).parent.parent / "projects"


@pytest.fixture(autouse=True)
def training_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """``python`` and ``torchrun`` mean those of this environment; nothing is fetched from a hub."""
    pytest.importorskip("torch", reason="torch is not installed in this environment")
    import os

    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def copy_of(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A copy of a bundled project that a test may start from."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(PROJECTS / name, tmp_path / name))

    return copy
