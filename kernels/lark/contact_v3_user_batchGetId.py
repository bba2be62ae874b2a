"""Find users by e-mail address or mobile number."""

from __future__ import annotations

from typing import Any

from contexts.engine.store import AppContext


def run(context: AppContext, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"user_list": []}
