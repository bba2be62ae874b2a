"""The DeepSeek API: access, available models, and the server's settings."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.deepseek.rules.errors import ApiRefusal, of_status

_MODELS = ("deepseek-chat", "deepseek-reasoner")
_YES, _NO = ("1", "true", "yes", "y", "on"), ("0", "false", "no", "n", "off")


def check_key(context: AppContext) -> None:
    """Check the server's API key.

    Raises:
        ApiRefusal: The key is invalid (401), or its row states another status.
    """
    key = context.first("api_key") or {}
    if key.get("valid") is False:
        raise of_status(401)
    if (status := key.get("status")) and status >= 400:
        raise of_status(int(status))


def check_model(context: AppContext, model: str) -> None:
    """Check that a model exists.

    Raises:
        ApiRefusal: The model does not exist (400), or its row states another status.
    """
    result = next((row for row in models(context) if row["id"] == model), None)
    if result is None:
        raise ApiRefusal(400, "Model Not Exist")
    if (status := result.get("status")) and status >= 400:
        raise of_status(int(status))


def models(context: AppContext) -> list[Object]:
    """Return the models of the session, or the default ones."""
    return context.list("model") or [{"id": name, "owned_by": "deepseek"} for name in _MODELS]


def is_set(context: AppContext, name: str, *, usual: bool) -> bool:
    """Return a boolean setting of the server's environment; values that are not boolean count as unset."""
    row = context.get("setting", name)
    text = str(row.get("value") or "").strip().lower() if row is not None else ""
    return True if text in _YES else False if text in _NO else usual


def setting(context: AppContext, name: str, usual: str) -> str:
    """Return a setting of the server's environment."""
    row = context.get("setting", name)
    return str(row["value"]) if row is not None and row.get("value") else usual


def whole_setting(context: AppContext, name: str, usual: int) -> int:
    """Return a positive integer setting of the server's environment."""
    value = setting(context, name, "")
    return int(value) if value.isascii() and value.isdigit() and int(value) > 0 else usual
