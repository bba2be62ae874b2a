"""What the MCP server makes of an API answer before a client sees it.

Lists become summaries when they are long or a client asks for it, and with NOTION_MARKDOWN_CONVERSION=true objects
become Markdown (a kernel's answer is then text). Source: `executeRegisteredTool` and `optimizeToolResponse` in
https://github.com/suekou/mcp-notion-server.
"""

from __future__ import annotations

import orjson

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import compaction, markdown, paging
from soundstage.kernels.notion.rules.validation import utf16_length
from soundstage.kernels.types import Arguments

Shown = Object | str

_AUTO_RESULTS = 10
_AUTO_CHARACTERS = 12_000
_CONVERTIBLE = ("page", "database", "data_source", "block", "list", "user", "comment")


def answer(context: AppContext, arguments: Arguments, response: Object, *, long_lists: bool = False) -> Shown:
    """An answer as the client gets it; `long_lists` marks the tools whose lists are shortened unasked."""
    mode = arguments.get("response_mode")
    if (
        response.get("object") == "list"
        and mode != "full"
        and (mode == "compact" or (long_lists and _is_long(response)))
    ):
        response = compaction.compact(response)
    wants_markdown = arguments.get("format", "markdown") == "markdown"
    if wants_markdown and response.get("object") in _CONVERTIBLE and _converts(context):
        return markdown.of_response(response)
    return response


def of_object(context: AppContext, arguments: Arguments, response: Object) -> Shown:
    """One object of the API, with the id of its request."""
    return answer(context, arguments, with_request_id(context, response))


def with_request_id(context: AppContext, response: Object) -> Object:
    return {**response, "request_id": paging.request_id(context)}


def _is_long(response: Object) -> bool:
    return len(response["results"]) > _AUTO_RESULTS or utf16_length(orjson.dumps(response).decode()) > _AUTO_CHARACTERS


def _converts(context: AppContext) -> bool:
    return (context.get("setting", "NOTION_MARKDOWN_CONVERSION") or {}).get("value") == "true"
