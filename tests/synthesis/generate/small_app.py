"""A small app as generated files, whose one tool is whatever a test puts there."""

from __future__ import annotations

import json

APP = "shop"
TABLES = b"""
from sqlalchemy import Column, Text

from soundstage.contexts.engine.schema import AppTables

TABLES = AppTables("shop")
TABLES.entity("goods", Column("name", Text, primary_key=True))
"""
DIALECT = b"""
from soundstage.servers.reply import Result, failed, text_block


def check(tool, arguments):
    return arguments or {}


def success(tool, reply):
    return Result([text_block(str(reply))], ok=True)


def failure(tool, error, context):
    return failed(error.message, error.kind)


def internal_error(tool, call_id):
    return failed(f"Internal error ({call_id})", "internal")


def unknown_tool(name):
    return failed(f"There is no tool {name}", "unknown_tool")
"""


def app_files(*tools: str, **kernels: str) -> dict[str, bytes]:
    """The app with these kernels, and tools beside them that nothing answers."""
    listed = [(name, "kernel") for name in kernels] + [(name, "none") for name in tools]
    told = {
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
        f"contexts/apps/{APP}.py": TABLES,
        f"servers/{APP}/dialect.py": DIALECT,
        f"servers/{APP}/tools.json": json.dumps(told).encode(),
        **{f"kernels/{APP}/{name}.py": code.encode() for name, code in kernels.items()},
    }
