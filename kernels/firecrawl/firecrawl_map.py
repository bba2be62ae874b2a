"""The `firecrawl_map` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.firecrawl.rules.account import admit
from soundstage.kernels.firecrawl.rules.bodies import check_map
from soundstage.kernels.firecrawl.rules.errors import Upstream, invalid_arguments, worded
from soundstage.kernels.firecrawl.rules.sites import mapped
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """List the URLs of a site."""
    if not isinstance(arguments.get("url"), str):
        invalid_arguments("firecrawl_map")
    try:
        admit(context)
        check_map(arguments)
    except Upstream as refusal:
        raise worded("firecrawl_map", refusal) from None
    return "\n".join(mapped(context, arguments))
