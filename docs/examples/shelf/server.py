"""A small MCP server: a shelf of books that are lent. It keeps them in the file that SHELF_FILE names."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

READ = {"readOnlyHint": True, "openWorldHint": False}
WRITE = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
REMOVE = {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False}
NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
TOOLS = {
    "add_book": (WRITE, {"title": TEXT, "year": NUMBER}, ["title"]),
    "lend_book": (WRITE, {"number": NUMBER, "to": TEXT}, ["number", "to"]),
    "list_books": (READ, {}, []),
    "find_books": (READ, {"title": TEXT}, ["title"]),
    "remove_book": (REMOVE, {"number": NUMBER}, ["number"]),
}
KINDS = {"integer": int, "string": str}


class Refused(Exception):
    """The shelf says no, in these words."""


def call(books: list[dict[str, Any]], tool: str, given: dict[str, Any]) -> Any:
    if tool not in TOOLS:
        raise Refused(f"no tool {tool}")
    _, members, required = TOOLS[tool]
    for name, schema in members.items():
        if name not in given:
            if name in required:
                raise Refused(f"{name} is missing")
        elif not isinstance(given[name], KINDS[schema["type"]]) or isinstance(given[name], bool):
            raise Refused(f"{name} is no {schema['type']}")
    if tool == "add_book":
        if not given["title"].strip():
            raise Refused("a book has a title")
        number = max((book["number"] for book in books), default=0) + 1
        books.append({"number": number, "title": given["title"], "year": given.get("year"), "lent_to": None})
        return books[-1]
    if tool == "list_books":
        return {"books": books}
    if tool == "find_books":
        return {"books": [book for book in books if given["title"].lower() in book["title"].lower()]}
    found = next((book for book in books if book["number"] == given["number"]), None)
    if found is None:
        raise Refused(f"no book has the number {given['number']}")
    if tool == "remove_book":
        books.remove(found)
        return {"removed": found["number"]}
    if found["lent_to"] is not None:
        raise Refused(f"{found['lent_to']} has it already")
    found["lent_to"] = given["to"]
    return found


def answer(file: Path, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    if method == "initialize":
        info = {"name": "shelf", "version": "1.0"}
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {
            "tools": [
                {"name": name, "description": name.replace("_", " "), "annotations": hints,
                 "inputSchema": {"type": "object", "properties": members, "required": required}}
                for name, (hints, members, required) in TOOLS.items()
            ]
        }  # fmt: skip
    if method != "tools/call":
        return None
    books = json.loads(file.read_text()) if file.exists() else []
    try:
        said = json.dumps(call(books, params["name"], params.get("arguments") or {}))
    except Refused as refused:
        return {"content": [{"type": "text", "text": str(refused)}], "isError": True}
    file.write_text(json.dumps(books))
    return {"content": [{"type": "text", "text": said}], "isError": False}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        result = answer(Path(os.environ["SHELF_FILE"]), asked["method"], asked.get("params", {}))
        unknown = {"error": {"code": -32601, "message": f"Method not found: {asked['method']}"}}
        told = unknown if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"]} | told), flush=True)
