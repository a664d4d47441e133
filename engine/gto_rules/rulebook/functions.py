"""The functions that rule expressions may call beside JMESPath's own."""

from __future__ import annotations

import math
from typing import Any

import jmespath
from jmespath import functions


class RuleFunctions(functions.Functions):
    """JMESPath's functions and a few for versions, ranges and small arithmetic."""

    @functions.signature({"types": ["string", "null"]}, {"types": ["string"]})
    def _func_version_in(self, version: str | None, specifier: str) -> bool | None:
        """Whether a version lies in a PEP 440 specifier; null when the version is not known."""
        from packaging.specifiers import InvalidSpecifier, SpecifierSet
        from packaging.version import InvalidVersion, Version

        if version is None:
            return None
        try:
            # Parsed first: some releases of packaging answer False for what is no version.
            return SpecifierSet(specifier).contains(Version(version), prereleases=True)
        except (InvalidVersion, InvalidSpecifier):
            return None

    @functions.signature({"types": ["number", "null"]}, {"types": ["number"]}, {"types": ["number"]})
    def _func_between(self, value: float | None, low: float, high: float) -> bool | None:
        """Whether ``low <= value <= high``."""
        return None if value is None else low <= value <= high

    @functions.signature({"types": []})
    def _func_known(self, value: Any) -> bool:
        """Whether there is a value at all."""
        return value is not None

    @functions.signature({"types": ["number", "null"]}, {"types": ["number", "null"]})
    def _func_divide(self, a: float | None, b: float | None) -> float | None:
        return None if a is None or not b else a / b

    @functions.signature({"types": ["number", "null"]}, {"types": ["number", "null"]})
    def _func_multiply(self, a: float | None, b: float | None) -> float | None:
        return None if a is None or b is None else a * b

    @functions.signature({"types": ["number", "null"]}, {"types": ["number", "null"]})
    def _func_subtract(self, a: float | None, b: float | None) -> float | None:
        return None if a is None or b is None else a - b

    @functions.signature({"types": ["number", "null"]}, {"types": ["number"]}, {"types": ["number"]})
    def _func_clamp(self, value: float | None, low: float, high: float) -> float | None:
        """``value`` limited to ``low`` … ``high``."""
        return None if value is None else max(low, min(high, value))

    @functions.signature({"types": ["number", "null"]})
    def _func_whole(self, value: float | None) -> int | None:
        """``value`` without its fraction; null for what has no whole number."""
        return None if value is None or not math.isfinite(value) else math.trunc(value)


OPTIONS = jmespath.Options(custom_functions=RuleFunctions())
