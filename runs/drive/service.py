"""Agents that are services: each trial is one POST of it as JSON, and the reply is the answer."""

from __future__ import annotations

import httpx2
from pydantic import BaseModel, ConfigDict, ValidationError

from soundstage.grading.checks import Outcome
from soundstage.runs.drive.agent import Submission, seconds_of
from soundstage.runs.models import LeasedTrial, UsageBody

_MAX_SHOWN = 300
_CONNECT_S = 10.0
_BEYOND_S = 60.0  # a safety margin; the driver enforces the actual time limit


class Answer(BaseModel):
    """The reply of the service."""

    model_config = ConfigDict(extra="forbid")

    answer: str = ""
    outcome: Outcome = "done"
    usage: UsageBody | None = None


class Service:
    """An agent at an address; errors and missing replies are failures outside the agent, after which the trial is repeated."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def work(self, trial: LeasedTrial) -> Submission:
        """POST the trial and wait for the reply until the trial's time is over; disconnecting signals the service to stop."""
        patience = httpx2.Timeout(seconds_of(trial) + _BEYOND_S, connect=_CONNECT_S)
        try:
            async with httpx2.AsyncClient(timeout=patience) as http:
                response = await http.post(self._url, json=trial.model_dump(mode="json"))
        except httpx2.HTTPError as error:
            return Submission("gave_up", error=f"{self._url} did not answer ({error or type(error).__name__})")
        if response.status_code != 200:
            return Submission("gave_up", error=f"{self._url} said {response.status_code}: {response.text[:_MAX_SHOWN]}")
        try:
            reply = Answer.model_validate_json(response.content)
        except ValidationError as error:
            problem = error.errors()[0]
            where = ".".join(map(str, problem["loc"])) or "the reply"
            return Submission("gave_up", error=f"{self._url}: {where}: {problem['msg']}")
        return Submission(reply.outcome, reply.answer, reply.usage)
