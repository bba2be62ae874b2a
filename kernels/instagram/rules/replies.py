"""The envelope of every reply: `data`, `paging` on pages, an empty `error`, and `successful`."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object

Envelope = dict[str, Any]


def success_envelope(data: Any) -> Envelope:
    """Return the envelope of a success."""
    return {"data": data, "error": "", "successful": True}


def page_envelope(rows: list[Object], paging: Object) -> Envelope:
    """Return the envelope of a page of rows."""
    return {"data": rows, "paging": paging, "error": "", "successful": True}
