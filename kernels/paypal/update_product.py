"""update_product: offered, and wired to nothing."""

from __future__ import annotations

from typing import NoReturn

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.paypal.rules.errors import thrown
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> NoReturn:
    """`executeMethod` in the toolkit's `api.ts` has no case for it."""
    raise thrown("Invalid method: update_product")
