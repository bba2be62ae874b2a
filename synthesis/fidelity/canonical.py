"""JSON written in one way, so that equal values are equal texts."""

from __future__ import annotations

import json
from typing import Any


def canonical(value: Any) -> str:
    """JSON with its members in order and without spaces, numbers of equal value written alike; a text as it is."""
    if isinstance(value, str):
        return value
    return json.dumps(_normalized(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _normalized(value: Any) -> Any:
    """JSON in which a float without a fraction is an integer, as JavaScript writes it."""
    if isinstance(value, dict):
        return {name: _normalized(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_normalized(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
