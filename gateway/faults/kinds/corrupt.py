"""Corrupt: a field of the reply loses its value or its type."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import Fault, Level
from soundstage.gateway.faults.intercepted import InterceptedCall
from soundstage.gateway.faults.payload import leaves, payload_of, shown, with_value, without


class Corrupt(Fault):
    """A field of the reply is missing, null or of another type."""

    level: ClassVar[Level] = "state"

    how: Literal["missing", "null", "type"] | None = Field(None, description="default: drawn")
    field: str | None = Field(None, description="the field's name; default: any field of the reply")

    def apply(self, call: InterceptedCall) -> Delivery | None:
        """Change one field of the reply; None if the reply has no such field."""
        payload = payload_of(call.answer())
        if payload is None:
            return None
        named = [(p, v) for p, v in leaves(payload.value) if p and v is not None and self.field in (None, p[-1])]
        if not named:
            return None
        path, old = call.random.choice(named)
        how = self.how or call.random.choice(("missing", "null", "type"))
        if how == "missing":
            changed = without(payload.value, path)
        else:
            changed = with_value(payload.value, path, None if how == "null" else _of_another_type(old))
        return Delivery(payload.with_value(changed), detail={"path": shown(path), "how": how, "was": old})


def _of_another_type(value: Any) -> Any:
    match value:
        case bool() | int() | float():
            return str(value).lower()
        case str() if value.isdecimal() and len(value) < 16:
            return int(value)
        case _:
            return {}
