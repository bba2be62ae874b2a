"""The entities of 163 Mail: mailboxes at a provider, their messages, and the account that the server uses.

The server stores its account in environment variables, so each acting account has a separate server.
"""

from __future__ import annotations

from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.meaning import Meaning
from soundstage.contexts.engine.schema import AppTables, Flag, Json, id_format
from soundstage.contexts.engine.shapes import shape

TABLES = AppTables("email_163", disk=True)

_FILE = {"filename": str, "content": str, "path": str, "size": int}

# Mailboxes at the providers. `code` is the password or authorization code.
MAILBOX = TABLES.entity(
    "mailbox",
    Column("address", Text, primary_key=True),
    Column("provider", Text),
    Column("code", Text),
)

# A server's environment: EMAIL_USER, EMAIL_PASSWORD, EMAIL_TYPE (`provider`), and servers configured manually or by
# setup_email_account. `holder` is the mailbox of the server's owner; the state's own server has none. `receive_protocol` means
# that unspecified servers are configured. `server_unreachable` names the variables of ports without a listener, and
# `unsafe_login` states whether the provider refuses to open the inbox over IMAP.
ACCOUNT = TABLES.entity(
    "account",
    Column("id", Text, primary_key=True, info=id_format("env_{hex:8}")),
    Column("holder", Text),
    Column("user", Text),
    Column("password", Text),
    Column("provider", Text),
    Column("smtpHost", Text),
    Column("smtpPort", Json, info=shape((int, str, None))),
    Column("smtpSecure", Json, info=shape((bool, str, None))),
    Column("imapHost", Text),
    Column("imapPort", Json, info=shape((int, str, None))),
    Column("imapSecure", Json, info=shape((bool, str, None))),
    Column("pop3Host", Text),
    Column("receive_protocol", Text),
    Column("server_unreachable", Json, info=shape([str])),
    Column("unsafe_login", Flag),
)

# The server's machine: `zone` and `locale`, which determine date formats.
SETTING = TABLES.entity("setting", Column("name", Text, primary_key=True), Column("value", Text))

# Messages of inboxes, by IMAP's UID; over POP3 they are numbered from 1. A message without `mailbox` is in the only inbox.
EMAIL = TABLES.entity(
    "email",
    Column("uid", Integer, primary_key=True),
    Column("mailbox", Text),
    Column("date", Text),
    Column("from", Text),
    Column("to", Text),
    Column("cc", Text),
    Column("subject", Text),
    Column("text", Text),
    Column("html", Text),
    Column("attachments", Json, info=shape([_FILE])),
)

# Messages submitted to an SMTP server, with all recipients.
SENT = TABLES.entity(
    "sent",
    Column("messageId", Text, primary_key=True),
    Column("mailbox", Text),
    Column("date", Text),
    Column("to", Json, info=shape([str])),
    Column("cc", Json, info=shape([str])),
    Column("bcc", Json, info=shape([str])),
    Column("subject", Text),
    Column("text", Text),
    Column("html", Text),
    Column("attachments", Json, info=shape([_FILE])),
)

MEANING = Meaning(
    automatic={"sent": frozenset({"messageId", "date"}), "email": frozenset({"uid", "date"})},
    outward=frozenset({"sent", "email"}),
    text={
        "email": lambda row: f"{row.get('subject') or ''}\n{row.get('text') or ''}",
        "sent": lambda row: f"{row.get('subject') or ''}\n{row.get('text') or ''}",
        "account": lambda row: row.get("user") or "",
    },
)
