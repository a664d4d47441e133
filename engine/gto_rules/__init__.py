"""gto-rules: a declarative rule engine that audits and tunes GPU training projects."""

__version__ = "0.1.0"
