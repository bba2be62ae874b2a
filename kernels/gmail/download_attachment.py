"""The `download_attachment` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.mail.mime import from_base64
from soundstage.kernels.errors import AppError
from soundstage.kernels.gmail.rules import files
from soundstage.kernels.gmail.rules.errors import ApiError, Download, Refusal
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.gmail.rules.messages import attachments
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str:
    """Save an attachment to a file on the server's machine."""
    attachment_id, folder = arguments["attachmentId"], arguments.get("savePath") or ""
    try:
        mailbox = acting(context)
        mailbox.needs("attachment")
        message = mailbox.message(arguments["messageId"])
        row = context.get("attachment", attachment_id)
        if row is None or row.get("messageId") not in (None, message["id"]):
            raise ApiError(400, "invalid", "Invalid attachment token")
        if not row.get("data"):
            raise Refusal("not_found", "No attachment data received")
        data = from_base64(row["data"])
        names = [file.filename for file in attachments(message) if file.id == attachment_id]
        name = arguments.get("filename") or next(iter(names), f"attachment-{attachment_id}")
        path = files.save(context, folder, name, data)
    except AppError as error:
        raise Download(error) from None
    return f"Attachment downloaded successfully:\nFile: {name}\nSize: {len(data)} bytes\nSaved to: {path}"
