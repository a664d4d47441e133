"""What the words of a command say about frameworks and inference engines, by the rules."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from gto_rules.project.launchers import FrameworkHint, LauncherSpec
from gto_rules.project.model import Launch


def framework_of(launch: Launch, hints: Sequence[LauncherSpec]) -> str | None:
    """The framework that the first fitting hint names."""
    for spec in hints:
        for hint in spec.frameworks:
            if _fits(launch, hint):
                return hint.framework
    return None


def inference_of(launch: Launch, spec: LauncherSpec, hints: Sequence[LauncherSpec]) -> tuple[str, ...]:
    """Inference engines that the command names, in the order of the rules."""
    words = [w.text for w in launch.argv]
    found = list(spec.inference)
    for hint in (h for one in hints for h in one.engines):
        if any(matching(word, hint.words) for word in words):
            found.append(hint.engine)
    return tuple(dict.fromkeys(found))


def _fits(launch: Launch, hint: FrameworkHint) -> bool:
    if hint.entries and not (launch.entry and matching(launch.entry.removeprefix("./"), hint.entries)):
        return False
    if hint.modules and not (launch.entry_module and matching(launch.entry_module, hint.modules)):
        return False
    given = {w.text.partition("=")[0].replace("-", "_") for w in launch.arguments if w.text.startswith("-")}
    return all(any(fnmatch.fnmatchcase(g, a.replace("-", "_")) for g in given) for a in hint.arguments)


def matching(text: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(text, pattern) for pattern in patterns)
