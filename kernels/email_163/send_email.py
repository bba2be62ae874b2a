"""The `send_email` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.email_163.rules import connections, sending
from soundstage.kernels.email_163.rules.coercion import member
from soundstage.kernels.email_163.rules.environment import check_configured, of_server
from soundstage.kernels.email_163.rules.errors import MailError, TextReply
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> TextReply:
    """Send a message; only the SMTP server and JavaScript reject arguments."""
    environment = of_server(context)
    check_configured(environment, "smtp")
    files = sending.wanted_files(arguments.get("attachments"))
    connections.smtp(context, environment)
    to, cc, bcc = (sending.people(arguments.get(name)) for name in ("to", "cc", "bcc"))
    if not (named := list(dict.fromkeys((*to, *cc, *bcc)))):
        raise MailError("invalid", "No recipients defined")
    texts = {
        "subject": sending.subject(arguments.get("subject")),
        "text": sending.body(context, arguments.get("text")),
        "html": sending.body(context, arguments.get("html")),
    }
    attached = [sending.read_file(context, wanted) for wanted in files]
    everybody = sending.check_recipients(context, named)  # the provider is contacted while the message is being built
    sender = environment["user"]
    message_id = context.new_id(
        "sent", f"<{{hex:8}}-{{hex:4}}-{{hex:4}}-{{hex:4}}-{{hex:12}}@{sender.rpartition('@')[2]}>"
    )
    sent: dict[str, Any] = {
        "messageId": message_id,
        "date": sending.date(context),
        "to": to,
        "cc": cc,
        "bcc": bcc,
        **{name: text for name, text in texts.items() if text is not None},
    }
    if attached:
        sent["attachments"] = attached
    if context.first("mailbox") is not None:
        sent["mailbox"] = sender
    context.create("sent", sent)
    sending.deliver(context, sent, sender, everybody)
    shown = sending.joined(arguments["to"]) if "to" in arguments else "undefined"
    return TextReply(f"邮件发送成功！\n消息ID: {message_id}\n收件人: {shown}\n主题: {member(arguments, 'subject')}")
