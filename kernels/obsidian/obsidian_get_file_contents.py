"""The `obsidian_get_file_contents` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules import client
from soundstage.kernels.obsidian.rules.replies import python_json
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return a file as a JSON string (`GET /vault/{filepath}`)."""
    return python_json(client.read(context, arguments["filepath"]))
