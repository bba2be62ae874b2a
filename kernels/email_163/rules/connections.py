"""Connections and logins to mail servers, with the errors of nodemailer, imap and poplib.

The password must be the mailbox's `code`; in a state without mailboxes all accounts have the same code.
"""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.email_163.rules.environment import check_configured
from soundstage.kernels.email_163.rules.errors import MailError
from soundstage.kernels.email_163.rules.providers import detected, hosts

CODE = "authcode123"
"""The authorization code of every mailbox in a state that defines none."""

_REFUSED = "connect ECONNREFUSED 127.0.0.1:18999"
_LOCAL = re.compile(r"localhost|\d{1,3}(?:\.\d{1,3}){3}")


def smtp(context: AppContext, environment: Object) -> None:
    """Log in to send.

    Raises:
        MailError: The server is unreachable or refuses the login.
    """
    check_configured(environment, "smtp")
    if problem := _unreachable(environment, "smtp"):
        raise problem
    if not environment.get("user") or not environment.get("password"):
        raise MailError("unauthorized", 'Missing credentials for "PLAIN"')
    if not _opens(context, environment):
        raise MailError("unauthorized", "Invalid login: 535 Error: authentication failed")


def imap(context: AppContext, environment: Object) -> None:
    """Log in over IMAP.

    Raises:
        MailError: The server is unreachable or refuses the login.
    """
    check_configured(environment, "imap")
    if problem := _unreachable(environment, "imap"):
        raise problem
    if not environment.get("user") or not environment.get("password"):
        raise MailError("unauthorized", "No supported authentication method(s) available. Unable to login.")
    if not _opens(context, environment):
        raise MailError("unauthorized", "Authentication failed.")


def pop3(context: AppContext, environment: Object) -> None:
    """Log in over POP3.

    Raises:
        MailError: The server is unreachable or refuses the login.
    """
    check_configured(environment, "pop3")
    if problem := _unreachable(environment, "pop3"):
        raise MailError(problem.kind, f"POP3连接错误: {problem.message}")
    if not _opens(context, environment):
        raise MailError("unauthorized", "POP3登录失败: -ERR [AUTH] Authentication failed.\r\n")


def inbox(context: AppContext, environment: Object) -> list[Object]:
    """Return the messages of the account's inbox, oldest first."""
    if context.first("mailbox") is None:
        return context.list("email", order="uid")
    return context.list("email", {"mailbox": environment.get("user")}, order="uid")


def examine(context: AppContext, environment: Object) -> list[Object]:
    """Open the inbox over IMAP after a login, and return its messages.

    NetEase's servers reject clients that do not identify themselves, which the real server never does. Here they reject
    accounts with `unsafe_login`, and by default accounts without messages.

    Raises:
        MailError: NetEase rejects the client.
    """
    mails = inbox(context, environment)
    netease = detected(environment.get("user") or "", environment.get("provider")) == "163"
    if environment.get("unsafe_login", netease and not mails):
        raise MailError("permission", "EXAMINE Unsafe Login. Please contact kefu@188.com for help")
    return mails


def _unreachable(environment: Object, protocol: str) -> MailError | None:
    closed = environment.get("server_unreachable") or []
    if f"EMAIL_{protocol.upper()}_PORT" in closed:
        return MailError("unavailable", _REFUSED)
    host = environment.get(f"{protocol}Host")
    if host and host not in hosts() and not _LOCAL.fullmatch(host):
        return MailError("unavailable", f"getaddrinfo ENOTFOUND {host}")
    return None


def _opens(context: AppContext, environment: Object) -> bool:
    user, password = environment.get("user"), environment.get("password")
    if context.first("mailbox") is None:
        return password == CODE
    mailbox = context.get("mailbox", user) if user else None
    return mailbox is not None and password == mailbox.get("code")
