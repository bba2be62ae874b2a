"""The two listings of recent messages."""

from __future__ import annotations

import math
from datetime import datetime

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.email_163.rules import coercion, connections, dates
from soundstage.kernels.email_163.rules.errors import Crash, Hang, TextReply
from soundstage.kernels.email_163.rules.rendering import subject_of
from soundstage.kernels.engines import javascript
from soundstage.kernels.engines.mail.addresses import shown
from soundstage.kernels.types import Arguments

_RULE = "─" * 32


def over_imap(context: AppContext, environment: Object, arguments: Arguments) -> TextReply:
    """List messages over IMAP: the last 3 × `limit` by UID, of these the recent ones, newest first, of these the first `limit`.

    Headers are shown unchanged.

    Raises:
        MailError: The connection fails.
        Crash: The inbox is empty.
    """
    limit, days, shown_days = _bounds(arguments)
    connections.imap(context, environment)
    mails = connections.examine(context, environment)
    taken = coercion.last(mails, min(limit * 3, len(mails)))  # NaN takes all of them
    if mails and not taken:
        raise Crash  # "Nothing to fetch", which the server does not catch
    recent = _since(context, taken, days)
    recent.sort(key=lambda result: result[0], reverse=True)
    listed = coercion.first([mail for _, mail in recent], limit)
    if not listed:
        return _none(days, shown_days, mails)
    blocks = [
        _block("UID", mail["uid"], mail.get("date", ""), mail.get("from", ""), mail.get("subject", "(无主题)"))
        for mail in listed
    ]
    return TextReply(f"📬 最近{shown_days}天的邮件列表 (共{len(listed)}封):\n\n" + "\n".join(blocks))


def over_pop3(context: AppContext, environment: Object, arguments: Arguments) -> TextReply:
    """List the newest message if it is recent.

    The server requests `limit` messages at once, but its POP3 client drops all requests except the first. If that message is
    too old and is not the last one requested, the server waits for the others forever.

    Raises:
        MailError: The connection fails.
        Hang: The server waits forever.
    """
    limit, days, shown_days = _bounds(arguments)
    connections.pop3(context, environment)
    mails = connections.inbox(context, environment)
    count = len(mails)
    if not count:
        return TextReply("邮箱中没有邮件。")
    first_asked = max(1, count - limit + 1)  # NaN stays NaN
    if math.isnan(limit) or first_asked > count:
        raise Hang(context)
    newest = mails[-1]
    if newest.get("date") and dates.parsed(newest["date"]) is None:
        newest = {
            **newest,
            "date": context.now().isoformat(),
        }  # mailparser replaces an invalid date with the current time
    recent = _since(context, [newest], days)
    if not recent:
        if count != first_asked:
            raise Hang(context)
        return _none(days, shown_days, mails)
    moment, _ = recent[0]
    sender = shown(newest.get("from") or "") or "未知"
    block = _block("邮件号", count, dates.short(context, moment), sender, subject_of(newest))
    return TextReply(f"📬 最近{shown_days}天的邮件列表 (共1封，POP3协议):\n\n{block}")


def _bounds(arguments: Arguments) -> tuple[float, float, str]:
    """Return `limit`, `days`, and `days` as text."""
    days = arguments.get("days", 3)
    return coercion.number(arguments.get("limit", 20)), coercion.number(days), javascript.text(days)


def _since(context: AppContext, mails: list[Object], days: float) -> list[tuple[datetime, Object]]:
    """Return the recent messages with their times."""
    since = dates.days_ago(context, days)
    results = [(dates.parsed(mail.get("date") or ""), mail) for mail in mails]
    return [(m, mail) for m, mail in results if m is not None and since is not None and m >= since]


def _none(days: float, shown_days: str, mails: list[Object]) -> TextReply:
    """Return the empty result, which is a failure if `days` was not a number although there are messages."""
    return TextReply(f"最近{shown_days}天内没有找到邮件。", ok=not (math.isnan(days) and mails))


def _block(kind: str, number: int, date: str, sender: str, subject: str) -> str:
    return f"📧 {kind}: {number}\n📅 日期: {date}\n👤 发件人: {sender}\n📝 主题: {subject}\n{_RULE}"
