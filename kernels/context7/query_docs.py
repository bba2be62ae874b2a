"""Ask a library's documentation a question."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.context7.rules.docs import shown
from soundstage.kernels.context7.rules.libraries import pieces_of
from soundstage.kernels.context7.rules.server import api_failure, check_admitted
from soundstage.kernels.types import Arguments

_TOKENS = 5000
_MOST = 10
"""What the API shows of itself; the server asks for no amount."""


def run(context: AppContext, arguments: Arguments) -> str:
    check_admitted(context, "fetch documentation")
    pieces = pieces_of(context, arguments["libraryId"])
    if pieces is None:
        raise api_failure(context, 404, "fetch documentation")
    return shown(pieces, arguments["query"], _TOKENS, _MOST)
