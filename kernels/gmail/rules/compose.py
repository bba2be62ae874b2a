"""Messages as the server builds them for Gmail: manually, or with nodemailer if there are attachments."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.mail import mime
from soundstage.kernels.engines.mail.addresses import formatted, parse_list
from soundstage.kernels.engines.mail.headers import encoded
from soundstage.kernels.gmail.rules.errors import Refusal
from soundstage.kernels.gmail.rules.files import read_files
from soundstage.kernels.types import Arguments

_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_LINE = "\r\n"


def raw(context: AppContext, arguments: Arguments) -> bytes:
    """Build the message from the arguments of send_email.

    Raises:
        Refusal: A recipient (`to`, not cc or bcc) is invalid, or a file does not exist.
    """
    for recipient in arguments["to"]:
        if not _ADDRESS.fullmatch(recipient):
            raise Refusal("invalid", f"Recipient email address is invalid: {recipient}")
    if arguments.get("attachments"):
        return _with_files(context, arguments)
    return _by_hand(context, arguments)


def _by_hand(context: AppContext, arguments: Arguments) -> bytes:
    """Build a message without attachments: an encoded subject and an unencoded body; with `htmlBody`, `text/html` means both."""
    body, html, answered = arguments["body"], arguments.get("htmlBody"), arguments.get("inReplyTo")
    kind = arguments["mimeType"]
    if html and kind != "text/plain":
        kind = "multipart/alternative"
    lines = ["From: me", f"To: {', '.join(arguments['to'])}"]
    lines += [f"{name.capitalize()}: {', '.join(arguments[name])}" for name in ("cc", "bcc") if name in arguments]
    lines.append(f"Subject: {encoded(arguments['subject'])}")
    if answered:
        lines += [f"In-Reply-To: {answered}", f"References: {answered}"]
    head = _LINE.join([*lines, "MIME-Version: 1.0", ""]).encode("utf-8", "replace")
    if kind == "multipart/alternative":
        texts = [_part("plain", body + _LINE), _part("html", (html or body) + _LINE)]
        return head + mime.multipart("alternative", texts, f"----=_NextPart_{context.new_id('boundary', '{lower:11}')}")
    return head + (_part("html", html or body) if kind == "text/html" else _part("plain", body))


def _with_files(context: AppContext, arguments: Arguments) -> bytes:
    """Build a message with attachments like nodemailer, which includes text and HTML regardless of `mimeType`."""
    files = read_files(context, arguments["attachments"])
    boundary = f"--_NmP-{context.new_id('boundary', '{hex:16}')}-Part_"
    lines = ["From: me"]
    for name in ("to", "cc", "bcc"):
        people = [formatted(a) for a in parse_list(", ".join(arguments.get(name) or ())) if a.address]
        if people:
            lines.append(f"{name.capitalize()}: {', '.join(people)}")
    lines.append(f"Subject: {encoded(arguments['subject'])}")
    if answered := arguments.get("inReplyTo"):
        lines += [f"In-Reply-To: {answered}", f"References: {answered}"]
    texts = [_part("plain", arguments["body"])] if arguments["body"] else []
    if arguments.get("htmlBody"):
        texts.append(_part("html", arguments["htmlBody"]))
    shown = [mime.multipart("alternative", texts, f"{boundary}2")] if len(texts) > 1 else texts
    head = _LINE.join([*lines, "MIME-Version: 1.0", ""]).encode("utf-8", "replace")
    parts = [*shown, *(mime.attached(file) for file in files)]
    return head + (parts[0] if len(parts) == 1 else mime.multipart("mixed", parts, f"{boundary}1"))


def _part(kind: str, text: str) -> bytes:
    head = f"Content-Type: text/{kind}; charset=UTF-8{_LINE}Content-Transfer-Encoding: 7bit{_LINE}{_LINE}"
    return (head + text).encode("utf-8", "replace")
