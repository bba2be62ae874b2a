"""Numbers that the MCP server checks once more, after the schema."""

from __future__ import annotations

from soundstage.kernels.obsidian.rules.errors import ObsidianError
from soundstage.kernels.types import Arguments


def positive(arguments: Arguments, name: str, default: int) -> int:
    """A whole number. The schema takes 5.0 for one, the handler does not.

    Raises:
        ObsidianError
    """
    value = arguments.get(name, default)
    if not isinstance(value, int):
        raise ObsidianError("invalid", f"Invalid {name}: {value}. Must be a positive integer")
    return value
