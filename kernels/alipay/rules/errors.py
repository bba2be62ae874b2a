"""What Alipay refuses. Its gateway tells a message, a code and a sub-code; the server shows the message alone.

Sub-codes: Alipay's published lists for alipay.trade.query, alipay.trade.refund and alipay.trade.fastpay.refund.query
(https://opendocs.alipay.com/open/02ekfg). They are named where they are raised.
"""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind

BUSINESS_FAILED = "Business Failed"
"""The message of code 40004, whatever the sub-code."""


class Refused(AppError):
    """A refusal of the gateway; `message` is its message."""

    def __init__(self, kind: ErrorKind, message: str = BUSINESS_FAILED) -> None:
        super().__init__(kind, message)


class AlipayError(AppError):
    """What a tool answers with instead of a success."""


def told(doing: str, refused: Refused) -> AlipayError:
    """A refusal as a tool tells it; `doing` is what it failed at, such as 交易查询."""
    return AlipayError(refused.kind, f"{doing}失败. 错误信息: {refused.message}")
