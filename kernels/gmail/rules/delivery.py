"""Gmail's processing of a submitted message: sender, date, id, thread, and delivery to simulated mailboxes."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.mail import dates, mime, threads
from soundstage.kernels.engines.mail.addresses import Address, formatted, recipients
from soundstage.kernels.engines.mail.headers import Header, find, find_all
from soundstage.kernels.engines.mail.html import to_text
from soundstage.kernels.gmail.rules import filters, messages
from soundstage.kernels.gmail.rules.errors import ApiError, not_found
from soundstage.kernels.gmail.rules.mailbox import Mailbox, canonical_id, everybody

_FIRST_HISTORY = 10_235


def send(mailbox: Mailbox, raw: bytes, thread_id: str | None) -> Object:
    """Send a message: store the sender's copy and one per recipient with a mailbox.

    Raises:
        ApiError: The thread does not exist, there are no recipients, or a To, Cc or Bcc header is invalid.
    """
    _check_thread(mailbox, thread_id)
    mail = _signed(mailbox, raw)
    people = _recipients(mail.headers)
    if not people:
        raise ApiError(400, "invalid", "Recipient address required")
    to_self = mailbox.address.lower() in people
    sent = _stored(mailbox, mail, ["UNREAD", "SENT", "INBOX"] if to_self else ["SENT"], thread_id)
    if to_self:
        filters.apply(mailbox, sent)
    for other in everybody(mailbox.context):
        if other.owner != mailbox.owner and other.address.lower() in people:
            filters.apply(other, _stored(other, mail, ["UNREAD", "INBOX"], None))
    return sent


def draft(mailbox: Mailbox, raw: bytes, thread_id: str | None) -> Object:
    """Store a message as a draft: a message with the label DRAFT and a draft row.

    Raises:
        ApiError: The thread does not exist, or a To, Cc or Bcc header is invalid.
    """
    _check_thread(mailbox, thread_id)
    mail = _signed(mailbox, raw)
    _recipients(mail.headers)
    message = _stored(mailbox, mail, ["DRAFT"], thread_id)
    named = {name: message[name] for name in ("id", "threadId", "labelIds")}
    return mailbox.context.create("draft", mailbox.owned({"message": named}))


def _check_thread(mailbox: Mailbox, thread_id: str | None) -> None:
    if not thread_id or _of_thread(mailbox, thread_id):
        return
    try:
        canonical_id(thread_id)
    except ApiError:
        raise ApiError(400, "invalid", "Invalid thread_id value") from None
    raise not_found()


def _signed(mailbox: Mailbox, raw: bytes) -> mime.Part:
    """Return the message with the account as sender, a date and a Message-ID."""
    mail = mime.read(raw)
    name, address = mailbox.sender
    sender = formatted(Address(name, address))
    entries: list[Header] = [{**h, "value": sender} if h["name"] == "From" else h for h in mail.headers]
    entries.append({"name": "Date", "value": dates.written(mailbox.context.now().astimezone(mailbox.zone))})
    entries.append(
        {"name": "Message-ID", "value": mailbox.context.new_id("message_id", "<CA{alnum:46}@mail.gmail.com>")}
    )
    return mime.Part(mail.mime_type, mail.filename, entries, mail.data, mail.parts)


def _recipients(headers: list[Header]) -> set[str]:
    """Return the addresses of all recipients in lower case.

    Raises:
        ApiError: A header contains something other than addresses.
    """
    results: set[str] = set()
    for name in ("To", "Cc", "Bcc"):
        for value in find_all(headers, name):
            people = recipients(value)
            if value.strip() and (not people or any(not _is_address(p) for p in people)):
                raise ApiError(400, "invalid", f"Invalid {name} header")
            results.update(person.lower() for person in people)
    return results


def _is_address(text: str) -> bool:
    user, _, domain = text.rpartition("@")
    return bool(user) and "@" not in user and all(domain.split("."))


def _stored(mailbox: Mailbox, mail: mime.Part, label_ids: list[str], thread_id: str | None) -> Object:
    """Store a message in a mailbox and its thread; only the sender's copy includes Bcc."""
    context = mailbox.context
    own = bool({"SENT", "DRAFT"} & set(label_ids))
    headers = mail.headers if own else [h for h in mail.headers if h["name"] != "Bcc"]
    message_id = context.new_id("message")
    tree, size = _tree(context, message_id, mime.Part(mail.mime_type, "", headers, mail.data, mail.parts), "")
    plain, html = messages.contents({"payload": tree})
    return context.create(
        "message",
        mailbox.owned(
            {
                "id": message_id,
                "threadId": _thread(mailbox, headers, thread_id) or message_id,
                "labelIds": label_ids,
                "snippet": messages.snippet(plain or to_text(html)),
                "internalDate": str(to_ms(context.now()) // 1000 * 1000),
                "sizeEstimate": size + sum(len(h["name"]) + len(h["value"].encode()) + 4 for h in headers),
                "historyId": str(_FIRST_HISTORY + context.next_number("history")),
                "payload": tree,
            }
        ),
    )


def _tree(context: AppContext, message_id: str, part: mime.Part, part_id: str) -> tuple[Object, int]:
    """Return a part in the API's format and its size. The content of an attachment is stored separately."""
    tree: Object = {"partId": part_id, "mimeType": part.mime_type, "filename": part.filename, "headers": part.headers}
    if part.parts:
        below = [_tree(context, message_id, p, f"{part_id}.{i}".lstrip(".")) for i, p in enumerate(part.parts)]
        return {**tree, "body": {"size": 0}, "parts": [t for t, _ in below]}, sum(size for _, size in below)
    size, data = len(part.data), messages.encode(part.data)
    body: Object = {"size": size, "data": data}
    if part.filename:
        values = {
            "messageId": message_id,
            "filename": part.filename,
            "mimeType": part.mime_type,
            "size": size,
            "data": data,
        }
        body = {"attachmentId": context.create("attachment", values)["attachmentId"], "size": size}
    return {**tree, "body": body}, size


def _thread(mailbox: Mailbox, headers: list[Header], thread_id: str | None) -> str | None:
    """Return the thread of a message: the given one, or that of a referenced message with the same subject.

    Source: https://developers.google.com/workspace/gmail/api/guides/threads. A given thread requires the same subject too.
    """
    subject = threads.plain_subject(find(headers, "Subject") or "")
    referred = set(threads.references(headers))
    if thread_id:
        result = _of_thread(mailbox, thread_id)
        same = any(threads.plain_subject(messages.header(m, "Subject")) == subject for m in result)
        refers = any(messages.header(m, "Message-ID") in referred for m in result)
        return str(result[0]["threadId"]) if same or refers else None
    for message in mailbox.rows("message") if referred else ():
        if messages.header(message, "Message-ID") in referred:
            same = threads.plain_subject(messages.header(message, "Subject")) == subject
            return str(message["threadId"]) if same else None
    return None


def _of_thread(mailbox: Mailbox, thread_id: str) -> list[Object]:
    where = {"mailbox": mailbox.owner}
    return mailbox.context.list("message", {**where, "threadId": thread_id}) or mailbox.context.list(
        "message", {**where, "threadId": thread_id.lower().lstrip("0")}
    )
