"""Replay episodes freely: each from a new start, each call on the state that the replayed calls produced.

Arguments that came from replies use the values of this run's replies, and ids are compared by the recorded ids that they
correspond to. The target may be a simulated app's session or a real server.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

from soundstage.synthesis.fidelity.canonical import canonical
from soundstage.synthesis.fidelity.compare import Comparison, compare, reply_value
from soundstage.synthesis.fidelity.ids import Ids, is_id
from soundstage.synthesis.fidelity.masks import mask, mask_like
from soundstage.synthesis.fidelity.replay import Reply
from soundstage.synthesis.fidelity.shares import Share, share_of, share_that
from soundstage.synthesis.fidelity.traces import Line, Probe, Trace
from soundstage.synthesis.targets.target import CallResult, Connection, Start, Target
from soundstage.synthesis.traverse.places import at_path, put_at
from soundstage.synthesis.traverse.replies import content_of, text_of
from soundstage.synthesis.traverse.values import at_reference, keys_of

_GONE = CallResult("closed", None, 0)


@dataclass(frozen=True, slots=True)
class ComparedCall:
    """A replayed call.

    `result` is this run's result with the recorded ids; `probes`: whether each read recorded right after the call
    returned the same again.
    """

    line: Line
    comparison: Comparison
    result: CallResult
    probes: tuple[bool, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether neither the reply nor the reads after it differ."""
        return self.comparison.agrees and all(self.probes)


class EpisodeFigures(TypedDict):
    """Scores of replayed episodes.

    `false_positives` is relative to the recorded errors, `false_negatives` to the recorded successes. `key_paths` is the mean
    over JSON replies; `to_the_end` the share of episodes without any difference.
    """

    calls: int
    episodes: int
    outcome: Share
    false_positives: Share
    false_negatives: Share
    exact: Share
    key_paths: Share
    probes: Share
    to_the_end: Share


async def episodes_on(target: Target, lines: Sequence[Line]) -> list[ComparedCall]:
    """Replay recorded calls on a target and compare; a line without an episode is a separate episode.

    If the target ends during an episode, the remaining calls have no reply and do not agree.

    Raises:
        Unreachable: The target does not start.
        NotPossible: The target does not support a state or a call.
    """
    result: list[ComparedCall] = []
    for calls in by_episode(lines).values():
        first = calls[0].trace
        async with target.fresh(start_of(first)) as connection:
            result += await _EpisodeReplay(connection).all(calls)
    return result


