"""The library's objects as Python prints them, which some tools answer with as they are.

Source: Telethon 1.x, tl/tlobject.py (pretty_format): the class with all of its fields, None among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Tl:
    """An object of the library: its class's name and its fields in their order. Moments are what `moments.moment` gives."""

    def __init__(self, name: str, fields: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        self._name = name
        self._fields = {**(fields or {}), **more}

    def __repr__(self) -> str:
        return f"{self._name}({', '.join(f'{name}={value!r}' for name, value in self._fields.items())})"
