"""The `create_web_page_alipay_payment` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.alipay.rules.links import make_link
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Create a payment link for a desktop browser, which shows a QR code."""
    return f"网页支付链接: [点击完成支付]({make_link(context, arguments, 'FAST_INSTANT_TRADE_PAY')})"
