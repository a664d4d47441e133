"""Bytes → text and tree with exact positions. Knows file formats, no rules and no frameworks."""

from gto_rules.documents.classify import classify
from gto_rules.documents.parse import DEPENDENCY_KINDS, READERS, parse
from gto_rules.documents.source import LIMIT_BYTES, read_source, source_from_bytes

__all__ = ["DEPENDENCY_KINDS", "LIMIT_BYTES", "READERS", "classify", "parse", "read_source", "source_from_bytes"]
