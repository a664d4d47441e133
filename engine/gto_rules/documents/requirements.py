"""requirements.txt and constraints → requirements with spans."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gto_rules.documents.model import Problem, Requirement, RequirementsDocument, SourceText
from gto_rules.location import Span

_NAME = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[^\]]*\])?\s*")
_SPECIFIER = re.compile(r"\(?\s*((?:(?:===|~=|==|!=|<=|>=|<|>)\s*[^\s,;)#]+\s*,?\s*)*)\)?")
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9._-]+)")
_REPOSITORY = re.compile(
    r"^(?:-e\s+|--editable[ =])?(?:git|hg|svn|bzr)\+\S*?/([A-Za-z0-9._-]+?)(?:\.git)?(?:@[^#\s]*)?(?:#|\s|$)"
)
_WHEEL = re.compile(r"([A-Za-z0-9._]+)-(\d[^-/]*)-[^/]*\.whl$")
# A longer line is no requirement, and searching it could take the square of its length.
_LONGEST = 4000
_INCLUDE = re.compile(r"^(?:-r|--requirement|-c|--constraint)[ =]?\s*(\S+)")


def normalise(name: str) -> str:
    """A distribution name in its normal form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def requirement(text: str, span: Span) -> Requirement | None:
    """One requirement in the form of PEP 508 or of pip's own (URL, editable, wheel), or None.

    Args:
        text: The line without comment.
        span: Where it stands.
    """
    if len(text) > _LONGEST:
        return None
    body, _, marker = text.strip().partition(";")
    if "://" in body or body.startswith(("-e", "--editable", "git+")):
        return _from_url(body, marker.strip(), span)
    wheel = _wheel(body, marker.strip(), span)
    if wheel is not None:
        return wheel
    name = _NAME.match(body)
    if not name:
        return None
    rest = body[name.end() :]
    specifier = _SPECIFIER.match(rest)
    written = re.sub(r"\s+", "", specifier[1]).strip(",") if specifier else ""
    after = rest[specifier.end() :].strip() if specifier else rest.strip()
    if after and not after.startswith(("--", "@", "\\")):
        return None
    extras = tuple(e.strip() for e in (name[2] or "[]")[1:-1].split(",") if e.strip())
    return Requirement(normalise(name[1]), written, span, marker.strip(), extras)


def _from_url(body: str, marker: str, span: Span) -> Requirement | None:
    before, at, _ = body.partition("@")
    name = _NAME.fullmatch(before.strip()) if at and "://" not in before else None
    if name:
        extras = tuple(e.strip() for e in (name[2] or "[]")[1:-1].split(",") if e.strip())
        return Requirement(normalise(name[1]), "", span, marker, extras)
    for pattern in (_EGG, _REPOSITORY):
        found = pattern.search(body.strip())
        if found:
            return Requirement(normalise(found[1]), "", span, marker)
    return _wheel(body, marker, span)


def _wheel(body: str, marker: str, span: Span) -> Requirement | None:
    """What the name of a wheel says, at the end of a path or URL."""
    words = body.split()
    found = _WHEEL.match(words[-1].partition("#")[0].rpartition("/")[2]) if words else None
    return Requirement(normalise(found[1]), f"=={found[2]}", span, marker) if found else None


def read_requirements(source: SourceText) -> RequirementsDocument:
    """Every requirement of the file, and the files that it includes (``-r``, ``-c``)."""
    found: list[Requirement] = []
    includes: list[str] = []
    problems = list(source.problems)
    for text, span in _logical_lines(source):
        include = _INCLUDE.match(text)
        if include:
            includes.append(include[1])
            continue
        if text.startswith("-") and not text.startswith(("-e", "--editable")):
            continue  # options such as --index-url
        one = requirement(re.split(r"\s--(?:hash|config-settings|global-option)\b", text)[0], span)
        if one is not None:
            found.append(one)
        elif not text.startswith((".", "/", "-e", "--editable", "http", "${")):
            line, _ = source.position(span.start)
            problems.append(Problem(source.path, f"is not a requirement: {text[:60]!r}", line))
    return RequirementsDocument(
        source, "requirements", tuple(problems), requirements=tuple(found), includes=tuple(includes)
    )


def _logical_lines(source: SourceText) -> Iterator[tuple[str, Span]]:
    """Lines without comments, those ending in a backslash joined; the span leaves out the padding."""
    offset, start, parts = 0, 0, ""
    for raw in source.text.splitlines(keepends=True):
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if not parts:
            start = offset + len(line) - len(line.lstrip())
        offset += len(raw)
        if line.rstrip().endswith("\\"):
            parts += line.rstrip()[:-1] + " "
            continue
        text = re.sub(r"(^|\s)#.*$", "", parts + line).strip()
        parts = ""
        if text:
            yield text, Span(start, start + len(text.encode()))
