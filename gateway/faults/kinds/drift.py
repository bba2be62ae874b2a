"""Drift: another person changes something just before the call, such as a new message, a moved event or an edited page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from pydantic import Field

from soundstage.gateway.delivery import Delivery
from soundstage.gateway.faults.fault import Fault, Level, RecoveryEvidence
from soundstage.gateway.faults.intercepted import InterceptedCall
from soundstage.servers.catalogue import App
from soundstage.servers.faults import fault_words
from soundstage.servers.tool import Tool

_DRAWS = 8


class Drift(Fault):
    """Another person changes something in the app between two calls."""

    level: ClassVar[Level] = "state"
    evidence: ClassVar[RecoveryEvidence] = "reading"

    change: str | None = Field(None, description="one of the app's changes; default: drawn")
    spares: dict[str, list[str]] = Field(
        default={}, description="objects that are never changed: `app/entity` → keys, such as `slack/message`"
    )

    def apply(self, call: InterceptedCall) -> Delivery | None:
        """Make a change in a step before the call; None if no change is possible."""
        if call.step is None:
            return None
        view = call.context.app(call.app.name)
        changes = call.words.drifts
        names = sorted(changes) if self.change is None else [name for name in changes if name == self.change]
        call.random.shuffle(names)
        draws = _DRAWS if self.spares else 1  # a drawn change may affect a protected object
        for name in (name for name in names for _ in range(draws)):
            if call.change_before(name, lambda change=changes[name]: change(view, call.random), self.spares):  # type: ignore[misc]
                return Delivery(call.answer(), detail={"change": name})
        return None

    def mistakes(self, apps: Sequence[App], tools: Sequence[Tool]) -> Iterator[tuple[str, str]]:
        """Yield an unknown change, or that no app declares changes."""
        declared = {name for app in apps for name in fault_words(app.name).drifts}
        if not declared:
            yield "", "no matching app declares changes by others"
        elif self.change is not None and self.change not in declared:
            yield "change", f"no matching app has a change {self.change!r}; known: {', '.join(sorted(declared))}"
