"""Name what lies directly in a folder (`GET /vault/{dirpath}/`)."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.obsidian.rules import client
from soundstage.kernels.obsidian.rules.replies import python_json
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    return python_json(client.listed(context, arguments["dirpath"]))