def by_episode(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """Group lines by episode, sorted by step; episodes keep their order."""
    result: dict[str, list[Line]] = {}
    for line in lines:
        result.setdefault(f"{line.trace.app} {line.trace.episode or line.trace.id}", []).append(line)
    return {name: sorted(calls, key=lambda line: line.trace.step or 0) for name, calls in result.items()}


def start_of(trace: Trace) -> Start:
    """Return the start of an episode that begins with this call."""
    generation = (
        None if trace.episode is not None else trace.server_generation
    )  # a recording's generation is an id that no app has
    return Start(given=trace.given, clock=trace.clock, generation=generation)


def episode_figures(compared: Sequence[ComparedCall]) -> EpisodeFigures:
    """Compute the scores of replayed calls."""
    comparisons = [one.comparison for one in compared]
    done = [c for c in comparisons if c.outcome in ("true positive", "false negative")]
    refused = [c for c in comparisons if c.outcome in ("true negative", "false positive")]
    paths = [c.key_paths for c in comparisons if c.key_paths is not None]
    episodes: dict[str, bool] = {}
    for name, lines in by_episode(one.line for one in compared).items():
        inside = {id(line) for line in lines}
        episodes[name] = all(one.agrees for one in compared if id(one.line) in inside)
    return EpisodeFigures(
        calls=len(compared),
        episodes=len(episodes),
        outcome=share_that([c.outcome.startswith("true") for c in comparisons]),
        false_positives=share_that([c.outcome == "false positive" for c in refused]),
        false_negatives=share_that([c.outcome == "false negative" for c in done]),
        exact=share_that([c.exact for c in comparisons]),
        key_paths=share_of(sum(paths), len(paths)),
        probes=share_that([same for one in compared for same in one.probes]),
        to_the_end=share_that(list(episodes.values())),
    )


def episodes_of(compared: Sequence[ComparedCall]) -> dict[str, dict[str, Any]]:
    """Return the scores as JSON data, by app and by tool."""
    apps: dict[str, dict[str, list[ComparedCall]]] = {}
    for one in compared:
        apps.setdefault(one.line.trace.app, {}).setdefault(one.line.trace.tool, []).append(one)
    return {
        "apps": {
            app: episode_figures([one for calls in tools.values() for one in calls])
            for app, tools in sorted(apps.items())
        },
        "tools": {
            app: {tool: episode_figures(calls) for tool, calls in sorted(tools.items())}
            for app, tools in sorted(apps.items())
        },
    }


@dataclass(slots=True)
class _EpisodeReplay:
    """The state of one episode during its replay.

    It holds the reply content by step, the ids, the number of state-changing calls made, and the recorded calls among which
    further ones belong.
    """

    connection: Connection
    contents: dict[int, Any] = field(default_factory=dict)
    ids: Ids = field(default_factory=Ids)
    stood_on: int = 0
    beside: list[tuple[str, Any]] = field(default_factory=list)

    async def all(self, calls: Sequence[Line]) -> list[ComparedCall]:
        made: dict[int, tuple[Comparison, CallResult]] = {}
        probed: dict[int, list[bool | int]] = {}
        at_step = {line.trace.step: number for number, line in enumerate(calls) if line.trace.step is not None}
        for number, line in enumerate(calls):
            trace = line.trace
            await self._stand_on(trace)
            made[number] = await self._compared(trace)
            probed[number] = []
            for further, probe in enumerate(trace.probes, start=1):
                later = at_step.get((trace.step or 0) + further)
                if later is not None and _is(calls[later].trace, probe):
                    probed[number].append(later)  # it follows as a separate call
                else:
                    probed[number].append(await self._probed(probe))
        return [
            ComparedCall(
                line,
                *made[number],
                tuple(one if isinstance(one, bool) else made[one][0].exact for one in probed[number]),
            )
            for number, line in enumerate(calls)
        ]

    async def _stand_on(self, trace: Trace) -> None:
        """Make the recorded state-changing calls before a trace that were not made in this replay."""
        for before in trace.before[self.stood_on :]:
            if (call := (before.tool, before.arguments)) in self.beside:
                del self.beside[: self.beside.index(call) + 1]
            else:
                await self._call(before.tool, self.ids.as_ours(before.arguments))
        self.stood_on = max(self.stood_on, len(trace.before))

    async def _compared(self, trace: Trace) -> tuple[Comparison, CallResult]:
        result = await self._call(trace.tool, self._arguments(trace))
        self.contents[trace.step or 0] = content_of(result.reply)
        self.beside.append((trace.tool, trace.arguments))
        expect = trace.expect
        wrong = self.ids.meet(expect.response, reply_value(expect.response, reply_of(result)), expect.volatile)
        again = replace(result, reply=self.ids.as_recorded(result.reply))
        comparison = compare(trace.app, expect, reply_of(again))
        return replace(comparison, exact=comparison.exact and not wrong, findings=(*comparison.findings, *wrong)), again

    async def _probed(self, probe: Probe) -> bool:
        result = await self._call(probe.tool, self.ids.as_ours(probe.arguments))
        ours = content_of(result.reply)
        if self.ids.meet(probe.response, ours, probe.volatile):
            return False
        again = mask_like(self.ids.as_recorded(ours), probe.volatile, probe.response)
        return canonical(mask(probe.response, probe.volatile)) == canonical(again)

    def _arguments(self, trace: Trace) -> Any:
        """Return a trace's arguments with values from this run's replies and with our ids."""
        arguments: Any = trace.arguments
        named: dict[str, Any] = {}
        for place, origin in trace.refs.items():
            try:
                now, then = at_reference(self.contents[origin.step], origin.path), at_path(arguments, place)
            except (LookupError, TypeError):
                continue
            if type(now) is type(then):
                named[place] = now
                # A sent value, such as a time used as a title, returns in replies and must be mapped back.
                if now != then and (isinstance(then, str) or is_id((keys_of(place) or [""])[-1], then)):
                    self.ids.bind(then, now)
        arguments = self.ids.as_ours(arguments)
        for place, now in named.items():
            arguments = put_at(arguments, place, now)
        return arguments

    async def _call(self, tool: str, arguments: Any) -> CallResult:
        return await self.connection.call(tool, arguments) if self.connection.is_open else _GONE


def reply_of(result: CallResult) -> Reply:
    """Convert a target's reply to the form of a simulated app's reply."""
    reply, done = result.reply, bool(result.ok)
    if reply is None:
        return Reply("result", False, "internal", "")
    if "error" in reply:
        return Reply("jsonrpc_error", False, result.error_kind, text_of(reply), code=reply["error"]["code"])
    blocks, flag = tuple(reply.get("content", ())), bool(reply.get("isError"))
    structured = reply.get("structuredContent")
    return Reply("result", done, result.error_kind, text_of(reply), flag, blocks=blocks, structured=structured)


def _is(trace: Trace, probe: Probe) -> bool:
    return trace.tool == probe.tool and (trace.arguments or {}) == (probe.arguments or {})
