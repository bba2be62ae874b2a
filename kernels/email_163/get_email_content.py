"""Show one mail, over IMAP whatever the provider. What is not there is never answered, and what is no UID ends the server."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.email_163.rules import connections
from soundstage.kernels.email_163.rules.coercion import leading_integer, member
from soundstage.kernels.email_163.rules.environment import of_server
from soundstage.kernels.email_163.rules.errors import Crash, Hang, MailError, Told
from soundstage.kernels.email_163.rules.rendering import rendered
from soundstage.kernels.types import Arguments

_NO_UID_SET = "Error in IMAP command UID FETCH: Invalid uidset (0.001 + 0.000 secs)."
_RANGE = re.compile(r"(\d+|\*):(\d+|\*)", re.ASCII)


def run(context: AppContext, arguments: Arguments) -> Told:
    environment = of_server(context)
    connections.imap(context, environment)
    mails = connections.examine(context, environment)
    found = _fetched(mails, arguments.get("uid"))
    if not found:
        raise Hang(context)
    return Told(rendered(context, found[0], member(arguments, "uid")))


def _fetched(mails: list[Object], uid: object) -> list[Object]:
    """The mails that a UID names, or a range of them; `*` is the newest.

    Raises:
        Crash
        MailError: in Dovecot's words, for a number with a fraction.
    """
    newest = mails[-1]["uid"] if mails else 0
    ends = _RANGE.fullmatch(uid) if isinstance(uid, str) else None
    if uid == "*" or ends is not None:
        low, high = sorted(newest if end == "*" else int(end) for end in (ends.groups() if ends else ("*", "*")))
    else:
        number = leading_integer(uid)
        if number is None or number <= 0:
            raise Crash
        if isinstance(uid, float) and uid != number:
            raise MailError("invalid", _NO_UID_SET)  # a number goes to the provider as it is
        low = high = number
    return [mail for mail in mails if low <= mail["uid"] <= high]
