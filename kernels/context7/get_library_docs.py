"""The `get_library_docs` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.context7.rules.docs import shown
from soundstage.kernels.context7.rules.libraries import pieces_of
from soundstage.kernels.context7.rules.server import api_failure, check_admitted
from soundstage.kernels.types import Arguments

_LEAST_TOKENS = 10_000


def run(context: AppContext, arguments: Arguments) -> str:
    """Return a library's documentation on a topic, as servers 1.x do."""
    check_admitted(context, "fetch documentation")
    library_id = "/" + arguments["context7CompatibleLibraryID"].removeprefix("/")
    pieces = pieces_of(context, library_id)
    if pieces is None:
        raise api_failure(context, 404, "fetch documentation")
    tokens = max(arguments.get("tokens", _LEAST_TOKENS), _LEAST_TOKENS)
    return shown(pieces, arguments.get("topic", ""), tokens)
