"""Results → reports for people, in English and Chinese, and their JSON twins."""

from gto_rules.report.build import FINAL, write_reports

__all__ = ["FINAL", "write_reports"]
