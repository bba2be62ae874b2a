"""A good goes."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.shop.rules.goods import known
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    context.delete("good", known(context, arguments)["id"])
    return {"removed": True}
