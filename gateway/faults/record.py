"""What the journal keeps about the faults of a step, as JSON in the column `fault`: enough to make them land again."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import orjson

from soundstage.contexts.engine.clock import Wait
from soundstage.gateway.faults.schedule import ArmedRule, Scope


@dataclass(frozen=True, slots=True)
class Record:
    """The faults of one step.

    `rule`, `fault` and `attributes` are those that struck; `landed` says whether it could do anything to this call.
    `drawn` names every rule that was drawn. `again`: an outage that had begun before, in this app or this tool, went on.
    `called`: the real name of a tool that was called by its new one. `wait` is how long the client waited for the answer.
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

    def text(self) -> str:
        """Without what is as usual."""
        plain = Record()
        kept = {name: value for name, value in asdict(self).items() if value != getattr(plain, name)}
        return orjson.dumps(kept).decode()


def read_record(text: str) -> Record:
    kept = orjson.loads(text)
    wait = kept.pop("wait", None)
    return Record(**kept, wait=None if wait is None else Wait(**wait))


def landed_fault(text: str | None) -> str | None:
    """The name of the fault that landed, for a line of the journal."""
    if text is None:
        return None
    record = read_record(text)
    return record.fault if record.landed else None


def about(armed: ArmedRule) -> dict[str, Any]:
    """The members of a record that say which fault it is."""
    attributes = armed.fault.model_dump(mode="json", exclude_defaults=True)
    return {"rule": armed.rule.name, "fault": armed.rule.fault, "attributes": attributes}
