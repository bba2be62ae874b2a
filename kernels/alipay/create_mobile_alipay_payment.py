"""The `create_mobile_alipay_payment` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.alipay.rules.links import make_link
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Create a payment link for a phone."""
    return f"支付链接: [点击完成支付]({make_link(context, arguments, 'QUICK_WAP_WAY')})"
