"""DeepSeek itself: who may ask it, which models it has, and what the server was started with."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.deepseek.rules.errors import ApiRefusal, of_status

_MODELS = ("deepseek-chat", "deepseek-reasoner")
_YES, _NO = ("1", "true", "yes", "y", "on"), ("0", "false", "no", "n", "off")


def check_key(context: AppContext) -> None:
    """Let the server's key in.

    Raises:
        ApiRefusal: 401, or the status that the key's row tells.
    """
    key = context.first("api_key") or {}
    if key.get("valid") is False:
        raise of_status(401)
    if (status := key.get("status")) and status >= 400:
        raise of_status(int(status))


def check_model(context: AppContext, model: str) -> None:
    """Find a model that is to answer.

    Raises:
        ApiRefusal: 400 where there is none of this name, or the status that its row tells.
    """
    found = next((row for row in models(context) if row["id"] == model), None)
    if found is None:
        raise ApiRefusal(400, "Model Not Exist")
    if (status := found.get("status")) and status >= 400:
        raise of_status(int(status))


def models(context: AppContext) -> list[Object]:
    return context.list("model") or [{"id": name, "owned_by": "deepseek"} for name in _MODELS]


def is_set(context: AppContext, name: str, *, usual: bool) -> bool:
    """A switch of the server's environment; what is neither yes nor no counts as unset."""
    row = context.get("setting", name)
    told = str(row.get("value") or "").strip().lower() if row is not None else ""
    return True if told in _YES else False if told in _NO else usual


def setting(context: AppContext, name: str, usual: str) -> str:
    row = context.get("setting", name)
    return str(row["value"]) if row is not None and row.get("value") else usual


def whole_setting(context: AppContext, name: str, usual: int) -> int:
    """A whole number above nought of the server's environment."""
    told = setting(context, name, "")
    return int(told) if told.isascii() and told.isdigit() and int(told) > 0 else usual
