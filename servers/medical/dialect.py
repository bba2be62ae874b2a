"""The server's dialect: one text without `isError`. An empty result is an ordinary sentence.

It uses the TypeScript SDK before 1.21 with zod 3: invalid arguments and unknown tools are JSON-RPC errors. Source:
JamesANZ/medical-mcp c004e88.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, typescript_sdk, zod, zod3

DOING = {
    "search-drugs": "searching drugs",
    "get-drug-details": "fetching drug details",
    "get-health-statistics": "fetching health statistics",
    "search-medical-literature": "searching medical literature",
    "get-article-details": "fetching article details",
    "search-drug-nomenclature": "searching RxNorm",
    "search-google-scholar": "searching Google Scholar",
    "search-clinical-guidelines": "searching clinical guidelines",
    "search-medical-databases": "searching medical databases",
    "search-medical-journals": "searching medical journals",
    "get-cache-stats": "fetching cache statistics",
    "search-pediatric-guidelines": "searching pediatric guidelines",
    "search-pediatric-literature": "searching pediatric literature",
    "get-child-health-statistics": "fetching child health statistics",
    "search-pediatric-drugs": "searching pediatric drugs",
    "search-aap-guidelines": "searching AAP guidelines",
}


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like the real server, and return them as the kernel receives them."""
    return zod.check(tool, arguments, zod3, zod.as_json)


def success(tool: Tool, reply: Reply) -> Answer:
    """Return a kernel's result in the format of the real server."""
    return Result([text_block(reply)], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Return the real server's reply to a rejected call."""
    if isinstance(error, InvalidArguments):
        return typescript_sdk.invalid_arguments_before_1_21(tool, error)
    if isinstance(error, NothingFound):
        return failed(error.message, error.kind, is_error=None)
    return failed(f"Error {DOING[tool.name]}: {error.message}", error.kind, is_error=None)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Return the server's reply after a crash; `call_id` identifies the log entry."""
    return failed(f"Error {DOING[tool.name]}: Unknown error ({call_id})", "internal", is_error=None)


def unknown_tool(name: str) -> Answer:
    """Return the real server's reply to an unknown tool name."""
    return typescript_sdk.unknown_tool_before_1_21(name)
