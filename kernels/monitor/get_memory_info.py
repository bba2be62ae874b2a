"""The `get_memory_info` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.monitor.rules.memory import swap, virtual
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return the memory and its usage."""
    return {"swap": swap(context), "virtual": virtual(context)}
