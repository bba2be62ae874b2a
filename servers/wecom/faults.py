"""Failures of WeCom's webhook: its own errors, and those of Go's HTTP client."""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.wecom.rules.errors import Refusal, api_error, failed_to
from soundstage.kernels.wecom.rules.process import own_robot
from soundstage.servers.faults import Hit, any_row, worded
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "WeCom's list of error codes, 45009 (https://developer.work.weixin.qq.com/document/path/90313)",
    "unavailable": "encoding/json of Go, for a page that is not JSON: the server reads no status",
    "server_error": "WeCom's list of error codes, -1",
    "auth_expired": "WeCom's list of error codes, 93000: the key of the webhook is no longer good",
    "timeout": "net/http of Go when a connection comes to nothing; the server sets no limit itself",
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _of_webhook(hit, "rate_limited", 45009, "api freq out of limit")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return _refused(hit, "unavailable", "invalid character '<' looking for beginning of value")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _of_webhook(hit, "internal", -1, "system busy")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _of_webhook(hit, "unauthorized", 93000, "invalid webhook url")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    uploads = hit.tool.name == "upload_file"
    key = (own_robot(hit.context) or {}).get("key", "") if hit.context else ""
    address = f"https://qyapi.weixin.qq.com/cgi-bin/webhook/{'upload_media' if uploads else 'send'}?key={key}"
    waited = (
        f'Post "{address}{"&type=file" if uploads else ""}": dial tcp 203.0.113.80:443: connect: connection timed out'
    )
    return _refused(hit, "unavailable", waited)


def member_leaves(context: AppContext, random: Random) -> bool:
    """A member leaves the robot's group."""
    gone = any_row(context, "group_member", random)
    return gone is not None and context.delete("group_member", (gone["robot_key"], gone["userid"]))


DRIFTS = {"member_leaves": member_leaves}


def _of_webhook(hit: Hit, kind: ErrorKind, code: int, words: str) -> Answer:
    if hit.context is None:
        return _refused(hit, kind, f"WeCom API error: {words}")
    return worded(hit, failed_to(hit.tool.name, api_error(hit.context, kind, code, words)))


def _refused(hit: Hit, kind: ErrorKind, words: str) -> Answer:
    return worded(hit, failed_to(hit.tool.name, Refusal(kind, words)))
