"""The `obsidian_search_by_tag` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules.query import by_rule
from soundstage.kernels.obsidian.rules.replies import python_json
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """List the notes with a tag, using a JsonLogic rule and a glob for the folder."""
    rule: dict[str, Any] = {"in": [arguments["tag"], {"var": "tags"}]}
    folder = arguments.get("dirpath")
    if folder:
        rule = {"and": [rule, {"glob": [f"{folder.rstrip('/')}/*", {"var": "path"}]}]}
    return python_json([result["filename"] for result in by_rule(context, rule)])
