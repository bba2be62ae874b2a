"""The listed definitions of the search tools: `search_tools`, `describe_tool` and `call_tool`."""

from __future__ import annotations

from typing import Any

MAX_QUERY = 2000
MAX_RESULTS = 50
DEFAULT_RESULTS = 5
_READS = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}

SEARCH_TOOLS: dict[str, dict[str, Any]] = {
    str(tool["name"]): tool
    for tool in (
        {
            "name": "search_tools",
            "title": "Find tools",
            "description": (
                "Find tools by what they do. Returns the best matches, the best first, each with app, name, what it does, "
                "a score (comparable within one answer) and its input schema. Call what you find by its name, or with "
                "call_tool. Describe one action at a time, such as 'add people to a group chat'."
            ),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": MAX_QUERY,
                        "description": "What the tool should do, in your own words.",
                    },
                    "k": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MAX_RESULTS,
                        "default": DEFAULT_RESULTS,
                        "description": "How many tools to return.",
                    },
                    "app": {"type": "string", "description": "Only tools of this app."},
                },
                "required": ["query"],
                "additionalProperties": False,
            },
            "annotations": _READS,
        },
        {
            "name": "describe_tool",
            "title": "Describe a tool",
            "description": "Show one tool in full: its description with every argument explained, and its schemas.",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "The tool's name as search_tools gives it."}},
                "required": ["name"],
                "additionalProperties": False,
            },
            "annotations": _READS,
        },
        {
            "name": "call_tool",
            "title": "Call a tool",
            "description": (
                "Call a tool that is not in the list, by the name that search_tools gives. The answer is the tool's own."
            ),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "The tool's name as search_tools gives it."},
                    "arguments": {"type": "object", "description": "Its arguments, as its input schema wants them."},
                },
                "required": ["name"],
                "additionalProperties": False,
            },
        },
    )
}


def nothing_found(app: str | None) -> str:
    """Return a hint for a search without results; `app` is the app that the search was limited to."""
    wider = "" if app is None else f", or search without app {app!r}"
    return (
        "no tool fits; say it in other words: one action with a plain verb and what it is done to, such as 'send a message' "
        f"or 发消息, without the names and values for it{wider}"
    )


def first_sentence(text: str) -> str:
    """Return the first sentence of a description, on one line."""
    line = text.strip().partition("\n")[0]
    for mark in (". ", "。"):
        head, separator, _ = line.partition(mark)
        if separator:
            line = head + mark.strip()
    return line
