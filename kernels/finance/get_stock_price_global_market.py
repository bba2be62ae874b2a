"""The `get_stock_price_global_market` tool."""

from __future__ import annotations

import json

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.finance.rules.errors import NothingFound
from soundstage.kernels.finance.rules.sources import answers
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the prices of symbols of one market."""
    result, known = answers(context, arguments["market"], arguments["symbol_list"])
    answer = json.dumps(result)
    if not known:
        raise NothingFound(answer)
    return answer
