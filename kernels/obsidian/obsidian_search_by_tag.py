"""List the notes that bear a tag: a JsonLogic rule that the MCP server makes, with a glob for the folder."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules.query import by_rule
from soundstage.kernels.obsidian.rules.replies import python_json
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    rule: dict[str, Any] = {"in": [arguments["tag"], {"var": "tags"}]}
    folder = arguments.get("dirpath")
    if folder:
        rule = {"and": [rule, {"glob": [f"{folder.rstrip('/')}/*", {"var": "path"}]}]}
    return python_json([found["filename"] for found in by_rule(context, rule)])
