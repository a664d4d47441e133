"""Knowledge is data: no framework, setting or GPU is named in the engine."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest
from gto_rules.rulebook import load

ENGINE = Path(__file__).parent.parent / "engine" / "gto_rules"
FILES = sorted(ENGINE.rglob("*.py"))

# Names of settings that are terms of the engine's own (the launch has nodes and ranks), the terminal's
# standard, and the variables by which every launcher tells a process its rank and port.
OWN_TERMS = frozenset(
    (
        "nnodes",
        "nproc_per_node",
        "num_nodes",
        "use_cache",
        "max_length",
        "no_python",
        "utf-8",
        "torch",
        "generic",
        "jax",
        "NO_COLOR",
        "LOCAL_RANK",
        "MASTER_PORT",
    )
)


@pytest.fixture(scope="module")
def forbidden() -> re.Pattern[str]:
    """Framework and distribution names, distinctive setting names and GPU names of all packs."""
    rulebook = load()
    words: set[str] = set()
    for rule in rulebook.of("detector"):
        words.add(str(rule.data["framework"]))
        for signal in rule.data["signals"]:
            dependency = signal.get("dependency", ())
            words |= {dependency} if isinstance(dependency, str) else set(dependency)
    for rule in rulebook.of("settings"):
        words |= {str(name).rpartition(".")[2] for name in rule.data["settings"]}
    for rule in rulebook.of("hardware"):
        words |= {word for row in rule.data.get("gpus", ()) for word in re.findall(r"[A-Z]+\d+\w*", str(row["match"]))}
    # A setting is known by an underscore, a digit or a hyphen; "steps" or "device" is plain English.
    frameworks = {str(rule.data["framework"]) for rule in rulebook.of("detector")}
    kept = {w for w in words if re.search(r"[_\d-]", w) and len(w) > 3} | frameworks
    kept -= OWN_TERMS
    return re.compile(r"(?<![\w.-])(" + "|".join(map(re.escape, sorted(kept, key=len, reverse=True))) + r")(?![\w-])")


def spoken(path: Path) -> str:
    """Strings and comments of a file: where knowledge would hide. Identifiers are the engine's own."""
    out = []
    for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            out.append(token.string)
    return "\n".join(out)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ENGINE).as_posix())
def test_no_knowledge_in_the_engine(path: Path, forbidden: re.Pattern[str]) -> None:
    found = sorted({m[0] for m in forbidden.finditer(spoken(path))})
    assert not found, f"{path} names {', '.join(found)}; knowledge belongs in rules/"


def test_the_word_list_bites(forbidden: re.Pattern[str]) -> None:
    assert forbidden.search('x = "gradient_checkpointing"')
    assert forbidden.search("# as llamafactory does")
    assert not forbidden.search("# one line of text")
