"""Failures of Alipay's gateway.

Links are signed locally without the gateway; faults of their creation are reported like those of the other tools.
"""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.alipay.rules.errors import Refused, failure_of
from soundstage.kernels.errors import ErrorKind
from soundstage.servers.faults import Hit, any_row, worded
from soundstage.servers.reply import Answer

_DOING = {
    "query-alipay-payment": "交易查询",
    "refund-alipay-payment": "退款执行",
    "query-alipay-refund": "退款查询",
}
_CODES = "Alipay's public codes (https://opendocs.alipay.com/common/02km9f)"
SOURCES = {
    "rate_limit": f"{_CODES}, 40004 with isv.app-call-limited: its message",
    "unavailable": f"{_CODES}, 20000: its message",
    "server_error": f"{_CODES}, 20000 with isp.unknow-error: its message",
    "auth_expired": f"{_CODES}, 20001: its message",
    "timeout": "alipay-sdk: HttpClient Request error, as its clients print it",
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _refused(hit, "rate_limited", "App Call Limited")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return _refused(hit, "unavailable", "Service Currently Unavailable")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _refused(hit, "internal", "Service Currently Unavailable")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _refused(hit, "unauthorized", "Insufficient Token Permissions")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    return _refused(hit, "unavailable", f"HttpClient Request error, timeout of {hit.seconds * 1000}ms exceeded")


def trade_closes(context: AppContext, random: Random) -> bool:
    """The merchant closes an unpaid trade."""
    waiting = any_row(context, "payment", random, {"tradeStatus": "WAIT_BUYER_PAY"})
    if waiting is None:
        return False
    context.update("payment", waiting["outTradeNo"], {"tradeStatus": "TRADE_CLOSED"})
    return True


def buyer_pays(context: AppContext, random: Random) -> bool:
    """A buyer pays an open trade."""
    waiting = any_row(context, "payment", random, {"tradeStatus": "WAIT_BUYER_PAY"})
    if waiting is None:
        return False
    context.update("payment", waiting["outTradeNo"], {"tradeStatus": "TRADE_SUCCESS"})
    return True


DRIFTS = {"trade_closes": trade_closes, "buyer_pays": buyer_pays}


def _refused(hit: Hit, kind: ErrorKind, message: str) -> Answer:
    return worded(hit, failure_of(_DOING.get(hit.tool.name, "创建支付订单"), Refused(kind, message)))
