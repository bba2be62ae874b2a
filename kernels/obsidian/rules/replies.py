"""How the MCP server tells what it got."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Told:
    """A reply that may tell of failures without being one: `ok` says whether anything of what was asked was done."""

    text: str
    ok: bool


def python_json(value: Any) -> str:
    """`json.dumps(value, indent=2)`: everything that is not ASCII is escaped."""
    return json.dumps(value, indent=2)
