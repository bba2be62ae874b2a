"""A tool's reply: text and equivalent structured content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TextReply:
    """A reply as text and as structured content."""

    text: str
    structured: dict[str, Any]
