"""The server's dialect: one text, with isError only for invalid arguments; failed lookups are ordinary sentences.

4.1.1 uses the TypeScript SDK 2 with zod 4 and accepts other names of its arguments. A state whose `server` has a `generation`
1.x gets 1.0.14, which uses SDK 1.32 with zod 3 and has different tools. Source: @upstash/context7-mcp 4.1.1 and 1.0.14 on npm,
both compared with this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.context7.rules.server import NoSuchTool, is_old
from soundstage.kernels.engines.javascript import to_number
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, typescript_sdk, zod, zod3, zod4

_QUERY = ("userQuery", "question")
_OTHER_NAMES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "resolve-library-id": {"query": _QUERY},
    "query-docs": {"query": _QUERY, "libraryId": ("context7CompatibleLibraryID", "libraryID", "libraryName")},
}
_OLD_TOOLS = ("resolve-library-id", "get-library-docs")


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    if tool.name not in _OTHER_NAMES:
        raise NoSuchTool(tool.name)
    return zod.check(tool, _renamed(tool, arguments or {}), zod4, zod.by_paths)


def check_in(context: AppContext, tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the generation of the server that the session's state selects."""
    return _check_old(tool, arguments or {}) if is_old(context) else check(tool, arguments)


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    return Result([text_block(reply)], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    old = is_old(context)
    if isinstance(error, NoSuchTool):
        return typescript_sdk.unknown_tool(tool.name) if old else unknown_tool(tool.name)
    if isinstance(error, InvalidArguments):
        refused = typescript_sdk.invalid_arguments if old else typescript_sdk.invalid_arguments_since_2
        return refused(tool, error)
    return failed(error.message, error.kind, is_error=None)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(
        f"Error fetching library context. Please try again later. Error: {call_id}", "internal", is_error=None
    )


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return typescript_sdk.unknown_tool_since_2(name)


def _renamed(tool: Tool, arguments: Arguments) -> Arguments:
    """Return the arguments under their proper names; the first alternative name counts if the proper one is missing."""
    named = dict(arguments)
    for own, others in _OTHER_NAMES[tool.name].items():
        other = next((name for name in others if name in named), None)
        if own not in named and other is not None:
            named[own] = named.pop(other)
    return named


def _check_old(tool: Tool, arguments: Arguments) -> Arguments:
    if tool.name not in _OLD_TOOLS:
        raise NoSuchTool(tool.name)
    if tool.name == "resolve-library-id":
        return zod.check(_old_resolve(tool), arguments, zod3, zod.at_paths)
    tokens = arguments.get("tokens")
    read = {**arguments, "tokens": to_number(tokens)} if isinstance(tokens, str) else arguments
    return zod.check(tool, read, zod3, zod.at_paths)


@cache
def _old_resolve(tool: Tool) -> Tool:
    """Return the tool as 1.x declares it."""
    schema = {"type": "object", "properties": {"libraryName": {"type": "string"}}, "required": ["libraryName"]}
    return replace(tool, input_schema=schema)
