"""Conversion of API responses by the MCP server.

Long lists become summaries, others on request, and with NOTION_MARKDOWN_CONVERSION=true objects become Markdown (a
kernel's reply is then text). Source: `executeRegisteredTool` and `optimizeToolResponse` in
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
    """Return a response as the client gets it; `long_lists` marks tools whose long lists are always shortened."""
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
    """Return one object of the API, with the id of its request."""
    return answer(context, arguments, with_request_id(context, response))


def with_request_id(context: AppContext, response: Object) -> Object:
    """Add the id of the request to a response."""
    return {**response, "request_id": paging.request_id(context)}


def _is_long(response: Object) -> bool:
    return len(response["results"]) > _AUTO_RESULTS or utf16_length(orjson.dumps(response).decode()) > _AUTO_CHARACTERS


def _converts(context: AppContext) -> bool:
    return (context.get("setting", "NOTION_MARKDOWN_CONVERSION") or {}).get("value") == "true"
