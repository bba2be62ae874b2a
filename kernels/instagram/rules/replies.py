"""The envelope that every tool answers in: `data`, on pages `paging`, an `error` that is empty, and `successful`."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.schema import Object

Envelope = dict[str, Any]


def done(data: Any) -> Envelope:
    return {"data": data, "error": "", "successful": True}


def paged(rows: list[Object], paging: Object) -> Envelope:
    return {"data": rows, "paging": paging, "error": "", "successful": True}
