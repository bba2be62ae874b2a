"""The library's objects in Python's notation, which some tools return directly.

Source: Telethon 1.x, tl/tlobject.py (pretty_format): the class with all of its fields, including None.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Tl:
    """An object of the library: the name of its class and its fields in order.

    Times come from `times.parse_time`.
    """

    def __init__(self, name: str, fields: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        """Create an object from its class name and fields."""
        self._name = name
        self._fields = {**(fields or {}), **more}

    def __repr__(self) -> str:
        """Return the object in Python's notation."""
        return f"{self._name}({', '.join(f'{name}={value!r}' for name, value in self._fields.items())})"
