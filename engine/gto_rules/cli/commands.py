"""Every command of ``gto-rules``: one line here, one module in this folder.

A module has a docstring (its help text), ``add_arguments(parser)`` and ``run(args) -> exit code``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    module: str
    summary: str


COMMANDS: dict[str, Command] = {
    "check": Command("check_command", "faults and contradictions in files, for pre-commit and CI"),
    "detect": Command("detect_command", "framework, inference engines and launch type, with evidence"),
    "settings": Command("settings_command", "every resolved setting with the place that decides it"),
    "audit": Command("audit_command", "scored audits: what is on, what is off, what it is worth"),
    "apply": Command("apply_command", "write the fixes into a fork, or print them as a diff"),
    "profile": Command("profile_command", "one measured trial in a fork"),
    "diagnose": Command("diagnose_command", "bottlenecks from a trace file or a finished run"),
    "tune": Command("tune_command", "the whole loop: audit, fork, measure, change, verify, report"),
    "resume": Command("resume_command", "go on with a tune run that was stopped"),
    "report": Command("report_command", "write the reports of a run again from its journal"),
    "doctor": Command("doctor_command", "this machine's hardware, drivers and tools"),
    "config": Command("config_command", "the configuration of check, with the place of every value"),
    "rules": Command("rules_command", "list, show, explain, validate, test and try rules"),
}
