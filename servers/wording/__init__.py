"""How real servers check a call's arguments, and what they say of those that break a tool's schema.

One module per library that MCP servers validate with: `zod` (in the words of `zod3` or `zod4`), `pydantic`, `jsonschema`
and `go`. Each checks `(tool, arguments, …)`: it hands on what the real handler would receive (defaults filled in, keys
dropped, text read as numbers, wherever the library does that) or raises `InvalidArguments` in the library's words. A
dialect's own `check` is one line that chooses; its `failure` puts the words into the app's envelope. `typescript_sdk` and
`python_sdk` have the envelopes that the MCP SDKs make.
"""

from __future__ import annotations

from soundstage.kernels.errors import AppError

INVALID_PARAMS = -32602
"""JSON-RPC's code for arguments that do not fit; MCP answers with it to an unknown tool too."""

METHOD_NOT_FOUND = -32601
"""JSON-RPC's code for an unknown method; servers that throw McpErrors by themselves have it for unknown tools."""

INTERNAL_ERROR = -32603
"""JSON-RPC's code for what a handler throws that is no McpError."""


class InvalidArguments(AppError):
    """The arguments break the tool's schema; `message` is what the library says, without what a server puts around."""

    def __init__(self, message: str) -> None:
        super().__init__("invalid_arguments", message)
