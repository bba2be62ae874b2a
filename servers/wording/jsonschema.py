"""Argument checks as python-jsonschema makes them, with which servers on the MCP SDK's low-level Python server validate.

jsonschema-rs, which is much faster, decides whether there is anything to say; the real library says it. Nothing is
coerced, filled in or dropped.
"""

from __future__ import annotations

from soundstage.kernels.types import Arguments
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """The arguments as they came, {} for none.

    Raises:
        InvalidArguments: what `best_match` makes of all errors, "'path' is a required property" for example.
    """
    given = arguments or {}
    if not tool.validator.is_valid(given) and (problem := _best_match(tool, given)) is not None:
        raise InvalidArguments(problem)
    return given


def _best_match(tool: Tool, arguments: Arguments) -> str | None:
    # Loaded with the first refusal: a server that starts for one session often has none.
    from jsonschema import exceptions, validators

    validator = validators.validator_for(tool.input_schema)(tool.input_schema)
    error = exceptions.best_match(validator.iter_errors(arguments))
    return None if error is None else str(error.message)
