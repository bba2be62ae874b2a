"""Relations between calls: same intent, another way to the same goal, or a read of another call's effect.

They are computed from the journal, without knowledge of the agent's reasoning.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.store import Context
from soundstage.gateway.faults.kinds import KINDS
from soundstage.gateway.faults.payload import leaves
from soundstage.gateway.faults.record import Record, read_record
from soundstage.servers.catalogue import app_names, load_app
from soundstage.servers.tool import Tool

DAMAGING = frozenset({"retry", "confirming"})
"""Kinds of recovery for faults after which the hit call was not done, or not reported as done."""

_SAME = 0.6  # share of common argument values between two calls of one intent
_SHORTEST = 3  # minimum length of a text that can name an object


@dataclass(slots=True)
class ObservedCall:
    """A journal row with its parsed values.

    `name` is the app's own name of the tool, `values` are those of the arguments, and `named` the texts among them that may
    name or describe an object: no numbers, and no values that the tool's schema prescribes.
    """

    row: journal.Row
    record: Record | None
    name: str
    tool: Tool | None
    values: Counter[str]
    named: frozenset[str]

    @property
    def succeeded(self) -> bool:
        """Whether the call was done and its answer arrived undamaged."""
        if not self.row.ok or self.row.reply is None:
            return False
        return not self.was_hit or KINDS[str(self.record.fault)].evidence not in DAMAGING  # type: ignore[union-attr]

    @property
    def was_hit(self) -> bool:
        """Whether a fault took effect on it."""
        return self.record is not None and self.record.landed

    @property
    def words(self) -> bytes:
        """A key that is equal for equal calls with equal arguments."""
        return orjson.dumps([self.row.app, self.name, self.row.arguments], option=orjson.OPT_SORT_KEYS)


def observe(row: journal.Row) -> ObservedCall:
    """Parse a journal row."""
    record = None if row.fault is None else read_record(row.fault)
    name = record.called if record is not None and record.called else row.tool
    tool = load_app(row.app).tools.get(name) if row.app in app_names() else None
    values = [v for _, v in leaves(row.arguments or {}) if v is not None]
    prescribed = frozenset() if tool is None else _words_of(tool)
    texts = frozenset(v for v in values if isinstance(v, str) and len(v) >= _SHORTEST)
    return ObservedCall(row, record, name, tool, Counter(map(str, values)), texts - prescribed)


def same_tool(one: ObservedCall, other: ObservedCall) -> bool:
    """Whether two calls are of the same tool."""
    return (one.row.app, one.name) == (other.row.app, other.name)


def same_intent(one: ObservedCall, other: ObservedCall) -> bool:
    """Whether two calls have the same intent: the same tool, and mostly the same arguments."""
    if not same_tool(one, other):
        return False
    total = max(one.values.total(), other.values.total())
    return total == 0 or (one.values & other.values).total() / total >= _SAME


def is_alternative(one: ObservedCall, other: ObservedCall) -> bool:
    """Whether a call is another way to the goal of the first: another tool with the same effect on the same entity and object."""
    # The purpose of an upstream's tools is unknown.
    if one.tool is None or other.tool is None or same_tool(one, other):
        return False
    same_purpose = (other.tool.effect, other.tool.entity) == (one.tool.effect, one.tool.entity)
    return same_purpose and one.tool.entity is not None and (not one.named or bool(one.named & other.named))


def inspects(context: Context, one: ObservedCall, other: ObservedCall) -> bool:
    """Whether a call of another tool reads an object that the first named or changed."""
    if other.tool is None or other.tool.effect != "read" or same_tool(one, other):
        return False
    return (one.row.app == other.row.app and bool(one.named & other.named)) or shows_change(context, other, one)


def shows_change(context: Context, reading: ObservedCall, changed: ObservedCall | None) -> bool:
    """Whether a read shows an object that another step changed."""
    if changed is None or not reading.succeeded or reading.tool is None or reading.tool.effect != "read":
        return False
    text = orjson.dumps(reading.row.reply).decode()
    return any(key in text for key in changed_keys(context, changed))


def changed_keys(context: Context, one: ObservedCall) -> set[str]:
    """Return the keys of the objects that a step changed."""
    return {_key(c) for c in journal.changes(context, one.row.receipt.changeset)}


def created_keys(context: Context, one: ObservedCall) -> set[str]:
    """Return the keys of the objects that a step created."""
    return {_key(c) for c in journal.changes(context, one.row.receipt.changeset) if c["op"] == "insert"}


def deletes_object(context: Context, one: ObservedCall) -> bool:
    """Whether a step deleted an object."""
    assert one.tool is not None
    return one.tool.effect == "delete" or any(
        c["op"] == "delete" for c in journal.changes(context, one.row.receipt.changeset)
    )


def _key(change: journal.Change) -> str:
    return str(change["id"][-1] if isinstance(change["id"], list) else change["id"])


@lru_cache(maxsize=4096)
def _words_of(tool: Tool) -> frozenset[str]:
    return _prescribed(tool.input_schema)


def _prescribed(schema: Any) -> frozenset[str]:
    """Return the values that a schema enumerates."""
    if isinstance(schema, list):
        return frozenset().union(*map(_prescribed, schema))
    if not isinstance(schema, dict):
        return frozenset()
    listed = [*schema["enum"]] if isinstance(schema.get("enum"), list) else []
    own = frozenset(v for v in [*listed, schema.get("const"), schema.get("default")] if isinstance(v, str))
    return own.union(*(_prescribed(v) for v in schema.values()))
