"""Conversation threading: the messages that a message refers to, and its normalized subject."""

from __future__ import annotations

import re
from collections.abc import Sequence

from soundstage.kernels.engines.mail.headers import Header, find

_PREFIX = re.compile(
    r"^\s*(?:(?:re|fwd?|aw|sv|antw|回复|答复|转发)(?:\[\d+\])?\s*[:：]|\[[^\]]{1,40}\](?=\s*(?:re|fwd?)\s*:))\s*", re.I
)
_ID = re.compile(r"<[^<>\s]+>")


def plain_subject(subject: str) -> str:
    """Return a subject in lower case with single spaces and without reply and forward prefixes."""
    while (shorter := _PREFIX.sub("", subject, count=1)) != subject:
        subject = shorter
    return " ".join(subject.lower().split())


def references(headers: Sequence[Header]) -> list[str]:
    """Return the Message-IDs that a message refers to, nearest last."""
    text = f"{find(headers, 'References') or ''} {find(headers, 'In-Reply-To') or ''}"
    return list(dict.fromkeys(_ID.findall(text)))
