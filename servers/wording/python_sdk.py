"""Replies of the Python MCP SDK before a handler is called, which contain the words of jsonschema or pydantic."""

from __future__ import annotations

from soundstage.servers.reply import Result, failed
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments


def invalid_arguments(error: InvalidArguments) -> Result:
    """Return the low-level server's reply to invalid arguments (from 1.10 on), in jsonschema's words."""
    return failed(f"Input validation error: {error.message}", error.kind)


def invalid_arguments_of_function(tool: Tool, error: InvalidArguments) -> Result:
    """Return the reply of the SDK's FastMCP to invalid arguments, in pydantic's words."""
    return failed(f"Error executing tool {tool.name}: {error.message}", error.kind)


def unknown_tool(name: str) -> Result:
    """Return the reply to an unknown tool."""
    return failed(f"Unknown tool: {name}", "unknown_tool")
