"""New constraint: the user sends a further request while the agent works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from soundstage.contexts.engine.store import Context
from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.condition import StateCondition, all_hold
from soundstage.gateway.faults.fault import Fault, Level, RecoveryEvidence
from soundstage.gateway.faults.intercepted import InterceptedCall
from soundstage.servers.catalogue import App
from soundstage.servers.reply import Result, text_block
from soundstage.servers.tool import Tool


class NewConstraint(Fault):
    """A mid-task user request arrives with a reply, as a further content item, and as a notification to listening clients."""

    level: ClassVar[Level] = "constraint"
    evidence: ClassVar[RecoveryEvidence] = "condition"

    wish: str = Field(min_length=1, max_length=4000, description="the request in the user's words")
    met: list[StateCondition] | None = Field(None, description="the state in which the request is met")

    def apply(self, call: InterceptedCall) -> Delivery | None:
        """Append the user's request to the reply; None if the call failed."""
        if not isinstance(call.answer(), Result):
            return None
        call.record_request(self.wish)
        answer = call.answer()
        assert isinstance(answer, Result)
        return Delivery(replace(answer, content=[*answer.content, text_block(self.wish)]), notice=self.wish)

    def shows_recovery(self, context: Context) -> bool | None:
        """Whether the state meets the request; None without a condition."""
        return None if self.met is None else all_hold(self.met, context)

    def mistakes(self, apps: Sequence[App], tools: Sequence[Tool]) -> Iterator[tuple[str, str]]:
        """Yield the conditions that can never be satisfied."""
        for i, condition in enumerate(self.met or ()):
            for member, text in condition.mistakes():
                yield f"met[{i}].{member}", text
