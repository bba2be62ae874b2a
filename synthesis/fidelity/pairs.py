"""Compare a simulated app with the real server on new calls that are not in any recording.

Half of the episodes are generated on the real server and replayed on the simulator, the other half vice versa: calls that only
the simulator accepts appear only in the second half. In both cases the real server's reply is the reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from soundstage.synthesis.fidelity.call_generator import CallGenerator
from soundstage.synthesis.fidelity.compare import compare
from soundstage.synthesis.fidelity.episodes import ComparedCall, EpisodeFigures, episode_figures, episodes_on, reply_of
from soundstage.synthesis.fidelity.live import PlannedTarget
from soundstage.synthesis.fidelity.masks import MASK, mask
from soundstage.synthesis.fidelity.report import parse_traces
from soundstage.synthesis.fidelity.traces import Expected
from soundstage.synthesis.targets.sim import SimTarget
from soundstage.synthesis.targets.target import CallResult, Target
from soundstage.synthesis.traverse.derive import Derived, expected_of
from soundstage.synthesis.traverse.replies import content_of
from soundstage.synthesis.traverse.scrub import SCRATCH
from soundstage.synthesis.traverse.values import Bank

Direction = Literal["real to sim", "sim to real"]
DIRECTIONS: tuple[Direction, Direction] = ("real to sim", "sim to real")
"""The side on which calls were generated, and the side on which they were replayed."""

NO_TOOL = "(no such tool)"
"""The label for calls of unknown tool names."""

_IN_AN_EPISODE = 12
_DRAWN = Path("drawn")


@dataclass(frozen=True, slots=True)
class Pairs:
    """The comparisons of these tools; the recorded side of each is the real server's."""

    compared: dict[Direction, list[ComparedCall]]
    tool_names: tuple[str, ...]

    @property
    def all(self) -> list[ComparedCall]:
        """The comparisons of both directions."""
        return [one for direction in DIRECTIONS for one in self.compared[direction]]

    def as_json(self) -> dict[str, Any]:
        """Return the scores by direction, in total and by tool."""
        tools: dict[str, list[ComparedCall]] = {}
        for one in self.all:
            tools.setdefault(one.line.trace.tool if one.line.trace.tool in self.tool_names else NO_TOOL, []).append(one)
        return {
            "directions": {direction: matrix_of(self.compared[direction]) for direction in DIRECTIONS},
            "overall": matrix_of(self.all),
            "tools": {name: matrix_of(tools[name]) for name in sorted(tools)},
        }


def matrix_of(compared: Sequence[ComparedCall]) -> dict[str, Any]:
    """Return the confusion matrix, with the real server's success as the positive class, and the rates."""
    outcomes = [one.comparison.outcome for one in compared]
    figures: EpisodeFigures = episode_figures(compared)
    return {
        "true_positives": outcomes.count("true positive"),
        "true_negatives": outcomes.count("true negative"),
        "false_positives": outcomes.count("false positive"),
        "false_negatives": outcomes.count("false negative"),
        "figures": figures,
    }


