"""Numbers that the MCP server validates again after the schema."""

from __future__ import annotations

from soundstage.kernels.obsidian.rules.errors import ObsidianError
from soundstage.kernels.types import Arguments


def positive(arguments: Arguments, name: str, default: int) -> int:
    """Return a positive integer argument. The schema accepts 5.0 as an integer, the handler does not.

    Raises:
        ObsidianError: The value is not a positive integer.
    """
    value = arguments.get(name, default)
    if not isinstance(value, int):
        raise ObsidianError("invalid", f"Invalid {name}: {value}. Must be a positive integer")
    return value
