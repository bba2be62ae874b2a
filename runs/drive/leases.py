"""The run plane from a runner's side: lease trials, extend leases, and submit answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import httpx2

from soundstage.runs.drive.agent import Submission
from soundstage.runs.drive.tools import UNAVAILABLE_STATUS
from soundstage.runs.models import Heartbeat, HeartbeatBody, LeaseBody, Leased, LeasedTrial, SubmitBody

_TIMEOUT_S = 60.0
_AGAIN_S = 0.5
_GONE_S = 120.0
"""Maximum downtime of a gateway, such as for a restart, before the driver gives up."""


class RunRejected(Exception):
    """The gateway rejects a runner's request, or is gone; the message is meant for the user."""


class LeaseLost(Exception):
    """Another runner has the trial now; nothing of this attempt counts."""


class Leases:
    """The leases of one run over HTTP; short downtimes of the gateway are waited for."""

    def __init__(self, url: str, run_token: str, gone_s: float = _GONE_S) -> None:
        beyond = not url.startswith("http://127.0.0.1:")
        headers = {"Authorization": f"Bearer {run_token}"}
        # Local requests must not use a proxy, and loading certificates takes longer than a request.
        self._http = httpx2.AsyncClient(
            base_url=url, headers=headers, timeout=_TIMEOUT_S, verify=beyond, trust_env=beyond
        )
        self._gone_s = gone_s

    async def take(self) -> LeasedTrial | None:
        """Lease the next trial, waiting while others still work on theirs; None when no trial is left.

        Raises:
            RunRefused: The token is invalid or expired, or the gateway is gone.
        """
        while True:
            # Do not wait on the server: a client that disconnects while waiting could be assigned a trial unknowingly.
            response = await self._send("/run/lease", LeaseBody(n=1, wait_s=0))
            if response.status_code == 429:
                await asyncio.sleep(_retry_after(response.headers))
                continue
            if response.status_code == 204:
                return None
            if response.is_error:
                raise RunRejected(_words(response))
            trials = Leased.model_validate_json(response.content).trials
            if trials:
                return trials[0]
            await asyncio.sleep(_AGAIN_S)

    async def beat(self, trial: LeasedTrial) -> None:
        """Send a heartbeat for the trial.

        Raises:
            LeaseLost: The lease is lost.
        """
        response = await self._send(f"/run/trials/{trial.trial}/heartbeat", HeartbeatBody(attempt=trial.attempt))
        if response.is_error or Heartbeat.model_validate_json(response.content).cancel:
            raise LeaseLost

    async def submit(self, trial: LeasedTrial, submission: Submission) -> None:
        """Submit the end of the attempt; the request is idempotent.

        Raises:
            LeaseLost: A newer attempt is under way.
            RunRefused: The submission was rejected.
        """
        body = SubmitBody(
            attempt=trial.attempt,
            outcome=submission.outcome,
            answer=submission.answer,
            usage=submission.usage,
            trajectory=None,
            error=submission.error,
        )
        response = await self._send(f"/run/trials/{trial.trial}/submit", body)
        if response.status_code in (409, 410):
            raise LeaseLost
        if response.is_error:
            raise RunRejected(_words(response))

    async def _send(self, path: str, body: LeaseBody | HeartbeatBody | SubmitBody) -> httpx2.Response:
        content = body.model_dump(mode="json", exclude_none=True)
        last = time.monotonic() + self._gone_s
        while True:
            try:
                response = await self._http.post(path, json=content)
            except httpx2.HTTPError as error:
                problem = f"the gateway at {self._http.base_url} does not answer ({error or type(error).__name__})"
            else:
                if response.status_code not in UNAVAILABLE_STATUS:
                    return response
                problem = _words(response)
            if time.monotonic() > last:
                raise RunRejected(f"{problem}; the rest of the run can be driven later")
            await asyncio.sleep(_AGAIN_S)

    async def __aenter__(self) -> Leases:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self._http.aclose()


def _retry_after(headers: Mapping[str, str]) -> float:
    try:
        return min(max(float(headers.get("retry-after", "1")), 0.1), 60.0)
    except ValueError:
        return 1.0


def _words(response: httpx2.Response) -> str:
    try:
        body: Any = response.json()
        return str(body["error"])
    except (ValueError, KeyError, TypeError):
        return f"{response.status_code} {response.reason_phrase}: {response.text[:200]}"
