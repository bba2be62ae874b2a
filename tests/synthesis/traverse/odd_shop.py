"""A small shop as a real MCP server on stdin and stdout, which no model has seen.

It has ids, times, pages, a rate limit at every fourth search, a price that is refused for another zone, secrets in its
settings, a title that crashes it, and, with SHOP_LIES, a tool that is declared as reading and changes something. With
SHOP_MARKS it has a tool with a rule that is not in its schema, and with SHOP_NEXT it is a later version of itself. Its goods
are in SHOP_FILE; its calls are logged to SHOP_LOG, one per line.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

SECRET = "sk-harbour-9f8e7d6c5b4a39281706"
_READ = {"readOnlyHint": True, "openWorldHint": False}
_WRITE = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
_REMOVE = {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False}
_GOOD = {"type": "object", "properties": {"good_id": {"type": "string"}}, "required": ["good_id"]}


def _tool(name: str, annotations: dict[str, bool] | None, schema: dict[str, Any]) -> dict[str, Any]:
    declaration = {"name": name, "description": name.replace("_", " "), "inputSchema": schema}
    return declaration | ({"annotations": annotations} if annotations else {})


TOOLS = [
    _tool("add_good", _WRITE, {
        "type": "object",
        "properties": {"title": {"type": "string"}, "price": {"type": "number"},
                       "colour": {"type": "string", "enum": ["red", "green"]}},
        "required": ["title", "price"],
    }),
    _tool("get_good", _READ, _GOOD),
    _tool("list_goods", _READ, {"type": "object", "properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 50}}}),
    _tool("order_good", None, {
        "type": "object", "properties": {"good_id": {"type": "string"}, "email": {"type": "string"}},
        "required": ["good_id", "email"],
    }),
    _tool("price_of", _READ, _GOOD),
    _tool("remove_good", _REMOVE, _GOOD),
    _tool("search_goods", _READ, {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}),
    _tool("shop_settings", _READ, {"type": "object", "properties": {}}),
]  # fmt: skip
if os.environ.get("SHOP_LIES"):
    TOOLS.append(_tool("view_good", _READ, _GOOD))
if os.environ.get("SHOP_MARKS"):
    TOOLS.append(_tool("mark_good", _WRITE, {
        "type": "object", "properties": {"good_id": {"type": "string"}, "mark": {"type": "string"}},
        "required": ["good_id", "mark"],
    }))  # fmt: skip
NEXT = bool(os.environ.get("SHOP_NEXT"))
if NEXT:
    TOOLS[0]["inputSchema"]["properties"]["colour"]["enum"].remove("green")
    TOOLS[2]["description"] = "every good there is"
    TOOLS[5]["name"] = "withdraw_good"
    TOOLS.pop()


class Refused(Exception):
    """An error of the shop with this message."""


class Shop:
    def __init__(self, file: Path) -> None:
        self._file = file
        self.goods: dict[str, dict[str, Any]] = json.loads(file.read_text()) if file.exists() else {}
        self.searches = 0

    def call(self, tool: str, given: dict[str, Any]) -> Any:
        schema = next((t["inputSchema"] for t in TOOLS if t["name"] == tool), None)
        if schema is None:
            raise Refused(f"There is no tool {tool}")
        for name in schema.get("required", ()):
            if name not in given:
                raise Refused(f"{name} is required")
        result = getattr(self, f"_{tool}")(given)
        self._file.write_text(json.dumps(self.goods))
        return result

    def _add_good(self, given: dict[str, Any]) -> Any:
        title, price = given["title"], given["price"]
        if not isinstance(title, str) or not title.strip():
            raise Refused("title must be a text that says something")
        if len(title) > 5000:
            os._exit(9)
        if isinstance(price, bool) or not isinstance(price, int | float) or price <= 0:
            raise Refused("price must be more than 0")
        key = f"gd_{hashlib.blake2b(f'{time.time_ns()}'.encode(), digest_size=5).hexdigest()}"
        self.goods[key] = {
            "id": key, "title": title, "price": price, "views": 0, "added": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        }  # fmt: skip
        return self.goods[key]

    def _known(self, given: dict[str, Any]) -> dict[str, Any]:
        key = given["good_id"]
        if not isinstance(key, str) or not key.startswith("gd_"):
            raise Refused("good_id must look like gd_0123456789")
        if key not in self.goods:
            raise Refused(f"{key} is not sold here" if NEXT else f"No good has the id {key}")
        return self.goods[key]

    def _get_good(self, given: dict[str, Any]) -> Any:
        return self._known(given)

    def _view_good(self, given: dict[str, Any]) -> Any:
        good = self._known(given)
        good["views"] += 1
        return good

    def _mark_good(self, given: dict[str, Any]) -> Any:
        good = self._known(given)
        if not isinstance(given["mark"], str) or not re.fullmatch("[A-Z]{2}[0-9]{4}", given["mark"]):
            raise Refused("mark is two capital letters and four digits")
        return good | {"mark": given["mark"]}

    def _price_of(self, given: dict[str, Any]) -> Any:
        good = self._known(given)
        if os.environ.get("TZ") != "UTC":
            raise Refused("prices are told by day")
        return {"price": good["price"]}

    def _remove_good(self, given: dict[str, Any]) -> Any:
        del self.goods[self._known(given)["id"]]
        return {"removed": True}

    def _order_good(self, given: dict[str, Any]) -> Any:
        return {"ordered": self._known(given)["id"], "told": given["email"]}

    def _list_goods(self, given: dict[str, Any]) -> Any:
        limit = given.get("limit", 20)
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= 50:
            raise Refused("limit is between 1 and 50")
        return {"goods": list(self.goods.values())[:limit]}

    def _search_goods(self, given: dict[str, Any]) -> Any:
        self.searches += 1
        if self.searches % 4 == 0:
            raise Refused("Too many requests, try again later")
        if not isinstance(given["query"], str):
            raise Refused("query must be a text")
        return {"goods": [g for g in self.goods.values() if given["query"].lower() in g["title"].lower()]}

    def _shop_settings(self, given: dict[str, Any]) -> Any:
        settings = {name: value for name, value in os.environ.items() if name != "SHOP_LOG"}
        return {"owner": "omar.field@harbour-shop.com", "api_key": SECRET, "note": f"Bearer {SECRET}", "env": settings}


def answer(shop: Shop, message: dict[str, Any], log: Path | None) -> dict[str, Any] | None:
    method, key = message.get("method"), message.get("id")
    if key is None:
        return None
    result: Any
    if method == "initialize":
        info = {"name": "odd-shop", "version": "1.0"}
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "tools/call":
        params = message["params"]
        if log is not None:
            with log.open("a") as file:
                file.write(json.dumps({"tool": params["name"], "arguments": params.get("arguments")}) + "\n")
        try:
            text, failed = json.dumps(shop.call(params["name"], params.get("arguments") or {})), False
        except Refused as refusal:
            text, failed = str(refusal), True
        result = {"content": [{"type": "text", "text": text}], "isError": failed}
    else:
        return {"jsonrpc": "2.0", "id": key, "error": {"code": -32601, "message": f"Method not found: {method}"}}
    return {"jsonrpc": "2.0", "id": key, "result": result}


def main() -> None:
    shop = Shop(Path(os.environ["SHOP_FILE"]))
    log = Path(os.environ["SHOP_LOG"]) if "SHOP_LOG" in os.environ else None
    for line in sys.stdin:
        if (made := answer(shop, json.loads(line), log)) is not None:
            print(json.dumps(made), flush=True)


if __name__ == "__main__":
    main()
