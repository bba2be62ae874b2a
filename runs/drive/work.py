"""What an agent is to the driver: something that is given a trial and comes back with an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from soundstage.grading.task import Outcome
from soundstage.runs.models import LeasedTrial, UsageBody


@dataclass(frozen=True, slots=True)
class Handed:
    """How an attempt ended. `error` is what was not the agent's doing: the trial is then made anew. `note` is for whoever
    drives.
    """

    outcome: Outcome = "done"
    answer: str = ""
    usage: UsageBody | None = None
    error: str | None = None
    note: str | None = None


class Agent(Protocol):
    """Works on one trial after the other, or on several at once."""

    async def work(self, trial: LeasedTrial) -> Handed:
        """Do what the trial's instruction says, within its time.

        It may be cancelled at any moment, and leaves nothing behind that goes on working.
        """


def seconds_of(trial: LeasedTrial) -> float:
    """How long a trial that was leased just now may take. `expires_at` is by the gateway's clock, which may go otherwise than
    this machine's.
    """
    return trial.limits.minutes * 60
