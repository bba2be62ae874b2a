"""Argument validation with python-jsonschema, which the low-level Python server of the MCP SDK uses.

The much faster jsonschema-rs detects violations, and the real library words them. Values are not coerced, completed or dropped.
"""

from __future__ import annotations

from soundstage.kernels.types import Arguments
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Return the arguments unchanged, {} for none.

    Raises:
        InvalidArguments: The error that `best_match` selects, such as "'path' is a required property".
    """
    given = arguments or {}
    if not tool.validator.is_valid(given) and (problem := _best_match(tool, given)) is not None:
        raise InvalidArguments(problem)
    return given


def _best_match(tool: Tool, arguments: Arguments) -> str | None:
    # Imported on the first violation, which many sessions never have.
    from jsonschema import exceptions, validators

    validator = validators.validator_for(tool.input_schema)(tool.input_schema)
    error = exceptions.best_match(validator.iter_errors(arguments))
    return None if error is None else str(error.message)
