"""The `get_cpu_info` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.monitor.rules.processors import CORES, information, usage
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return the processors and their load; any value of `per_cpu` other than `true` counts as false."""
    each = arguments.get("per_cpu") is True
    return {"core_count": CORES, "info": information(), "usage_percent": usage(context, each=each)}
