"""Settings of all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# The same examples in every run, so that a red check means a change; GTO_RULES_FUZZ=1 looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("fuzz", deadline=None)
settings.load_profile("fuzz" if os.environ.get("GTO_RULES_FUZZ") else "steady")
