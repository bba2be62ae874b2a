"""Grading in worker processes: a text of an agent cannot hold up the gateway, however long it takes to read.

A worker receives the sealed trial and the text of its task as bytes and returns JSON, so nothing of a session leaves the
gateway. Workers start with the first trial and grade one trial after another.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import orjson
from typing_extensions import TypedDict

from soundstage.gateway.log import log
from soundstage.gateway.reading.readers import Readers, ReadingBroken
from soundstage.grading.verdict import grade, ungraded
from soundstage.runs.results import ResultLine, line
from soundstage.runs.sealed import Sealed, evidence_of, from_bytes, to_bytes
from soundstage.runs.signing import Key, sign_trial, verdict_data
from soundstage.runs.task_files import task_from_text

LIMIT_S = 30.0
"""The most seconds that the grading of a trial may take. A trial that takes longer ends as `infra`."""
AT_ONCE = 2
_NICER = 5  # than the gateway: calls come first, but trials are graded under load, too
_STARTS_WITHIN_S = 60.0
_TRIES = 2  # of a trial whose worker ends
_LOOK_S = 0.05
_GRACE_S = 0.5
"""Seconds that a grading may still take after the gateway received SIGTERM."""


class GradingInterrupted(Exception):
    """The gateway ends before the trial was graded."""


class Graded(TypedDict):
    """A verdict and the line of the results, without its seal."""

    verdict: dict[str, Any]
    result: ResultLine


class CannotGrade(Exception):
    """The trial has no verdict; the message says why."""


def grade_sealed(sealed: bytes, task_text: bytes, name: str) -> bytes:
    """Grade a sealed trial by the task of this name; returns `Graded` as JSON. Runs in a worker."""
    trial, task = from_bytes(sealed), task_from_text(task_text, name)
    verdict = grade(task, evidence_of(trial, task))
    return orjson.dumps(Graded(verdict=verdict_data(verdict), result=line(trial, task, verdict)))


def _ready() -> None:
    """Do nothing. That a worker answers shows that it has loaded this module."""


class GraderPool:
    """The workers of a gateway. `is_ending` returns whether the gateway has received SIGTERM."""

    def __init__(self, is_ending: Callable[[], bool]) -> None:
        self._workers = Readers(at_once=AT_ONCE, waiting=sys.maxsize, nicer=_NICER)
        self._is_ending = is_ending
        self._preparing: asyncio.Task[None] | None = None

    def prepare(self) -> None:
        """Start the first worker, so that the first trial does not have to wait for it."""
        if self._preparing is None:
            self._preparing = asyncio.get_running_loop().create_task(self._start())

    async def finish(self, sealed: Sealed, task_text: str, key: Key) -> tuple[bytes, Mapping[str, Any], ResultLine]:
        """Grade a trial and seal its verdict; returns the trial as bytes, the verdict and the line of the results.

        Of a trial that cannot be graded within `LIMIT_S`, the verdict says so and passes no check; it ends as `infra`.

        Raises:
            GradingInterrupted: the gateway is about to end.
        """
        data = await asyncio.to_thread(to_bytes, sealed)
        text, name = task_text.encode(), sealed.header.task
        try:
            outcome = await self._unless_ending(data, text, name)
        except CannotGrade as error:
            log.error("a trial could not be graded", trial=sealed.header.trial, reason=str(error))
            data, outcome = await asyncio.to_thread(_without_grade, sealed, text, str(error))
        result = outcome["result"]
        head = result["head"].removeprefix("b2:")
        sig = sign_trial(key, sealed.header, head, outcome["verdict"], result["grader"])
        return data, outcome["verdict"], ResultLine(**{**result, "sig": sig})

    async def close(self) -> None:
        """End all workers."""
        if self._preparing is not None:
            self._preparing.cancel()
        await self._workers.close()

    async def _start(self) -> None:
        with suppress(ReadingBroken):  # the next trial starts another one
            async with self._workers.turn() as turn:
                await turn.answer(_ready)

    async def _unless_ending(self, data: bytes, text: bytes, name: str) -> Graded:
        clock = asyncio.get_running_loop().time
        grading = asyncio.ensure_future(self._grade(data, text, name))
        ends: float | None = None
        try:
            while not (await asyncio.wait({grading}, timeout=_LOOK_S))[0]:
                if self._is_ending():
                    ends = ends or clock() + _GRACE_S
                    if clock() >= ends:
                        raise GradingInterrupted("the gateway ends before the trial was graded")
            return await grading
        finally:
            grading.cancel()

    async def _grade(self, data: bytes, text: bytes, name: str) -> Graded:
        for _ in range(_TRIES):
            try:
                async with self._workers.turn() as turn:
                    async with asyncio.timeout(_STARTS_WITHIN_S):
                        await turn.answer(_ready)
                    try:
                        async with asyncio.timeout(LIMIT_S):
                            answer = await turn.answer(grade_sealed, data, text, name)
                    except TimeoutError:
                        raise CannotGrade(f"not graded: it takes longer than {LIMIT_S:g} seconds") from None
                    outcome: Graded = orjson.loads(answer)
                    return outcome
            except ReadingBroken:
                if self._is_ending():
                    raise GradingInterrupted("the gateway ends before the trial was graded") from None
            except TimeoutError:
                raise CannotGrade("not graded: the grader does not start") from None
            except CannotGrade:
                raise
            except Exception as error:
                log.exception("the grader failed", task=name)
                raise CannotGrade(f"not graded: the grader failed ({type(error).__name__})") from None
        raise CannotGrade("not graded: the grader's process ended twice")


def _without_grade(sealed: Sealed, task_text: bytes, why: str) -> tuple[bytes, Graded]:
    """Return a trial that cannot be graded, which now ends as `infra`, and a verdict that says so."""
    trial = replace(sealed, header=replace(sealed.header, ended="infra", error=why))
    task = task_from_text(task_text, trial.header.task)
    verdict = ungraded(task, why)
    outcome: Graded = orjson.loads(
        orjson.dumps(Graded(verdict=verdict_data(verdict), result=line(trial, task, verdict, with_figures=False)))
    )
    return to_bytes(trial), outcome
