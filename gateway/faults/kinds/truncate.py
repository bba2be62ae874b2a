"""Truncate: the reply ends in the middle."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import Fault, Level
from soundstage.gateway.faults.intercepted import InterceptedCall
from soundstage.gateway.faults.payload import longest_text
from soundstage.servers.reply import Result


class Truncate(Fault):
    """The reply's text ends in the middle."""

    level: ClassVar[Level] = "state"

    keep: float = Field(0.5, gt=0, lt=1, description="the share of the characters that arrives")

    def apply(self, call: InterceptedCall) -> Delivery | None:
        """Cut the reply's longest text; None if the reply must stay complete."""
        answer = call.answer()
        block = longest_text(answer)
        # Clients reject a reply without the structured content that the tool declares: that would be another fault.
        if block is None or call.tool.output_schema is not None or not isinstance(answer, Result):
            return None
        text = answer.content[block]["text"]
        length = max(1, int(len(text) * self.keep))
        if length == len(text):
            return None
        content = list(answer.content)
        content[block] = {**content[block], "text": text[:length]}
        return Delivery(replace(answer, content=content, structured=None), detail={"kept": length, "of": len(text)})
