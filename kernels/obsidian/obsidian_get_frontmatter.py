"""The `obsidian_get_frontmatter` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules import client
from soundstage.kernels.obsidian.rules.replies import python_json
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return a note's front matter (`GET /vault/{filepath}` as a JSON note)."""
    return python_json(client.front_matter(context, arguments["filepath"]))
