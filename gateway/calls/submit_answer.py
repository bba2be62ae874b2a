"""The `submit_answer` tool at the shared address of a session that has a task.

It belongs to no app, and an answer is not a step: it goes to the code that set the task.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from soundstage.gateway.calls.answer_tool import MAX_TEXT, OUTCOMES, SUBMIT_ANSWER, Outcome
from soundstage.gateway.calls.call import CallRequest, CallResult
from soundstage.gateway.calls.json_arguments import normalize_arguments
from soundstage.gateway.delivery import Delivery
from soundstage.servers.reply import Result, text_block

if TYPE_CHECKING:
    from soundstage.gateway.sessions.session import Session

AnswerReceiver = Callable[["Session", str, Outcome], Awaitable[bool]]
"""Receives a session's answer. Returns False if the session already has one."""


async def reject_answer(session: Session, text: str, outcome: Outcome) -> bool:
    """Reject every answer; the default where no component sets tasks."""
    return False


class SubmitAnswerHandler:
    """Handles calls of `submit_answer`."""

    def __init__(self) -> None:
        self.receive: AnswerReceiver = reject_answer

    async def handle(self, request: CallRequest) -> CallResult:
        started = time.perf_counter_ns()
        sent = normalize_arguments(request.arguments or {})
        text, outcome = sent.get("text"), sent.get("outcome", OUTCOMES[0])
        problem = _problem(sent, text, outcome)
        if problem is not None or not isinstance(text, str):
            blocks = [text_block(problem or "text: it is missing")]
            result = Result(blocks, ok=False, is_error=True, error_kind="invalid_arguments")
        elif await self.receive(request.session, text, outcome):
            result = Result([text_block("Your answer was taken.")], ok=True, is_error=False)
        else:
            result = Result([text_block("There is an answer already.")], ok=False, is_error=True, error_kind="conflict")
        took_us = (time.perf_counter_ns() - started) // 1000
        return CallResult("", SUBMIT_ANSWER, None, Delivery(result), took_us)


def _problem(sent: dict[str, Any], text: object, outcome: object) -> str | None:
    """Return an error message for invalid arguments, or None."""
    if strange := [name for name in sent if name not in ("text", "outcome")]:
        return f"{strange[0]!r}: {SUBMIT_ANSWER} has no such argument; it takes: text, outcome"
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        return f"text: expected a text of at most {MAX_TEXT:,} characters"
    return None if outcome in OUTCOMES else f"outcome: expected one of {', '.join(OUTCOMES)}, got {outcome!r:.80}"
