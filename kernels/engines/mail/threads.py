"""What makes mails one conversation: the mails that they refer to, and a subject that stays the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from soundstage.kernels.engines.mail.headers import Header, find

_PREFIX = re.compile(
    r"^\s*(?:(?:re|fwd?|aw|sv|antw|回复|答复|转发)(?:\[\d+\])?\s*[:：]|\[[^\]]{1,40}\](?=\s*(?:re|fwd?)\s*:))\s*", re.I
)
_ID = re.compile(r"<[^<>\s]+>")


def plain_subject(subject: str) -> str:
    """A subject without what answering and forwarding put before it, in small letters and single blanks."""
    while (shorter := _PREFIX.sub("", subject, count=1)) != subject:
        subject = shorter
    return " ".join(subject.lower().split())


def references(headers: Sequence[Header]) -> list[str]:
    """The Message-IDs that a mail refers to, the nearest last."""
    told = f"{find(headers, 'References') or ''} {find(headers, 'In-Reply-To') or ''}"
    return list(dict.fromkeys(_ID.findall(told)))
