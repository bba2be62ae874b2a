"""The interface between driver and agent: an agent receives a trial and returns an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from soundstage.grading.checks import Outcome
from soundstage.runs.models import LeasedTrial, UsageBody


@dataclass(frozen=True, slots=True)
class Submission:
    """The end of an attempt.

    `error` reports a failure outside the agent, after which the trial is repeated. `note` is a message for the user.
    """

    outcome: Outcome = "done"
    answer: str = ""
    usage: UsageBody | None = None
    error: str | None = None
    note: str | None = None


class Agent(Protocol):
    """An agent that works on trials, sequentially or concurrently."""

    async def work(self, trial: LeasedTrial) -> Submission:
        """Carry out the trial's instruction within its time.

        The coroutine may be cancelled at any time and must not leave work running.
        """


def seconds_of(trial: LeasedTrial) -> float:
    """Return the seconds that a newly leased trial may take.

    `expires_at` is by the gateway's clock, which may differ from this machine's.
    """
    return trial.limits.minutes * 60
