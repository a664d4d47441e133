"""Check files against the finding rules: fast, many files, nothing run."""
