"""Templates → Markdown. The text of reports lives in ``templates/``, one file per report, both languages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from gto_rules.report import text

TEMPLATES = Path(__file__).parent / "templates"

_STATUS = {
    "enabled": ("enabled", "已启用"),
    "not_enabled": ("not enabled", "未启用"),
    "recommended": ("**recommended**", "**建议启用**"),
    "not_applicable": ("not applicable", "不适用"),
    "unknown": ("unknown", "未知"),
}
RISKS = {
    "neutral": ("same numerics", "数值不变"),
    "numerics": ("numerics change slightly", "数值精度略有变化"),
    "convergence": ("changes what is learnt", "影响收敛"),
    "artefact": ("changes what is trained or saved", "影响训练产物"),
}
_OUTCOME = {
    "done": ("done", "完成"),
    "skipped": ("skipped", "跳过"),
    "failed": ("failed", "失败"),
    "verified": ("kept, measured", "已验证并保留"),
    "rejected": ("undone", "已撤销"),
    "unverified": ("not verified", "未验证"),
}
_SEVERITY = {"high": ("high", "高"), "medium": ("medium", "中"), "low": ("low", "低")}
_STEPS = {
    1: ("inputs and work directory", "确认输入与初始化"),
    2: ("static analysis", "代码静态分析"),
    3: ("fork", "Fork 项目"),
    4: ("baseline and profile", "性能基准采集"),
    5: ("hardware and diagnosis", "硬件采集与瓶颈诊断"),
    6: ("apply remedies", "实施优化"),
    7: ("verify", "验证优化效果"),
    8: ("rounds and convergence", "迭代优化"),
    9: ("final report", "最终优化报告"),
    10: ("completeness check", "完整性检查与交付"),
}


@cache
def _environment() -> Any:
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, keep_trailing_newline=True
    )


def render(template: str, lang: str, root: Path, reports: Path, values: Mapping[str, Any]) -> str:
    """One report in one language; links point from ``reports`` to files below ``root``."""
    say = text.speaker(lang)

    def word(table: Mapping[Any, tuple[str, str]]) -> Any:
        return lambda key: say(*table[key]) if key in table else text.clean(key)

    helpers = {
        "_": say,
        "t": text.picker(lang),
        "link": text.linker(root, reports),
        "cell": text.cell,
        "code": text.code,
        "fence": text.fence,
        "number": text.number,
        "points": text.points,
        "status": word(_STATUS),
        "risk": word(RISKS),
        "outcome": word(_OUTCOME),
        "severity": word(_SEVERITY),
        "step_name": word(_STEPS),
    }
    rendered: str = _environment().get_template(template).render({**helpers, **values})
    lines = "\n".join(line.rstrip() for line in rendered.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip() + "\n"
