"""Message text as the korotovsky server shows it: links spelled out, attachments appended, control characters removed."""

from __future__ import annotations

import re
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.slack.rules.blocks import blocks_text
from soundstage.kernels.slack.rules.timestamps import message_time

_LINKS = (  # bounded, so that matching takes little time for any text
    re.compile(r"<(?P<url>https?://[^>|]{1,999})\|(?P<label>[^>]{1,999})>"),
    re.compile(r"\[(?P<label>[^\]]{1,999})\]\((?P<url>https?://[^)]{1,999})\)"),
    re.compile(r"""<a\s+href=["'](?P<url>[^"']{1,999})["'][^>]{0,999}>(?P<label>[^<]{1,999})</a>"""),
)
# Control characters except tab and line ends, zero-width space and marks, byte order mark, bidirectional overrides and
# isolates.
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def message_text(message: Object) -> str:
    """Return a message's text, else the text in its blocks, followed by its attachments."""
    text = message.get("text") or blocks_text(message.get("blocks"))
    attachments = message.get("attachments") or []
    if attachments:
        described = ", ".join(shown for a in attachments if isinstance(a, dict) and (shown := _attachment(a)))
        text += (". " if text else "") + described
    return re.sub(r"[ \t]+", " ", _UNSAFE.sub("", _spell_links(text))).strip()


def _spell_links(text: str) -> str:
    """Write `<url|label>` and its Markdown and HTML forms as `url - label`, with a comma unless it ends the text."""
    for pattern in _LINKS:
        for match in list(pattern.finditer(text)):
            link = match[0]
            comma = "" if not text[text.rfind(link) + len(link) :].strip() else ","
            text = text.replace(link, f"{match['url']} - {match['label']}{comma}", 1)
    return text


def _attachment(attachment: dict[str, Any]) -> str:
    parts: list[str] = []
    if title := attachment.get("title"):
        link = attachment.get("title_link")
        parts.append(f"Title: [{title}]({link})" if link else f"Title: {title}")
    for label, name in (("Author", "author_name"), ("Pretext", "pretext"), ("Text", "text")):
        if attachment.get(name):
            parts.append(f"{label}: {attachment[name]}")
    for field in attachment.get("fields") or []:
        parts.append(": ".join(str(field[k]) for k in ("title", "value") if field.get(k)))
    if attachment.get("footer"):
        time = message_time(f"{attachment.get('ts', '')}.000000") or ""
        parts.append(f"Footer: {attachment['footer']} @ {time}")
    if text := blocks_text(attachment.get("blocks")):
        parts.append(f"Blocks: {text}")
    return re.sub(r"[\n\r\t]", " ", "; ".join(part for part in parts if part)).strip()
