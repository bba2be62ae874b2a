"""Faults on calls of upstreams, which answer over JSON-RPC and have their own state.

Faults that need the state (drift, stale reads, duplicates, renamed tools) do not apply to them; all others do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.store import Context
from soundstage.gateway.delivery import Answer as Delivered
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults import kept
from soundstage.gateway.faults.draw import ACTIVE, Drawn, random_of
from soundstage.gateway.faults.inject import landed
from soundstage.gateway.faults.turn import Turn
from soundstage.servers.catalogue import App
from soundstage.servers.faults import fault_words
from soundstage.servers.reply import Answer, ProtocolFailure, Result
from soundstage.servers.tool import Tool

Message = dict[str, Any]


def in_force(context: Context) -> bool:
    """Whether the session has a schedule."""
    return ACTIVE in context.read_meta().counters


@dataclass(slots=True)
class Encounter:
    """The fault drawn for one call of an upstream's tool."""

    context: Context
    app: App
    tool: Tool
    arguments: dict[str, Any] | None
    seed: int
    step: int
    drawn: Drawn

    @property
    def replaces(self) -> bool:
        """Whether the fault answers without calling the upstream."""
        return self.drawn.struck is not None and self.drawn.struck.fault.replaces

    def land(self, message: Message | None) -> Delivery:
        """Apply the fault to the answer; `message` is the upstream's, None if it was not called."""
        answer = _answer_of({} if message is None else message)
        armed = self.drawn.struck
        if armed is None:
            return Delivery(answer, counters=self.drawn.counters)
        turn = Turn(
            context=self.context,
            app=self.app,
            tool=self.tool,
            arguments=self.arguments,
            random=random_of(self.seed, armed.rule.name, self.step),
            words=fault_words(self.app.name),
            run=lambda: answer,
        )
        return landed(armed, turn, self.drawn)


def meet(context: Context, app: App, name: str, arguments: Any) -> Encounter | None:
    """Draw for a call under the current schedule; None without a schedule, and for a tool that the upstream does not list."""
    meta = context.read_meta()
    plan, tool = kept.plan_of(context, meta), app.tools.get(name)
    if plan is None or tool is None:
        return None
    given = arguments if isinstance(arguments, dict) else None
    drawn = plan.draw(context, meta, app, tool, given)
    return None if drawn is None else Encounter(context, app, tool, given, meta.seed, meta.step + 1, drawn)


def message_of(answer: Delivered, message: Message | None) -> Message:
    """Convert an answer to the JSON-RPC response; other members of the upstream's response stay."""
    wire = answer.wire()
    frame = {k: v for k, v in (message or {"jsonrpc": "2.0", "id": None}).items() if k not in ("result", "error")}
    if "error" in wire:
        return {**frame, "error": wire["error"]}
    result = (message or {}).get("result")
    rest = {k: v for k, v in result.items() if k not in ("content", "structuredContent", "isError")} if result else {}
    return {**frame, "result": {**wire, **rest}}


def _answer_of(message: Message) -> Answer:
    if "error" in message:
        error = message["error"]
        return ProtocolFailure(error.get("code", 0), error.get("message", ""), "internal", error.get("data"))
    result = message.get("result") or {}
    failed = result.get("isError")
    content, structured = list(result.get("content") or []), result.get("structuredContent")
    return Result(content, ok=failed is not True, is_error=failed, structured=structured)
