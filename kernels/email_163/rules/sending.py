"""Submission to an SMTP server: recipients, attachments and delivery."""

from __future__ import annotations

import base64
from posixpath import basename
from typing import Any, NoReturn

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import DiskError
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.email_163.rules.errors import MailError, no_property
from soundstage.kernels.engines import javascript
from soundstage.kernels.engines.mail import dates
from soundstage.kernels.engines.mail.addresses import normalized, recipients
from soundstage.kernels.engines.mail.mime import from_base64

_NODE_WORDS = {
    "ENOENT": "no such file or directory",
    "EISDIR": "illegal operation on a directory",
    "ENOTDIR": "not a directory",
}


def people(value: Any) -> list[str]:
    """Return the addresses that nodemailer reads from `to`, `cc` or `bcc`: a list is joined, an object may have an `address`."""
    if isinstance(value, dict):
        return (
            [normalized(javascript.text(value["address"]))]
            if javascript.is_true(value.get("address"))
            else recipients(javascript.text(value))
        )
    return recipients(joined(value)) if javascript.is_true(value) else []


def joined(value: Any) -> str:
    """Format a list like `join(', ')`, and other values like a template literal."""
    if isinstance(value, list):
        return ", ".join("" if item is None else javascript.text(item) for item in value)
    return javascript.text(value)


def wanted_files(value: Any) -> list[Any]:
    """Return the requested attachments before any is read.

    Raises:
        MailError: The value is not a list of objects; the message is JavaScript's.
    """
    if isinstance(value, list):
        if None in value:
            raise no_property("content", "null")
        return value
    if (isinstance(value, str) and value) or (isinstance(value, dict) and _length(value) > 0):
        raise MailError("invalid_arguments", "attachments.map is not a function")
    return []


def body(context: AppContext, value: Any) -> str | None:
    """Return what nodemailer sends for `text` or `html`, or None. An object may have `content` or a `path`.

    Raises:
        MailError: The path is unreadable or the content is not text; the message is Node.js's.
    """
    if not javascript.is_true(value):
        return None
    if isinstance(value, dict):
        if javascript.is_true(value.get("content")):
            return body(context, value["content"]) if isinstance(value["content"], str) else _no_chunk(value["content"])
        if javascript.is_true(value.get("path")):
            return _read(context, javascript.text(value["path"])).decode(errors="replace")
        if javascript.is_true(value.get("href")):
            host = javascript.text(value["href"]).partition("//")[2].partition("/")[0]
            raise MailError("unavailable", f"getaddrinfo ENOTFOUND {host}")
    return value if isinstance(value, str) else _no_chunk(value)


def subject(value: Any) -> str | None:
    """Return the subject for the header; lists and objects yield none."""
    return None if isinstance(value, list | dict) or not javascript.is_true(value) else javascript.text(value)


def read_file(context: AppContext, wanted: Any) -> Object:
    """Return an attachment with its content.

    Raises:
        MailError: The path is unreadable; the message is Node.js's.
    """
    requested = wanted if isinstance(wanted, dict) else {}
    name = requested.get("filename")
    if javascript.is_true(requested.get("content")):
        data = from_base64(javascript.text(requested["content"]))
    elif javascript.is_true(requested.get("path")):
        path = javascript.text(requested["path"])
        name = name if javascript.is_true(name) else basename(path)
        data = _read(context, path)
    else:
        data = b""
    shown = {"filename": javascript.text(name)} if javascript.is_true(name) else {}
    return {**shown, "content": base64.b64encode(data).decode(), "size": len(data)}


def check_recipients(context: AppContext, addresses: list[str]) -> list[str]:
    """Return the accepted recipients; rejected ones are dropped silently unless all are rejected.

    Raises:
        MailError: All recipients are rejected; the message is that of the last one.
    """
    taken = [address for address in addresses if not _is_unknown(context, address)]
    if not taken:
        words = "Can't send mail - all recipients were rejected: 550 User not found"
        raise MailError("not_found", f"{words}: {addresses[-1]}")
    return taken


def deliver(context: AppContext, sent: Object, sender: str, addresses: list[str]) -> None:
    """Deliver a message to the inboxes of recipients in this session."""
    shown = {n: ", ".join(sent[n]) for n in ("to", "cc") if sent[n]}
    fields: Object = {n: sent[n] for n in ("subject", "text", "html", "attachments") if n in sent}
    for address in addresses:
        if context.get("mailbox", address) is not None:
            last = context.list("email", order="-uid", limit=1)
            uid = (last[0]["uid"] if last else 0) + 1
            context.create(
                "email", {"uid": uid, "mailbox": address, "date": sent["date"], "from": sender, **shown, **fields}
            )


def date(context: AppContext) -> str:
    """Return a message's date in nodemailer's format, in UTC."""
    return dates.written(context.now().replace(microsecond=0))


def _is_unknown(context: AppContext, address: str) -> bool:
    """Return whether the provider rejects a recipient: it has mailboxes in this session, but not this one.

    In a state without mailboxes, only addresses that start with `nobody` are unknown.
    """
    domain = address.rpartition("@")[2]
    known = [row["address"] for row in context.list("mailbox")]
    if not known:
        return address.startswith("nobody")
    return address not in known and any(other.endswith(f"@{domain}") for other in known)


def _read(context: AppContext, path: str) -> bytes:
    try:
        return context.disk.read(path if path.startswith("/") else f"/home/agent/{path}")
    except DiskError as error:
        doing = "read" if error.code == "EISDIR" else f"open '{path}'"
        words = f"{error.code}: {_NODE_WORDS.get(error.code, 'invalid argument')}, {doing}"
        raise MailError("not_found" if error.code == "ENOENT" else "invalid", words) from None


def _no_chunk(value: Any) -> NoReturn:
    got = f"type {javascript.type_of(value)} ({javascript.text(value)})"
    if isinstance(value, list | dict):
        got = f"an instance of {'Array' if isinstance(value, list) else 'Object'}"
    wanted = "of type string or an instance of Buffer, TypedArray, or DataView"
    raise MailError("invalid_arguments", f'The "chunk" argument must be {wanted}. Received {got}')


def _length(value: dict[str, Any]) -> float:
    current = value.get("length")
    return current if isinstance(current, int | float) else 0
