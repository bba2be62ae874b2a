"""What the Python MCP SDK answers before a handler sees the call, around the words of jsonschema or pydantic."""

from __future__ import annotations

from soundstage.servers.reply import Result, failed
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments


def invalid_arguments(error: InvalidArguments) -> Result:
    """Arguments that the low-level server refuses (from 1.10 on), in jsonschema's words."""
    return failed(f"Input validation error: {error.message}", error.kind)


def invalid_arguments_of_function(tool: Tool, error: InvalidArguments) -> Result:
    """Arguments that the SDK's own FastMCP refuses, in pydantic's words."""
    return failed(f"Error executing tool {tool.name}: {error.message}", error.kind)


def unknown_tool(name: str) -> Result:
    """A tool that the server does not have."""
    return failed(f"Unknown tool: {name}", "unknown_tool")
