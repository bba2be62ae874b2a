"""The `get_user_balance` tool."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deepseek.rules.api import check_key
from soundstage.kernels.deepseek.rules.reply import TextReply
from soundstage.kernels.engines.javascript import indented
from soundstage.kernels.types import Arguments

_EXAMPLE = {
    "currency": "CNY",
    "total_balance": "110.00",
    "granted_balance": "10.00",
    "topped_up_balance": "100.00",
}


def run(context: AppContext, arguments: Arguments) -> TextReply:
    """Return the remaining balance."""
    check_key(context)
    accounts = context.list("account") or [_EXAMPLE]
    infos = [{name: account.get(name, usual) for name, usual in _NOTHING.items()} for account in accounts]
    fields = {"is_available": any(_is_something(info["total_balance"]) for info in infos), "balance_infos": infos}
    return TextReply(indented(fields), fields)


_NOTHING = {"currency": "CNY", "total_balance": "0.00", "granted_balance": "0.00", "topped_up_balance": "0.00"}


def _is_something(amount: str) -> bool:
    try:
        return Decimal(amount) > 0
    except InvalidOperation:
        return False
