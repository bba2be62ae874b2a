"""Replies of the TypeScript MCP SDK before a handler is called, which contain zod's words.

From 1.21 on they are results with isError, earlier JSON-RPC errors. Version 2 omits McpError's prefix. Source: `server/mcp.js`
of the SDK's packages 1.15, 1.20, 1.25, 1.29, 1.30, 1.32 and 2.4.
"""

from __future__ import annotations

from soundstage.servers.reply import ProtocolFailure, Result, failed
from soundstage.servers.tool import Tool
from soundstage.servers.wording import INVALID_PARAMS, InvalidArguments


def mcp_error(message: str, code: int = INVALID_PARAMS) -> str:
    """Return the message of an McpError."""
    return f"MCP error {code}: {message}"


def invalid_arguments(tool: Tool, error: InvalidArguments) -> Result:
    """Return the reply to arguments that zod rejects, from 1.21 on."""
    return failed(mcp_error(f"Input validation error: {_named(tool, error)}"), error.kind)


def unknown_tool(name: str) -> Result:
    """Return the reply to an unknown tool, from 1.21 on."""
    return failed(mcp_error(f"Tool {name} not found"), "unknown_tool")


def invalid_arguments_before_1_21(tool: Tool, error: InvalidArguments) -> ProtocolFailure:
    """Return the error for arguments that zod rejects, up to 1.20."""
    return ProtocolFailure(INVALID_PARAMS, mcp_error(_named(tool, error)), error.kind)


def unknown_tool_before_1_21(name: str) -> ProtocolFailure:
    """Return the error for an unknown tool, up to 1.20."""
    return ProtocolFailure(INVALID_PARAMS, mcp_error(f"Tool {name} not found"), "unknown_tool")


def invalid_arguments_since_2(tool: Tool, error: InvalidArguments) -> Result:
    """Return the reply to arguments that zod rejects, in version 2."""
    return failed(f"Input validation error: {_named(tool, error)}", error.kind)


def unknown_tool_since_2(name: str) -> ProtocolFailure:
    """Return the error for an unknown tool, in version 2."""
    return ProtocolFailure(INVALID_PARAMS, f"Tool {name} not found", "unknown_tool")


def _named(tool: Tool, error: InvalidArguments) -> str:
    return f"Invalid arguments for tool {tool.name}: {error.message}"
