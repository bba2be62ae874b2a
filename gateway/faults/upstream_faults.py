"""Faults on calls of upstreams, which answer over JSON-RPC and have their own state.

Faults that need the state (drift, stale reads, duplicates, renamed tools) do not apply to them; all others do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.store import Context
from soundstage.gateway.delivery import Answer as Delivered
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults import schedule_store
from soundstage.gateway.faults.draw import ACTIVE, Decision, random_of
from soundstage.gateway.faults.inject import apply_fault
from soundstage.gateway.faults.intercepted import InterceptedCall
from soundstage.servers.catalogue import App
from soundstage.servers.faults import fault_words
from soundstage.servers.reply import Answer, ProtocolFailure, Result
from soundstage.servers.tool import Tool

Message = dict[str, Any]


def has_schedule(context: Context) -> bool:
    """Whether the session has a schedule."""
    return ACTIVE in context.read_meta().counters


@dataclass(slots=True)
class UpstreamFault:
    """The fault drawn for one call of an upstream's tool."""

    context: Context
    app: App
    tool: Tool
    arguments: dict[str, Any] | None
    seed: int
    step: int
    decision: Decision

    @property
    def replaces(self) -> bool:
        """Whether the fault answers without calling the upstream."""
        return self.decision.rule is not None and self.decision.rule.fault.replaces

    def apply(self, message: Message | None) -> Delivery:
        """Apply the fault to the answer; `message` is the upstream's, None if it was not called."""
        answer = _answer_of({} if message is None else message)
        armed = self.decision.rule
        if armed is None:
            return Delivery(answer, counters=self.decision.counters)
        call = InterceptedCall(
            context=self.context,
            app=self.app,
            tool=self.tool,
            arguments=self.arguments,
            random=random_of(self.seed, armed.rule.name, self.step),
            words=fault_words(self.app.name),
            run=lambda: answer,
        )
        return apply_fault(armed, call, self.decision)


def draw_fault(context: Context, app: App, name: str, arguments: Any) -> UpstreamFault | None:
    """Draw for a call under the current schedule; None without a schedule, and for a tool that the upstream does not list."""
    meta = context.read_meta()
    plan, tool = schedule_store.plan_of(context, meta), app.tools.get(name)
    if plan is None or tool is None:
        return None
    given = arguments if isinstance(arguments, dict) else None
    decision = plan.draw(context, meta, app, tool, given)
    return None if decision is None else UpstreamFault(context, app, tool, given, meta.seed, meta.step + 1, decision)


def to_message(answer: Delivered, message: Message | None) -> Message:
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
