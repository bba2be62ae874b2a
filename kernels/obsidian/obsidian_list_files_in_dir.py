"""The `obsidian_list_files_in_dir` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules import client
from soundstage.kernels.obsidian.rules.replies import python_json
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """List the direct children of a folder (`GET /vault/{dirpath}/`)."""
    return python_json(client.listed(context, arguments["dirpath"]))
