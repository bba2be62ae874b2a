"""A tool's reply: a text and the same in structured content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Told:
    """What a client reads, and what its program does."""

    text: str
    structured: dict[str, Any]
