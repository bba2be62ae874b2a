"""A small state for every app, so that calls have an effect.

`small/<app>.json` contains a conversation, page or note, one call that adds something to it, and one call that shows the
addition:

`{state: {entity: [objects]}, write: {tool, arguments}, read: {tool, arguments}}`
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_SMALL = {file.stem: json.loads(file.read_text()) for file in sorted(Path(__file__).with_name("small").glob("*.json"))}


def _calls(which: str) -> dict[str, tuple[str, dict[str, Any]]]:
    return {app: (small[which]["tool"], small[which]["arguments"]) for app, small in _SMALL.items()}


SMALL_STATE: dict[str, dict[str, list[dict[str, Any]]]] = {app: small["state"] for app, small in _SMALL.items()}
"""`{app: {entity: [objects]}}`, in the form in which it is loaded into a session."""

WRITES = _calls("write")
"""One creating call of each app."""

READS = _calls("read")
"""One reading call of each app. It shows the result of the creating call."""
