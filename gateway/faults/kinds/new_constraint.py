"""The user has a new wish while the agent works."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from soundstage.gateway.faults.condition import StateCondition
from soundstage.gateway.faults.fault import Fault, Healing, Landing, Level
from soundstage.gateway.faults.turn import Turn
from soundstage.servers.reply import Result, text_block


class NewConstraint(Fault):
    """The user's new wish comes with a reply, as a further content item, and as a notification to who listens."""

    level: ClassVar[Level] = "constraint"
    healing: ClassVar[Healing] = "condition"

    wish: str = Field(min_length=1, max_length=4000, description="the wish in the user's words")
    met: list[StateCondition] | None = Field(None, description="the state in which the wish is granted")

    def land(self, turn: Turn) -> Landing | None:
        answer = turn.answer()
        if not isinstance(answer, Result):
            return None
        told = Result(
            [*answer.content, text_block(self.wish)], answer.ok, answer.is_error, answer.structured, answer.error_kind
        )
        return Landing(told, notice=self.wish)