async def run_pairs(
    sim: SimTarget, real: PlannedTarget, *, new: int, seed: int, say: Callable[[str], None] = lambda _: None
) -> Pairs:
    """Make `new` calls that the recording does not contain on both sides, half of them generated on each.

    Raises:
        Unreachable: The real server does not start.
        NotPossible: The state does not fit the app.
        ValueError: No new call of the tools is possible.
    """
    derived = Derived(real.planned)
    async with sim.fresh() as connection:
        ours = {tool["name"] for tool in (await connection.describe()).tools}
    tools = [name for name in real.planned.allowed if name in ours]
    drawing = CallGenerator.of(real.planned, tools, derived.calls, seed)
    compared: dict[Direction, list[ComparedCall]] = {direction: [] for direction in DIRECTIONS}
    for number in range(new * 2):
        born_on = DIRECTIONS[number % 2]
        due = min(_IN_AN_EPISODE, (new + (born_on == DIRECTIONS[0])) // 2 - len(compared[born_on]))
        if due > 0:
            there, elsewhere = (real, sim) if born_on == DIRECTIONS[0] else (sim, real)
            name = f"{born_on.replace(' ', '-')}-{number // 2 + 1:03}"
            born = await _EpisodeGenerator(there, sim.app, name, derived.volatile, drawing).made(due)
            again = await episodes_on(elsewhere, parse_traces(_DRAWN, [trace for trace, _ in born]))
            results = {trace["id"]: one for trace, one in born}
            compared[born_on] += (
                again if there is real else [_swapped(one, results[one.line.trace.id]) for one in again]
            )
        if not any(len(compared[d]) < (new + (d == DIRECTIONS[0])) // 2 for d in DIRECTIONS):
            break
    say(f"{sum(map(len, compared.values()))} calls of {len(tools)} tools were made on both")
    return Pairs(compared, tuple(tools))


@dataclass(frozen=True, slots=True)
class _EpisodeGenerator:
    """An episode that is generated while it runs: values from replies go into later calls."""

    target: Target
    app: str
    name: str
    volatile: dict[str, list[str]]
    drawing: CallGenerator

    async def made(self, calls: int) -> list[tuple[dict[str, Any], CallResult]]:
        """Make up to `calls` calls and return them as traces with their replies; fewer if the server ends."""
        bank = Bank()
        result: list[tuple[dict[str, Any], CallResult]] = []
        async with self.target.fresh() as connection:
            while len(result) < calls and connection.is_open:
                drawn, step = self.drawing.next(bank, first=not result), len(result) + 1
                call_result = await connection.call(drawn.tool, drawn.arguments)
                if call_result.ok:
                    bank.add(step, drawn.tool, drawn.arguments, call_result.reply)
                    masks = self.volatile.get(drawn.tool, [])
                    bank.known = [known for known in bank.known if _means_the_same(known.value, masks)]
                probes = []
                probe = self.drawing.probe(drawn.tool, drawn.arguments) if drawn.tool in self.drawing.tools else None
                if probe is not None and connection.is_open:
                    tool, arguments = probe
                    seen = await connection.call(tool, arguments)
                    state = {"tool": tool, "arguments": arguments, "response": content_of(seen.reply)}
                    probes = [state | {"volatile": self.volatile.get(tool, [])}]
                refs = {place: {"step": r.step, "path": r.path} for place, r in drawn.refs.items() if r.change is None}
                result.append(({
                    "id": f"{self.app}-{self.name}-{step:02}", "app": self.app, "tool": drawn.tool, "given": {},
                    "arguments": drawn.arguments, "expect": _expected(call_result, self.volatile.get(drawn.tool, [])),
                    "episode": self.name, "step": step, "refs": refs, "probes": probes, "failure_class": drawn.fault,
                }, call_result))  # fmt: skip
        return result


def _means_the_same(value: Any, masks: Sequence[str]) -> bool:
    """Whether a value from a reply means the same on both sides.

    A text that contains a time does not, nor does one with the scratch folder's path, which differs between the sides.
    """
    speaks = isinstance(value, str) and value.startswith(SCRATCH) and bool(re.search(r"\s", value))
    return mask(value, masks) in (value, MASK) and not speaks


def _expected(result: CallResult, volatile: Sequence[str]) -> dict[str, Any]:
    if result.reply is None:
        return {"ok": False, "response": None}
    return expected_of(result.reply, done=bool(result.ok), volatile=volatile)


def _swapped(one: ComparedCall, ours: CallResult) -> ComparedCall:
    """Swap the sides of a call generated on the simulator, so that the real server's reply is the reference."""
    expect = Expected.model_validate(_expected(one.result, one.line.trace.expect.volatile))
    comparison = compare(one.line.trace.app, expect, reply_of(ours))
    ids = tuple(finding for finding in one.comparison.findings if finding.startswith("ids: "))
    return replace(
        one, comparison=replace(comparison, exact=comparison.exact and not ids, findings=(*comparison.findings, *ids))
    )
