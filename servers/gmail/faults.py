"""Failures of Gmail's API in the server's words, and incoming messages.

The server prints the messages of the API's errors, or the errors of google-auth-library and Node.js if there is no response.
"""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.engines.mail import dates
from soundstage.kernels.gmail.rules import messages
from soundstage.servers.faults import Hit, any_row, said
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "https://developers.google.com/workspace/gmail/api/guides/handle-errors (429, 403 rateLimitExceeded)",
    "unavailable": "https://developers.google.com/workspace/gmail/api/guides/handle-errors (503 backendError)",
    "server_error": "https://developers.google.com/workspace/gmail/api/guides/handle-errors (500 backendError)",
    "auth_expired": "google-auth-library's answer to an expired refresh token (invalid_grant)",
    "timeout": "what Node.js says of a connection without an answer",
}
_WORDS = ("Quick question about Thursday", "Updated quote attached next time", "Are you still at the office?")


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return said(hit, "Too many concurrent requests for user.", "rate_limited")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return said(hit, "The service is currently unavailable.", "unavailable")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return said(hit, "Internal error encountered.", "internal")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return said(hit, "invalid_grant", "unauthorized")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    url = "https://gmail.googleapis.com/gmail/v1/users/me/messages"
    return said(hit, f"request to {url} failed, reason: connect ETIMEDOUT", "unavailable")


def mail_arrives(context: AppContext, random: Random) -> bool:
    """An earlier sender writes again."""
    last = any_row(context, "message", random, {"mailbox": None})
    sender = messages.header(last, "From") if last is not None else ""
    if last is None or not sender:
        return False
    subject, now = random.choice(_WORDS), context.now()
    fields = {"From": sender, "To": messages.header(last, "To"), "Subject": subject, "Date": dates.written(now)}
    data = messages.encode(subject.encode())
    payload = {
        "partId": "",
        "mimeType": "text/plain",
        "filename": "",
        "headers": [{"name": name, "value": value} for name, value in fields.items()],
        "body": {"size": len(subject), "data": data},
    }
    message_id = context.new_id("message")
    place = {"id": message_id, "threadId": message_id, "labelIds": ["UNREAD", "INBOX"], "snippet": subject}
    context.create("message", {**place, "internalDate": str(to_ms(now)), "sizeEstimate": 600, "payload": payload})
    return True


def read_elsewhere(context: AppContext, random: Random) -> bool:
    """The account's owner reads a message on another device."""
    unread = [m for m in context.list("message", {"mailbox": None}) if "UNREAD" in messages.labels(m)]
    if not unread:
        return False
    seen = random.choice(unread)
    context.update("message", seen["id"], {"labelIds": [label for label in seen["labelIds"] if label != "UNREAD"]})
    return True


DRIFTS = {"mail_arrives": mail_arrives, "read_elsewhere": read_elsewhere}
