"""The formats of the MCP server's replies."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TextReply:
    """A reply that may list failures without being one; `ok` is true if any part of the call succeeded."""

    text: str
    ok: bool


def python_json(value: Any) -> str:
    """Return `json.dumps(value, indent=2)`, which escapes non-ASCII characters."""
    return json.dumps(value, indent=2)
