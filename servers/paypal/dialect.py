"""Replies of the PayPal server: JSON in one text, never flagged as an error whatever PayPal answered.

Only zod's validation errors are flagged. Source: `modelcontextprotocol/toolkit.ts` and `shared/parameters.ts` of
https://github.com/paypal/agent-toolkit 1.8.0, run with SDK 1.32 and zod 3.25.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.paypal.rules.errors import PaypalError, toolkit_error
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, compact_json, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, typescript_sdk, zod, zod3

_PATTERNS = {
    "invoice_id": "Invalid PayPal Invoice ID",
    "id": "Invalid PayPal Order ID",
    "order_id": "Invalid PayPal Order ID",
    "product_id": "Invalid PayPal Product ID",
    "plan_id": "Invalid PayPal Plan ID",
    "subscription_id": "Invalid PayPal Subscription ID",
    "transaction_id": "Invalid PayPal Transaction ID",
    "dispute_id": "Invalid PayPal Dispute ID",
    "disputed_transaction_id": "Invalid PayPal Dispute ID",
    "note": "Invalid PayPal Dispute ID",
    "capture_id": "Invalid Transaction ID",
    "refund_id": "Invalid refund ID",
}
# Schema defaults that a call never gets: zod ignores `default(…)` before `optional()`, and the default dates are
# computed when the schema is built.
_NO_DEFAULTS = frozenset({"page", "page_size", "discount", "shippingCost", "start_date", "end_date"})


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like zod 3 and drop the defaults that the server ignores."""
    given = arguments or {}
    checked = zod.check(tool, given, zod3, zod.at_paths, pattern_messages=_PATTERNS)
    return {name: value for name, value in checked.items() if name in given or name not in _NO_DEFAULTS}


def success(tool: Tool, reply: Reply) -> Answer:
    """Word a successful reply."""
    return Result([text_block(compact_json(reply))], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Word an error of the kernel."""
    if isinstance(error, InvalidArguments):
        return typescript_sdk.invalid_arguments(tool, error)
    reported = error if isinstance(error, PaypalError) else toolkit_error(error.message, error.kind)
    return failed(compact_json(reported.body), reported.kind, is_error=None)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Word an unexpected error."""
    return failed(compact_json(toolkit_error(f"Unknown error ({call_id})", "internal").body), "internal", is_error=None)


def unknown_tool(name: str) -> Answer:
    """Word a call of an unknown tool."""
    return typescript_sdk.unknown_tool(name)
