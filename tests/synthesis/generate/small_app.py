"""A small app as generated files, with tools chosen by the test."""

from __future__ import annotations

import json

APP = "shop"
TABLES = b"""{
 "format": 1,
 "app": "shop",
 "entities": [{"name": "goods", "columns": [{"name": "name", "type": "text"}], "key": ["name"]}]
}
"""
DIALECT = b"""{"format": 1, "arguments": "none", "json": "python"}
"""


def app_files(*tools: str, **kernels: str) -> dict[str, bytes]:
    """Return the app with these kernels, and with further tools that nothing answers."""
    listed = [(name, "kernel") for name in kernels] + [(name, "none") for name in tools]
    facts = {
        "title": "Shop",
        "category": "synthesised",
        "description": "A shop.",
        "server": {"name": "shop", "version": "1"},
        "tools": [
            {
                "name": name,
                "description": name,
                "input_schema": {"type": "object"},
                "effect": "other",
                "answered_by": by,
            }
            for name, by in listed
        ],
    }
    return {
        f"contexts/apps/{APP}.json": TABLES,
        f"servers/{APP}/dialect.json": DIALECT,
        f"servers/{APP}/tools.json": json.dumps(facts).encode(),
        **{f"kernels/{APP}/{name}.py": code.encode() for name, code in kernels.items()},
    }
