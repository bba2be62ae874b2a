"""The `tavily_map` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.tavily.rules import layout
from soundstage.kernels.tavily.rules.account import admit
from soundstage.kernels.tavily.rules.crawling import walked
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """List the pages of a site by following its links."""
    admit(context)
    base, pages = walked(context, arguments)
    return layout.mapped(base, [page["url"] for page in pages])
