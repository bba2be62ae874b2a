"""The journal's record of a step's faults: JSON in the column `fault`, sufficient to replay them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import orjson

from soundstage.contexts.engine.clock import Wait
from soundstage.gateway.faults.schedule import ArmedRule, Scope


@dataclass(frozen=True, slots=True)
class Record:
    """The faults of one step.

    `rule`, `fault` and `attributes` describe the injected fault; `landed` is True if it affected this call. `drawn` names every
    rule that was drawn. `again`: the fault continued an outage of this app or tool. `called` is the real name of a tool that
    was called by its new one. `wait` is how long the client waited for the answer.
    """

    rule: str | None = None
    fault: str | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    landed: bool = False
    drawn: list[str] = field(default_factory=list)
    again: Scope | None = None
    called: str | None = None
    detail: dict[str, Any] | None = None
    wait: Wait | None = None

    @property
    def lost(self) -> dict[str, Any] | None:
        """The app's answer that no client received: an MCP result, or {"error": …}."""
        return (self.detail or {}).get("lost") if self.landed else None

    def text(self) -> str:
        """Serialize the record without default values."""
        members = {name: value for name, value in asdict(self).items() if value != getattr(NO_FAULT, name)}
        return orjson.dumps(members).decode()


NO_FAULT = Record()
"""The record of a call without a fault."""


def read_record(text: str) -> Record:
    """Parse a record that `Record.text` wrote."""
    members = orjson.loads(text)
    wait = members.pop("wait", None)
    return Record(**members, wait=None if wait is None else Wait(**wait))


def fault_members(armed: ArmedRule) -> dict[str, Any]:
    """Return the members of a record that identify the fault."""
    attributes = armed.fault.model_dump(mode="json", exclude_defaults=True)
    return {"rule": armed.rule.name, "fault": armed.rule.fault, "attributes": attributes}
