"""The `query_docs` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.context7.rules.docs import shown
from soundstage.kernels.context7.rules.libraries import pieces_of
from soundstage.kernels.context7.rules.server import api_failure, check_admitted
from soundstage.kernels.types import Arguments

_TOKENS = 5000
_MOST = 10
"""Number of pieces that the API returns by default; the server requests no limit."""


def run(context: AppContext, arguments: Arguments) -> str:
    """Answer a question from a library's documentation."""
    check_admitted(context, "fetch documentation")
    pieces = pieces_of(context, arguments["libraryId"])
    if pieces is None:
        raise api_failure(context, 404, "fetch documentation")
    return shown(pieces, arguments["query"], _TOKENS, _MOST)
