"""Failures of DeepSeek in the server's words, and concurrent changes."""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deepseek.rules.errors import ApiRefusal, of_status
from soundstage.servers.faults import Hit, any_row, worded
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "DeepSeek's list of error codes, 429 (https://api-docs.deepseek.com/quick_start/error_codes)",
    "unavailable": "DeepSeek's list of error codes, 503",
    "server_error": "DeepSeek's list of error codes, 500",
    "auth_expired": "recorded reply to a key that DeepSeek does not know, 401",
    "timeout": "the server's own words after its 120 seconds",
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return worded(hit, of_status(429))


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return worded(hit, of_status(503))


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    refusal = of_status(500)
    refusal.kind = "internal"
    return worded(hit, refusal)


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return worded(hit, of_status(401))


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    return worded(hit, ApiRefusal(None, "DeepSeek API request timed out after 120000ms"))


def process_restarts(context: AppContext, random: Random) -> bool:
    """The server's process restarts and loses a conversation."""
    gone = any_row(context, "conversation", random)
    return gone is not None and context.delete("conversation", gone["conversation_id"])


def money_runs_out(context: AppContext, random: Random) -> bool:
    """An account's balance is used up."""
    account = any_row(context, "account", random)
    if account is not None:
        spent = dict.fromkeys(("total_balance", "granted_balance", "topped_up_balance"), "0.00")
        context.update("account", account["currency"], spent)
    return account is not None


DRIFTS = {"process_restarts": process_restarts, "money_runs_out": money_runs_out}
