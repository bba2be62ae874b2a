"""The `list_models` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deepseek.rules.api import check_key, models
from soundstage.kernels.deepseek.rules.reply import TextReply
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> TextReply:
    """List the available models."""
    check_key(context)
    results = [{"id": m["id"], "object": "model", "owned_by": m.get("owned_by", "deepseek")} for m in models(context)]
    names = "\n".join(model["id"] for model in results)
    return TextReply(names or "(no models returned)", {"object": "list", "data": results})
