"""A small bookshelf as a real MCP server on stdin and stdout, written for tests of synthesis: fast, without clock and ids, and
with rules that are not in a schema. Its books are in SHELF_FILE.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

_TITLE = {"title": {"type": "string"}}
_READ = {"readOnlyHint": True, "openWorldHint": False}
_WRITE = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
_REMOVE = {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False}


def _tool(name: str, annotations: dict[str, bool], properties: dict[str, Any], *required: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {
        "name": name,
        "description": f"The shelf's own words: {name}.",
        "inputSchema": schema,
        "annotations": annotations,
    }


TOOLS = [
    _tool("put-book", _WRITE, {**_TITLE, "copies": {"type": "integer"}}, "title", "copies"),
    _tool("get_book", _READ, _TITLE, "title"),
    _tool("list_books", _READ, {}),
    _tool("take_book", _REMOVE, _TITLE, "title"),
]


class Refused(Exception):
    """A refused call, with the message of the reply."""


def answer(books: dict[str, int], tool: str, given: dict[str, Any]) -> Any:
    """Return a call's reply. `books` are copies by title; calls change them."""
    if tool == "list_books":
        return {"books": [{"title": t, "copies": n} for t, n in books.items()]}
    title = given["title"]
    if tool == "put-book":
        if not title.strip():
            raise Refused("A book needs a title")
        if not 1 <= given["copies"] <= 500:
            raise Refused(f"{given['copies']} copies of {title} cannot stand on a shelf")
        if title in books:
            raise Refused(f"{title} is on the shelf already")
        books[title] = given["copies"]
        return {"title": title, "copies": given["copies"]}
    if title not in books:
        raise Refused(f"There is no book called {title}")
    if tool == "take_book":
        return {"taken": title, "copies": books.pop(title)}
    return {"title": title, "copies": books[title]}


def _wrong(schema: dict[str, Any], given: dict[str, Any]) -> str | None:
    """Return the error of jsonschema for the few keywords that the schemas use. Importing jsonschema would take longer than all
    calls.
    """
    for name in schema["required"]:
        if name not in given:
            return f"{name!r} is a required property"
    for name, declared in schema["properties"].items():
        kind, value = declared["type"], given.get(name, "")
        whole = isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
        if name in given and not (isinstance(value, str) if kind == "string" else whole):
            return f"{value!r} is not of type {kind!r}"
    return None


def call(file: Path, name: str, given: dict[str, Any]) -> tuple[str, bool]:
    """Return the text of the reply, and whether it is an error."""
    schema = next((t["inputSchema"] for t in TOOLS if t["name"] == name), None)
    if schema is None:
        return f"Unknown tool: {name}", True
    if (wrong := _wrong(schema, given)) is not None:
        return f"Input validation error: {wrong}", True
    books = json.loads(file.read_text()) if file.exists() else {}
    try:
        reply = answer(books, name, given)
    except Refused as refusal:
        return str(refusal), True
    file.write_text(json.dumps(books))
    return json.dumps(reply), False


def main() -> None:
    file = Path(os.environ["SHELF_FILE"])
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params", {})
        if "id" not in message:
            continue
        result: Any = {}
        if method == "initialize":
            info = {"name": "bookshelf", "version": "1.0"}
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
        elif method == "tools/list":
            result = {"tools": TOOLS}
        elif method == "tools/call":
            text, failed = call(file, params["name"], params.get("arguments") or {})
            result = {"content": [{"type": "text", "text": text}], "isError": failed}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
