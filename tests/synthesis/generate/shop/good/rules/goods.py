"""What the shop asks for first, and how it looks a good up."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments


def required(arguments: Arguments, *names: str) -> None:
    for name in names:
        if name not in arguments:
            raise AppError("invalid", f"{name} is required")


def known(context: AppContext, arguments: Arguments) -> Object:
    """The good that is asked for."""
    required(arguments, "good_id")
    key = arguments["good_id"]
    if not isinstance(key, str) or not key.startswith("gd_"):
        raise AppError("invalid", "good_id must look like gd_0123456789")
    found = context.first("good", {"id": key})
    if found is None:
        raise AppError("not_found", f"No good has the id {key}")
    return found
