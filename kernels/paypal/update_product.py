"""The `update_product` tool."""

from __future__ import annotations

from typing import NoReturn

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.errors import toolkit_error
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> NoReturn:
    """Report an invalid method: `executeMethod` in the toolkit's `api.ts` has no case for this tool."""
    raise toolkit_error("Invalid method: update_product")
