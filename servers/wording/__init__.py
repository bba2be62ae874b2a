"""Argument validation of real servers, and their messages for invalid arguments.

There is one module per validation library of MCP servers: `zod` (in the words of `zod3` or `zod4`), `pydantic`, `jsonschema`
and `go`. Each has a function `check(tool, arguments, …)` that returns what the real handler would receive (with defaults,
dropped keys and coerced values, as in the library) or raises `InvalidArguments` in the library's words. A dialect's `check`
selects one of them in one line; its `failure` adds the app's format. `typescript_sdk` and `python_sdk` have the formats of the
MCP SDKs.
"""

from __future__ import annotations

from soundstage.kernels.errors import AppError

INVALID_PARAMS = -32602
"""JSON-RPC's code for invalid arguments; MCP also uses it for an unknown tool."""

METHOD_NOT_FOUND = -32601
"""JSON-RPC's code for an unknown method; servers that throw their own McpErrors use it for unknown tools."""

INTERNAL_ERROR = -32603
"""JSON-RPC's code for exceptions of a handler other than McpError."""


class InvalidArguments(AppError):
    """The arguments violate the tool's schema; `message` is the library's text without the server's format."""

    def __init__(self, message: str) -> None:
        """Create the error."""
        super().__init__("invalid_arguments", message)
