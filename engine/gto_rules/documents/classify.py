"""Which reader a file wants, by its name and its first bytes."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_BY_NAME: dict[str, str] = {
    "setup.py": "setup_py",
    "setup.cfg": "setup_cfg",
    "pyproject.toml": "pyproject",
    "pipfile": "pipfile",
    "pipfile.lock": "pipfile_lock",
    "uv.lock": "toml_lock",
    "poetry.lock": "toml_lock",
    "pdm.lock": "toml_lock",
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
}

_BY_SUFFIX: dict[str, str] = {
    ".py": "python",
    ".pyi": "python",
    ".pyw": "python",
    ".ipynb": "notebook",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".jsonc": "json",
    ".json5": "json",
    ".toml": "toml",
    ".sh": "shell",
    ".bash": "shell",
    ".zsh": "shell",
    ".ksh": "shell",
    ".slurm": "shell",
    ".sbatch": "shell",
    ".pbs": "shell",
    ".qsub": "shell",
    ".lsf": "shell",
    ".ini": "ini",
    ".cfg": "ini",
    ".md": "markdown",
    ".rst": "markdown",
    ".mk": "makefile",
    ".dockerfile": "dockerfile",
}

_BY_PATTERN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(^|/)(requirements|constraints)([-_.][^/]*)?\.(txt|in)$"), "requirements"),
    (re.compile(r"(^|/)[^/]*[-_.](requirements|constraints|reqs)\.(txt|in)$"), "requirements"),
    (re.compile(r"(^|/)(requirements|constraints|reqs?)/[^/]*\.(txt|in)$"), "requirements"),
    (re.compile(r"(^|/)(environment|conda)[^/]*\.ya?ml$"), "conda"),
    (re.compile(r"(^|/)(docker-)?compose[^/]*\.ya?ml$"), "compose"),
    (re.compile(r"(^|/)(dockerfile|containerfile)[-_.][^/]*$"), "dockerfile"),
)

_KUBERNETES = (re.compile(rb"^apiVersion:[ \t]*\S", re.M), re.compile(rb"^kind:[ \t]*\S", re.M))
_SHEBANG = re.compile(rb"^#![^\n]*\b(?:(python)[\d.]*|(bash|sh|zsh|ksh|dash))\b")


def classify(name: str, head: bytes = b"") -> str | None:
    """The kind of a file, or None if no reader wants it.

    Args:
        name: Relative POSIX path.
        head: First bytes of the file, for files without a telling name (a shebang decides) and for
            YAML, where ``apiVersion`` and ``kind`` at the top make a Kubernetes manifest.
    """
    lower = name.lower()
    path = PurePosixPath(lower)
    by_name = _BY_NAME.get(path.name)
    if by_name is not None:
        return by_name
    for pattern, kind in _BY_PATTERN:
        if pattern.search(lower):
            return kind
    by_suffix = _BY_SUFFIX.get(path.suffix)
    if by_suffix == "yaml" and all(pattern.search(head) for pattern in _KUBERNETES):
        return "kubernetes"
    if by_suffix is not None:
        return by_suffix
    if not path.suffix and head:
        found = _SHEBANG.match(head)
        if found:
            return "python" if found[1] else "shell"
    return None
