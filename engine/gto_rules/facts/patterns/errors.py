"""A pattern that cannot be compiled."""

from __future__ import annotations


class PatternError(ValueError):
    """What is wrong with a matcher, what was expected, and where in the rule (``match.any.1``)."""

    def __init__(self, message: str, *, expected: str | None = None, where: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.expected = expected
        self.where = where

    def within(self, *outer: str) -> PatternError:
        return PatternError(self.message, expected=self.expected, where=(*outer, *self.where))
