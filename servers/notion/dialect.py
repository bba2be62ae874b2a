"""How the Notion MCP server words things.

Success is pretty JSON with the same object as structuredContent, or Markdown alone where the kernel's answer is text.
Every failure, Notion's or the server's own, is isError with `{"error": {"message": …}}`. Arguments are checked by the
MCP SDK (1.29 with zod 4) before the server sees them; its objects are loose, so unknown keys get through. Sources:
recorded replies, and `src/mcp/` in https://github.com/suekou/mcp-notion-server.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.notion.rules.errors import NotionError, Unfinished
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers import zod
from soundstage.servers.reply import Answer, Result, indented_json, text_block
from soundstage.servers.tool import Tool

_MAX_EXACT = 2**53


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    if arguments is None:  # this SDK hands zod what the client sent: nothing, even where no argument is needed
        missing = {"expected": "object", "code": "invalid_type"}
        issue = zod.Issue((), "Invalid input: expected object, received undefined", missing)
        raise zod.InvalidArguments(tool.name, [issue])
    parsed: Arguments = _parsed(tool.input_schema, zod.parse(tool, arguments, strip=False))
    return parsed


def success(tool: Tool, reply: Reply) -> Answer:
    match reply:
        case str():
            return Result([text_block(reply)], ok=True)
        case Unfinished():
            return _error(reply.error.message, reply.error.kind)
        case _:
            return Result([text_block(indented_json(reply))], ok=True, structured=reply)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    match error:
        case zod.InvalidArguments():
            issues = indented_json([issue.as_json() for issue in error.issues])
            text = f"MCP error -32602: Input validation error: Invalid arguments for tool {tool.name}: {issues}"
            return Result([text_block(text)], ok=False, is_error=True, error_kind=error.kind)
        case NotionError():
            return _error(error.message, error.kind)
        case _:
            raise TypeError(f"not an error of Notion's: {error!r}")


def internal_error(tool: Tool, call_id: str) -> Answer:
    message = "Notion API request failed (500 internal_server_error): Unexpected error occurred."
    return _error(message, "internal")


def unknown_tool(name: str) -> Answer:
    text = f"MCP error -32602: Tool {name} not found"
    return Result([text_block(text)], ok=False, is_error=True, error_kind="unknown_tool")


def _error(message: str, kind: ErrorKind) -> Answer:
    body = {"error": {"message": message}}
    return Result([text_block(indented_json(body))], ok=False, is_error=True, structured=body, error_kind=kind)


def _parsed(schema: dict[str, Any], value: Any) -> Any:
    """A value as the server gets it: zod puts the keys of the schema first, JavaScript has one kind of number."""
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        ordered = [name for name in properties if name in value] + [name for name in value if name not in properties]
        return {name: _parsed(properties.get(name, {}), value[name]) for name in ordered}
    if isinstance(value, list):
        return [_parsed(schema.get("items", {}), item) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    exact = int(Decimal(repr(float(value)))) if abs(value) > _MAX_EXACT else value
    return int(exact) if exact == int(exact) and -(2**63) <= exact < 2**64 else float(value)
