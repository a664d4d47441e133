"""The cache of compiled rules: fast, and harmless whatever happens to it."""

from __future__ import annotations

import hashlib
import marshal
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest
from gto_rules.rulebook import cache, load
from small_pack import FILES, write_pack

ENGINE = Path(__file__).parents[2] / "engine"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GTO_RULES_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small pack as the only one, so that compiling is quick."""
    # The package offers the function under the module's name.
    monkeypatch.setattr(sys.modules["gto_rules.rulebook.load"], "builtin_packs", lambda: ())
    return write_pack(tmp_path)


def stored(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.rules"))


def test_the_second_load_equals_the_first_and_reads_no_rule(
    folder: Path, only: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load([only])
    assert len(stored(folder)) == 1 and not list(folder.glob("*.part"))
    monkeypatch.setattr("gto_rules.rulebook.compile.compile_packs", lambda packs: pytest.fail("compiled again"))
    assert load([only]) == first


def sealed(body: bytes) -> bytes:
    return cache._MAGIC + hashlib.blake2b(body, digest_size=32).digest() + body


DAMAGE = {
    "empty": lambda raw: b"",
    "cut": lambda raw: raw[:-7],
    "only the head": lambda raw: raw[:20],
    "one bit": lambda raw: raw[:200] + bytes([raw[200] ^ 1]) + raw[201:],
    "foreign": lambda raw: b"\x80\x04N." * 50,
    "another version": lambda raw: raw.replace(b"cache-1", b"cache-0", 1),
    "sealed nonsense": lambda raw: sealed(b"nonsense"),
    "sealed number": lambda raw: sealed(marshal.dumps(7)),
    "sealed other shape": lambda raw: sealed(marshal.dumps(([("a", 1)], [("x", "y")], "d", "e"))),
    "sealed short rows": lambda raw: sealed(marshal.dumps(([("a",)], [("x",)], "d"))),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_cache_counts_as_none_and_is_mended(
    name: str, folder: Path, only: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load([only])
    (file,) = stored(folder)
    file.write_bytes(DAMAGE[name](file.read_bytes()))
    assert load([only]) == first
    monkeypatch.setattr("gto_rules.rulebook.compile.compile_packs", lambda packs: pytest.fail("not mended"))
    assert load([only]) == first


def test_a_changed_rule_is_read_again(folder: Path, only: Path) -> None:
    load([only])
    (only / "items/half.yaml").write_text(FILES["items/half.yaml"].replace("Half precision", "Halved"), "utf-8")
    assert load([only]).get("acme/half").data["title"] == "Halved"


def test_a_mistake_is_told_in_spite_of_the_cache(folder: Path, only: Path) -> None:
    from gto_rules.errors import RulebookError

    load([only])
    (only / "items/half.yaml").write_text("kind: item\n", "utf-8")
    for _ in range(2):
        with pytest.raises(RulebookError):
            load([only])


@pytest.mark.parametrize("kind", ["file", "below a file", "device"])
def test_a_folder_that_cannot_be_is_no_error(
    kind: str, tmp_path: Path, only: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_bytes(b"")
    chosen = {"file": blocked, "below a file": blocked / "x", "device": Path("/dev/null/x")}[kind]
    monkeypatch.setenv("GTO_RULES_CACHE", str(chosen))
    assert load([only]).get("acme/half").id == "acme/half"


def test_a_full_disk_leaves_nothing_behind(folder: Path, only: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert load([only]).rules
    assert list(folder.iterdir()) == []


def test_old_entries_are_pruned(folder: Path) -> None:
    for number in range(20):
        cache.write_cache(f"k{number}", number)
        os.utime(folder / f"k{number}.rules", (number, number))
    cache.write_cache("last", 1)
    assert len(stored(folder)) == 16
    assert cache.read_cache("last") == 1 and cache.read_cache("k0") is None


def _load_many(arguments: tuple[str, str]) -> list[str]:
    pack, folder = arguments
    os.environ["GTO_RULES_CACHE"] = folder
    digests = []
    for _ in range(10):
        for file in Path(folder).glob("*.rules"):
            file.unlink(missing_ok=True)  # so that others read and write at the same time
        digests.append(load([Path(pack)]).digest)
    return digests


def test_processes_share_a_cache(folder: Path, only: Path) -> None:
    context = multiprocessing.get_context("fork")
    with context.Pool(3) as pool:
        found = pool.map(_load_many, [(str(only), str(folder))] * 3)
    assert len({digest for row in found for digest in row}) == 1
    assert not list(folder.glob("*.part"))


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("warm")
    env = {**os.environ, "GTO_RULES_CACHE": str(folder), "PYTHONPATH": str(ENGINE)}
    subprocess.run([sys.executable, "-c", "from gto_rules.rulebook import load; load()"], env=env, check=True)
    return env


def test_a_warm_load_imports_neither_yaml_nor_schemas_nor_expressions(warm: dict[str, str]) -> None:
    code = (
        "import sys; from gto_rules.rulebook import load; load();"
        "print(sorted({'yaml', 'jsonschema', 'jmespath', 'referencing', 'packaging'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], env=warm, check=True, capture_output=True, text=True)
    assert shown.stdout.strip() == "[]"


def test_without_a_home_there_is_still_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GTO_RULES_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 987654)
    assert cache.cache_folder().name == "gto-rules"
