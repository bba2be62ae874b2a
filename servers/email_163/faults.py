"""Failures of SMTP, IMAP and POP3 servers in the mail server's words, and incoming messages."""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.mail import dates
from soundstage.servers.faults import Hit, any_row, said
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "https://help.mail.163.com/faq.do?m=list&categoryID=90 (421 HL:REP, 554 HL:ITC: too many from one address)",
    "unavailable": "nodemailer and imap: a connection that is refused",
    "server_error": "https://help.mail.163.com/faq.do?m=list&categoryID=90 (451 Requested mail action not taken)",
    "auth_expired": "smtp.163.com: an authorisation code that does not hold any more (535)",
    "timeout": "nodemailer and imap: a server that does not answer in time",
}
_SENDS = "send_email"


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return said(
        hit, "Message failed: 421 HL:REP 163 smtp: too many mails from this address, try again later", "rate_limited"
    )


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    port = 465 if hit.tool.name == _SENDS else 993
    return said(hit, f"connect ECONNREFUSED 127.0.0.1:{port}", "unavailable")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return said(hit, "Message failed: 451 Requested mail action not taken: local error in processing", "internal")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    if hit.tool.name == _SENDS:
        return said(hit, "Invalid login: 535 Error: authentication failed", "unauthorized")
    return said(hit, "Authentication failed.", "unauthorized")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    return said(
        hit,
        "Connection timeout" if hit.tool.name == _SENDS else "Timed out while authenticating with server",
        "unavailable",
    )


def mail_arrives(context: AppContext, random: Random) -> bool:
    """An earlier sender writes again."""
    last = any_row(context, "email", random)
    if last is None or not last.get("from"):
        return False
    newest = context.list("email", order="-uid", limit=1)[0]["uid"]
    values: Object = {name: last[name] for name in ("mailbox", "from", "to") if name in last}
    date = dates.written(context.now().replace(microsecond=0))
    subject = random.choice(("补充一点", "Re: 上次的事", "One more thing"))
    context.create("email", {**values, "uid": newest + 1, "date": date, "subject": subject, "text": "见附言。\n"})
    return True


DRIFTS = {"mail_arrives": mail_arrives}
