"""Decoding: every byte comes back, whatever the file holds."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from gto_rules.documents import classify, parse, read_source, source_from_bytes
from gto_rules.documents.model import PythonDocument
from hypothesis import given
from hypothesis import strategies as st


@given(st.binary(max_size=200))
def test_any_bytes_decode_and_come_back(raw: bytes) -> None:
    source = source_from_bytes(raw, "f")
    if source.text or not raw:
        assert source.encode(source.text) == raw


@given(st.text(max_size=100), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"]))
def test_text_in_any_encoding_comes_back(text: str, encoding: str) -> None:
    try:
        raw = text.encode(encoding)
    except UnicodeEncodeError:
        return
    source = source_from_bytes(raw, "f")
    if source.text:
        assert source.encode(source.text) == raw


@pytest.mark.parametrize(
    ("raw", "encoding", "text"),
    [
        ("a = 1\n".encode("utf-8-sig"), "utf-8", "a = 1\n"),
        ("a = 'é'\r\n".encode("latin-1"), "latin-1", "a = 'é'\r\n"),
        ("# -*- coding: cp1252 -*-\na = '€'\n".encode("cp1252"), "cp1252", "# -*- coding: cp1252 -*-\na = '€'\n"),
        ("a: 1\n".encode("utf-16"), "utf-16-le", "a: 1\n"),
        ("abc: 1 and more text\n".encode("utf-16-be"), "utf-16-be", "abc: 1 and more text\n"),
    ],
)
def test_encodings(raw: bytes, encoding: str, text: str) -> None:
    source = source_from_bytes(raw, "f.py")
    assert (source.encoding, source.text.decode()) == (encoding, text)
    assert source.encode(source.text) == raw


def test_an_edit_is_written_in_the_encoding_of_the_file() -> None:
    source = source_from_bytes("\ufeffkey: wert ä\r\n".encode("utf-16-le"), "c.yaml")
    edited = source.text.replace(b"wert", b"neu")
    assert source.encode(edited).decode("utf-16") == "key: neu ä\r\n"


def test_binary_is_said_not_read() -> None:
    source = source_from_bytes(b"\x89PNG\0\0\1\2" * 10, "a.png")
    assert source.text == b"" and "binary" in source.problems[0].message


def test_lines_and_columns_count_characters() -> None:
    source = source_from_bytes("a\nbäc = 1\r\nd".encode(), "f")
    assert source.position(source.text.index(b"c")) == (2, 3)
    assert source.position(len(source.text)) == (3, 2)
    assert source.line_text(2) == "bäc = 1"


def test_files_that_cannot_be_read_are_problems(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 100)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "sock"))
        said = {
            name: read_source(tmp_path / name, name, limit_bytes=50).problems[0].message
            for name in ("big", "pipe", "gone", "loop", "sock", ".")
        }
    assert "larger than the limit" in said["big"]
    assert "regular file" in said["pipe"] and "regular file" in said["sock"] and "regular file" in said["."]
    assert "cannot be read" in said["gone"] and "cannot be read" in said["loop"]


def test_fifty_megabytes_of_one_line_is_not_parsed(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(b'{"a": "' + b"x" * 50_000_000 + b'"}')
    assert "larger than the limit" in read_source(path, "one.json").problems[0].message
    long_line = parse(source_from_bytes(b"x = '" + b"y" * 2_000_000 + b"'\n", "a.py"))
    assert any("has a line of more than" in p.message for p in long_line.problems)


def test_a_syntax_error_half_way_keeps_the_rest() -> None:
    document = parse(source_from_bytes(b"import torch\nx = (1,\ndef f(:\n  pass\nimport os\n", "a.py"))
    assert isinstance(document, PythonDocument)
    assert document.problems and document.problems[0].line is not None
    assert b"import torch" in document.source.text and document.tree.root_node.child_count > 0


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("train.py", "python"),
        ("setup.py", "setup_py"),
        ("a/requirements-gpu.txt", "requirements"),
        ("requirements/base.txt", "requirements"),
        ("constraints.txt", "requirements"),
        ("notes.txt", None),
        ("environment.yml", "conda"),
        ("docker-compose.dev.yaml", "compose"),
        ("c.yaml", "yaml"),
        ("uv.lock", "toml_lock"),
        ("Dockerfile.gpu", "dockerfile"),
        ("docker/Dockerfile", "dockerfile"),
        ("n.ipynb", "notebook"),
        ("run.slurm", "shell"),
        ("Makefile", "makefile"),
        ("data.bin", None),
    ],
)
def test_kinds_by_name(name: str, kind: str | None) -> None:
    assert classify(name) == kind


def test_a_shebang_decides_for_files_without_suffix() -> None:
    assert classify("run", b"#!/usr/bin/env bash\n") == "shell"
    assert classify("run", b"#!/usr/bin/python3.11\n") == "python"
    assert classify("run", b"plain text") is None
