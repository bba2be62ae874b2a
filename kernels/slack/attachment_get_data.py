"""The `attachment_get_data` tool."""

from __future__ import annotations

import base64
import binascii

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules import channels, identity
from soundstage.kernels.slack.rules.errors import Refusal, SlackError
from soundstage.kernels.slack.rules.identity import Identity
from soundstage.kernels.slack.rules.replies import Blocks
from soundstage.kernels.slack.rules.values import go_text
from soundstage.kernels.types import Arguments

_MOST_BYTES = 5 * 1024 * 1024
_TEXT_TYPES = {
    "application/json", "application/xml", "application/javascript", "application/x-yaml", "application/x-sh",
}  # fmt: skip


def run(context: AppContext, arguments: Arguments) -> str | Blocks:
    """Download a file (files.info and its URL): a text, an image as MCP content, or Base64.

    The real server builds the JSON by hand and escapes only quotes, backslashes and white space.
    """
    file_id = go_text(arguments, "file_id")
    if not file_id:
        raise Refusal("file_id is required")
    who = identity.person(context)
    who.calls("files.info")
    who.needs("files:read")
    file = context.get("file", file_id)
    if file is None or not _is_shared_with(context, file, who):
        raise SlackError("file_not_found")
    size = file.get("size") or 0
    if size > _MOST_BYTES:
        raise Refusal(f"file size {size} bytes exceeds maximum allowed size of {_MOST_BYTES} bytes", "limit")
    if not (file.get("url_private_download") or file.get("url_private")):
        raise Refusal("file has no downloadable URL", "not_found")
    mimetype, content = file.get("mimetype", ""), file.get("content", "")
    is_text = mimetype.startswith("text/") or mimetype in _TEXT_TYPES
    data = content.encode() if is_text else _bytes(content)
    described = (
        f'"file_id":"{file_id}","filename":"{_escaped(file.get("name", ""))}",'
        f'"mimetype":"{_escaped(mimetype)}","size":{len(data)}'
    )
    if is_text:
        return f'{{{described},"encoding":"none","content":"{_escaped(content)}"}}'
    encoded = base64.b64encode(data).decode()
    if mimetype.startswith("image/"):
        image = {"type": "image", "data": encoded, "mimeType": mimetype}
        return [{"type": "text", "text": f"{{{described}}}"}, image]
    return f'{{{described},"encoding":"base64","content":"{encoded}"}}'


def _is_shared_with(context: AppContext, file: Object, who: Identity) -> bool:
    """Return whether `who` may see a file: their own, or one in a conversation visible to them.

    Other files do not exist for `who`. Source: https://docs.slack.dev/reference/methods/files.info (file_not_found)
    """
    places = file.get("channels")
    if not places or file.get("user") == who.user_id:
        return True
    conversations = (context.get("channel", place) for place in places)
    return any(channel is None or channels.is_visible(channel, who) for channel in conversations)


def _bytes(content: str) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        return content.encode()


def _escaped(text: str) -> str:
    for character, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        text = text.replace(character, escape)
    return text
