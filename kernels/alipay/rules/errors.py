"""Errors of Alipay's gateway, which consist of a message, a code and a sub-code; the server shows only the message.

The sub-codes are named where they are raised. They are from Alipay's published lists for alipay.trade.query,
alipay.trade.refund and alipay.trade.fastpay.refund.query (https://opendocs.alipay.com/open/02ekfg).
"""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind

BUSINESS_FAILED = "Business Failed"
"""The message of code 40004 for all sub-codes."""


class Refused(AppError):
    """An error of the gateway with its message."""

    def __init__(self, kind: ErrorKind, message: str = BUSINESS_FAILED) -> None:
        """Create an error."""
        super().__init__(kind, message)


class AlipayError(AppError):
    """An error as a tool's reply."""


def failure_of(doing: str, refused: Refused) -> AlipayError:
    """Return an error with a tool's prefix `doing`, such as 交易查询."""
    return AlipayError(refused.kind, f"{doing}失败. 错误信息: {refused.message}")
