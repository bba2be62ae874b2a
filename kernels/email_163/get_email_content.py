"""The `get_email_content` tool."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.email_163.rules import connections
from soundstage.kernels.email_163.rules.coercion import leading_integer, member
from soundstage.kernels.email_163.rules.environment import of_server
from soundstage.kernels.email_163.rules.errors import Crash, Hang, MailError, TextReply
from soundstage.kernels.email_163.rules.rendering import rendered
from soundstage.kernels.types import Arguments

_NO_UID_SET = "Error in IMAP command UID FETCH: Invalid uidset (0.001 + 0.000 secs)."
_MOST_DIGITS = 400  # more than a UID has, and within the range of a double
_RANGE = re.compile(r"(\d+|\*):(\d+|\*)", re.ASCII)


def run(context: AppContext, arguments: Arguments) -> TextReply:
    """Show a message over IMAP; a missing message is never answered, and an invalid UID crashes the server."""
    environment = of_server(context)
    connections.imap(context, environment)
    mails = connections.examine(context, environment)
    result = _fetched(mails, arguments.get("uid"))
    if not result:
        raise Hang(context)
    return TextReply(rendered(context, result[0], member(arguments, "uid")))


def _fetched(mails: list[Object], uid: object) -> list[Object]:
    """Return the messages of a UID or a range; `*` means the newest.

    Raises:
        Crash: The UID is invalid.
        MailError: The UID is fractional; the message is Dovecot's.
    """
    newest = mails[-1]["uid"] if mails else 0
    ends = _RANGE.fullmatch(uid) if isinstance(uid, str) else None
    if uid == "*" or ends is not None:
        low, high = sorted(newest if end == "*" else _number(end) for end in (ends.groups() if ends else ("*", "*")))
    else:
        number = leading_integer(uid)
        if number is None or number <= 0:
            raise Crash
        if isinstance(uid, float) and uid != number:
            raise MailError("invalid", _NO_UID_SET)  # numbers are sent to the provider unchanged
        low = high = number
    return [mail for mail in mails if low <= mail["uid"] <= high]


def _number(digits: str) -> int:
    """Return a UID of a range. No mail has one of more digits than `_MOST_DIGITS`, so a longer number is cut."""
    return int(digits.lstrip("0")[:_MOST_DIGITS] or "0")
