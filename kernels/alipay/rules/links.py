"""Payment links. The server signs them locally without a request, so every link is created, even an unusable one."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Literal
from urllib.parse import urlencode

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.alipay.rules.money import storable_amount
from soundstage.kernels.alipay.rules.trades import opened
from soundstage.kernels.engines.javascript import text
from soundstage.kernels.types import Arguments

Product = Literal["QUICK_WAP_WAY", "FAST_INSTANT_TRADE_PAY"]

_GATEWAY = "https://openapi.alipay.com/gateway.do"
_METHODS: dict[Product, str] = {
    "QUICK_WAP_WAY": "alipay.trade.wap.pay",
    "FAST_INSTANT_TRADE_PAY": "alipay.trade.page.pay",
}
_APP_ID = "2021990000000001"
_CHINA = timedelta(hours=8)


def make_link(context: AppContext, arguments: Arguments, product: Product) -> str:
    """Return a payment link for an order. The last link counts until a trade exists; further links then have no effect."""
    order = arguments["outTradeNo"]
    payment = {
        "totalAmount": storable_amount(arguments["totalAmount"]),
        "orderTitle": arguments["orderTitle"],
        "product": product,
    }
    made = {**payment, "createdAt": to_ms(context.now())}
    before = context.get("payment", order)
    if before is None:
        context.create("payment", {"outTradeNo": order, **made})
    elif not opened(context, before):
        context.update("payment", order, made)
    return _signed(context, arguments, product)


def _signed(context: AppContext, arguments: Arguments, product: Product) -> str:
    content = {
        "out_trade_no": arguments["outTradeNo"],
        "total_amount": text(arguments["totalAmount"]),
        "subject": arguments["orderTitle"],
        "product_code": product,
    }
    parameters = {
        "app_id": _APP_ID,
        "biz_content": json.dumps(content, ensure_ascii=False, separators=(",", ":")),
        "charset": "utf-8",
        "format": "json",
        "method": _METHODS[product],
        "sign": context.new_id("signature", "{alnum:342}") + "==",
        "sign_type": "RSA2",
        "timestamp": f"{context.now() + _CHINA:%Y-%m-%d %H:%M:%S}",
        "version": "1.0",
    }
    return f"{_GATEWAY}?{urlencode(parameters)}"
