"""Commands that change the shell itself."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace

from gto_rules.project.shell_state import Variable
from gto_rules.project.shell_text import of_value, parse
from gto_rules.project.shell_values import Field, join
from gto_rules.project.shell_walk import MAX_DEPTH, Builtin, Leave, Walk
from gto_rules.project.shell_words import RawWord


def cd(walk: Walk, fields: tuple[Field, ...], raw: list[RawWord]) -> bool | None:
    target = next((f for f in fields[1:] if not f.text.startswith("-")), None)
    if target is None or not target.text:
        return True
    path = target.text
    if walk.state.root is not None and posixpath.isabs(path):
        path = posixpath.relpath(path, posixpath.join(walk.state.root, walk.state.cwd))
    folder = posixpath.normpath(posixpath.join(walk.state.cwd, path))
    pwd = re.fullmatch(r"(\$\(pwd\)|`pwd`|\$\{?PWD\}?)/?", target.text) is not None
    if pwd:
        return True
    if not target.known or posixpath.isabs(path) or path.startswith("~") or folder.startswith(".."):
        walk.runner.note(f"cd {target.text}: this folder is not inside the project; paths are read as if not left")
    else:
        walk.state.cwd = folder
    return True


def source(walk: Walk, fields: tuple[Field, ...], raw: list[RawWord]) -> bool | None:
    if len(fields) < 2:
        return True
    found = walk.runner.script(fields[1].text, walk.state, walk.context)
    if found is None or found.path is None:
        return True
    followed = (*walk.context.followed, found.path)
    context = replace(walk.context, depth=walk.context.depth + 1, followed=followed)
    outer = walk.state.arguments
    if len(fields) > 2:
        walk.state.arguments = tuple(f.pieces for f in fields[2:])
    if context.depth <= MAX_DEPTH:
        try:
            walk.inner(found, depth=context.depth, followed=followed).node(parse(found.text))
        except Leave as leave:
            if leave.word == "exit":
                raise
    walk.state.arguments = outer
    return True


def eval_(walk: Walk, fields: tuple[Field, ...], raw: list[RawWord]) -> bool | None:
    text = of_value(join([f.pieces for f in fields[1:]]))
    context = replace(walk.context, depth=walk.context.depth + 1)
    if context.depth <= MAX_DEPTH:
        walk.inner(text, depth=context.depth).node(parse(text.text))
    return True


def shift(walk: Walk, fields: tuple[Field, ...], raw: list[RawWord]) -> bool | None:
    count = int(fields[1].text) if len(fields) > 1 and fields[1].text.isdigit() else 1
    if walk.state.arguments is not None:
        walk.state.arguments = walk.state.arguments[count:]
    return True


def set_(walk: Walk, fields: tuple[Field, ...], raw: list[RawWord]) -> bool | None:
    texts = [f.text for f in fields]
    if "--" in texts:
        walk.state.arguments = tuple(f.pieces for f in fields[texts.index("--") + 1 :])
    return True


def read(walk: Walk, fields: tuple[Field, ...], raw: list[RawWord]) -> bool | None:
    whole = any(f.text == "-d" for f in fields) and walk.stdin is not None
    for field in fields[1:]:
        if whole and walk.stdin is not None and field is fields[-1]:
            walk.state.assign(field.text, Variable((walk.stdin,)))
        elif re.fullmatch(r"[A-Za-z_]\w*", field.text):
            walk.state.unsettle(field.text)
    return None


def leave(walk: Walk, fields: tuple[Field, ...], raw: list[RawWord]) -> bool | None:
    raise Leave(fields[0].text)


def nothing(walk: Walk, fields: tuple[Field, ...], raw: list[RawWord]) -> bool | None:
    return fields[0].text != "false"


BUILTINS: dict[str, Builtin] = {
    "cd": cd,
    "pushd": cd,
    "source": source,
    ".": source,
    "eval": eval_,
    "shift": shift,
    "set": set_,
    "read": read,
    "mapfile": read,
    "readarray": read,
    "exit": leave,
    "return": leave,
    "break": leave,
    "continue": leave,
    **dict.fromkeys((":", "true", "false", "wait", "echo", "printf", "popd", "trap", "shopt"), nothing),
}
