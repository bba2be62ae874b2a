"""Check that every value required by a check can be learned from the instruction, a tool's schema, or replies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any

import orjson

from soundstage.grading.checks import matchers_of
from soundstage.grading.lint.arguments import drawn_up, is_time, leaves, pool_of
from soundstage.grading.lint.oracle_run import OracleRun
from soundstage.grading.lint.proofs import lengths, literals, times_demanded
from soundstage.grading.lint.static import says_number
from soundstage.grading.matchers import Reading
from soundstage.grading.task import all_checks
from soundstage.grading.texts.dates import clock_times, days_of
from soundstage.grading.texts.normalize import normalize, says
from soundstage.runs.dry_run import DryRun, Stage
from soundstage.runs.lint.world_index import WorldIndex
from soundstage.servers.catalogue import load_app


def invisible(oracle_run: OracleRun, dry_run: DryRun, world_index: WorldIndex) -> Iterator[tuple[str, str]]:
    """Yield required values that an agent cannot learn, each with a name for accepting it and the finding."""
    task = oracle_run.task
    with dry_run.stage() as stage:
        sight = _Sight(oracle_run, stage, world_index)
        for check in all_checks(task):
            for matcher in matchers_of(check):
                for phrases in literals(matcher):
                    if not any(sight.shows(p) for p in phrases):
                        choices = " or ".join(map(repr, phrases))
                        yield (
                            f"{check.id} {phrases[0]}",
                            f"checks.{check.id}: nothing that an agent can see says {choices}",
                        )
                for moment in times_demanded(matcher):
                    if not sight.shows_moment(moment, lengths(task)):
                        yield (
                            f"{check.id} {moment}",
                            f"checks.{check.id}: nothing that an agent can see leads to {moment}",
                        )


class _Sight:
    """The information available to an agent: instructions, tool descriptions, and replies to the oracle and other reads."""

    def __init__(self, oracle_run: OracleRun, stage: Stage, world_index: WorldIndex) -> None:
        self._scene, self._stage, self._world_index = oracle_run, stage, world_index
        task = oracle_run.task
        own = [v for m in oracle_run.made for v in _all_leaves(m.reply)]
        swept = [v for c in oracle_run.reads for v in _all_leaves(stage.make_on_copy(c.app, c.tool, c.with_).reply)]
        tools = [tool.listed() for app in task.apps for tool in load_app(app).tools.values()]
        self._values = [*own, *swept]
        instructions = [task.instruction, *task.variants.values()]
        self._text = normalize(" \n ".join([*instructions, *map(str, self._values), orjson.dumps(tools).decode()]))
        # An incidental clock time proves nothing: only the oracle's own reads count for times.
        self._read = normalize(" \n ".join([*instructions, *(v for v in own if isinstance(v, str) and not is_time(v))]))
        self._reading = Reading(oracle_run.evidence.zone, oracle_run.evidence.now, oracle_run.evidence.ids)

    def shows(self, phrase: str) -> bool:
        """Whether a phrase or a number is visible anywhere, or in a row that a tool shows."""
        wanted = normalize(phrase)
        if says(self._text, phrase) or says_number(self._text, wanted):
            return True
        return any(self._shown(row, phrase) for row in self._rows_with(phrase))

    def _rows_with(self, phrase: str) -> list[tuple[str, str, dict[str, Any]]]:
        """Return the rows that contain a phrase, one of each entity."""
        wanted = normalize(phrase)
        result = {
            (app, entity): row
            for app, entity, row, text in self._world_index.written
            if wanted in text and says(text, phrase)
        }
        return [(*where, row) for where, row in result.items()]

    def _shown(self, located: tuple[str, str, dict[str, Any]], phrase: str) -> bool:
        """Whether a read tool returns the phrase for this row, its parents or its entity."""
        app, entity, row = located
        keys = {f"{entity}_id": row.get("id") or row.get(f"{entity}_id")}
        base = self._world_index.pool(self._scene.made)
        own = pool_of(row, keys)
        pool = {**base, **{name: [*values, *base.get(name, [])] for name, values in own.items()}}
        for tool in load_app(app).tools.values():
            if tool.effect != "read":
                continue
            try:
                arguments = drawn_up(tool.input_schema, pool, lambda values: values[0])
            except LookupError:
                continue
            if says(normalize(orjson.dumps(arguments).decode()), phrase):
                continue
            if says(
                normalize(" ".join(map(str, _all_leaves(self._stage.make_on_copy(app, tool.name, arguments).reply)))),
                phrase,
            ):
                return True
        return False

    def shows_moment(self, written: str, by: set[int]) -> bool:
        """Return whether a time, or one that differs from it by one of these durations, is visible.

        It may appear in a cell, as a day, or as a clock time.
        """
        moment = self._reading.moment(written)
        if moment is None:
            return False
        zone = self._reading.zone
        for seconds in {s for length in by for s in (length, -length)}:
            at = datetime.fromtimestamp(moment, zone) + timedelta(seconds=seconds)
            if len(written) == 10:
                if at.date() in self._days:
                    return True
            elif round(at.timestamp()) in self._moments or at.time() in self._clock_times:
                return True
        return False

    @cached_property
    def _clock_times(self) -> set[time]:
        return clock_times(self._read)

    @cached_property
    def _days(self) -> set[date]:
        zone = self._reading.zone
        today = datetime.fromtimestamp(self._reading.now, zone).date()
        return days_of(self._text, today) | {datetime.fromtimestamp(m, zone).date() for m in self._moments}

    @cached_property
    def _moments(self) -> set[int]:
        return {m for v in self._values if is_time(v) and (m := self._reading.moment(v)) is not None}


def _all_leaves(reply: Any) -> Sequence[Any]:
    return [leaf for _, leaf in leaves(reply)]
