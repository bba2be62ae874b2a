"""Record calls of upstreams' tools as steps: the upstream's name is the app, and there is no receipt."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import apsw
import orjson

from soundstage.contexts.engine.journal import SESSION_USER, Caller
from soundstage.contexts.engine.problems import ContextError
from soundstage.gateway.calls.call import CallResult
from soundstage.gateway.calls.json_arguments import NestedTooDeeply, normalize_arguments
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.log import log
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.upstream.config import Declaration
from soundstage.gateway.upstream.messages import Message

UpstreamErrorKind = Literal["failed", "unavailable", "input_required", "cancelled"]
"""Why an upstream's call is not `ok`: it reported a failure; it did not answer; it asks for input first; the client left."""


@dataclass(frozen=True, slots=True)
class UpstreamAnswer:
    """An upstream's answer, or the error that the client gets instead; `said` is the response's `result` or `error`."""

    content: Any
    ok: bool
    is_error: bool | None
    error_kind: UpstreamErrorKind | None

    def wire(self) -> dict[str, Any]:
        """Return the result as the upstream sent it, or {"error": …}."""
        return self.content  # type: ignore[no-any-return]  # as it came, and so what a broken server sent


def read_answer(message: Message) -> UpstreamAnswer:
    """Convert a response to an answer."""
    if "error" in message:
        return UpstreamAnswer({"error": message["error"]}, False, None, "failed")
    result = message.get("result")
    if isinstance(result, dict) and result.get("resultType") == "input_required":
        return UpstreamAnswer(result, False, None, "input_required")
    failed = isinstance(result, dict) and result.get("isError") is True
    return UpstreamAnswer(result, not failed, failed, "failed" if failed else None)


class UpstreamCall:
    """One `tools/call` on its way to an upstream.

    It is recorded once, when its answer passes or fails to arrive; then `on_made` is called.
    """

    def __init__(
        self,
        session: Session,
        declaration: Declaration,
        tool: object,
        arguments: Any,
        *,
        caller: Caller = SESSION_USER,
        on_made: Callable[[CallResult], None] | None = None,
    ) -> None:
        self._session = session
        self._declaration = declaration
        self._tool = declaration.redact(tool) if isinstance(tool, str) else ""
        self._arguments = arguments
        self._caller = caller
        self._on_made = on_made
        self._started = time.perf_counter_ns()
        self.made: CallResult | None = None

    def answered(self, message: Message) -> CallResult:
        """Record the upstream's answer."""
        return self.delivered(Delivery(read_answer(message)))

    def unanswered(self, kind: Literal["unavailable", "cancelled"], message: Message | None) -> CallResult:
        """Record that no answer arrived; `message` is the error that the client gets instead."""
        members = {} if message is None else {"error": message["error"]}
        return self.delivered(Delivery(UpstreamAnswer(members, False, None, kind), dropped=message is None))

    def delivered(self, delivery: Delivery) -> CallResult:
        """Record the delivery to the client, unless the call is already recorded."""
        if self.made is None:
            took_us = (time.perf_counter_ns() - self._started) // 1000
            name = self._declaration.name
            self.made = CallResult(name, self._tool, self._recorded(delivery, took_us), delivery, took_us)
            if self._on_made is not None:
                self._on_made(self.made)
        return self.made

    def _recorded(self, delivery: Delivery, took_us: int) -> int | None:
        answer, context, name = delivery.answer, self._session.context, self._declaration.name
        try:
            sent = self._redacted(self._arguments)
            with context.step("upstream", self._tool, sent, app=name, caller=self._caller) as step:
                step.meta.counters.update(delivery.counters or {})
                step.ok, step.is_error, step.error_kind = delivery.ok, answer.is_error, answer.error_kind
                step.reply, step.wait = self._redacted(delivery.reply), delivery.wait
                step.fault = None if delivery.record is None else self._declaration.redact(delivery.record)
                step.duration_us = took_us
        except (ContextError, apsw.Error, NestedTooDeeply, orjson.JSONEncodeError) as error:
            # The upstream has acted all the same, so the answer is passed to the agent.
            log.error(
                "a call could not be recorded", session=self._session.id, app=name, tool=self._tool, reason=str(error)
            )
            return None
        return step.number

    def _redacted(self, value: Any) -> Any:
        """Return a value without the upstream's secrets, which a server may echo."""
        if value is None or not self._declaration.secrets:
            return value
        plain = normalize_arguments({"": value})
        text = orjson.dumps(plain).decode()
        redacted = self._declaration.redact(text)
        return value if redacted == text else orjson.loads(redacted)[""]
