"""The `get_network_info` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.monitor.rules.errors import Refusal
from soundstage.kernels.monitor.rules.networks import connection_count, interfaces
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> dict[str, Any]:
    """Return the network interfaces and their traffic, or one of them."""
    wanted = arguments.get("interface")
    count, result = connection_count(context), interfaces(context)
    if not isinstance(wanted, str) or not wanted:
        fields = {"interfaces": [one.fields() for one in result], "io_counters": [one.counters() for one in result]}
        return {"connection_count": count, **fields}
    interface = next((one for one in result if one.name == wanted), None)
    if interface is None:
        raise Refusal("not_found", f"Network interface not found: {wanted}")
    return {"connection_count": count, "interface": interface.fields(), "io_counter": interface.counters()}
