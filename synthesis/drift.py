"""Detect whether a real server still matches its recording: its tool list and its replies.

Schema changes are evaluated with the recorded calls: a schema is *narrower* if it forbids arguments that once succeeded, and
*wider* if it allows arguments that it forbade. Replies are checked with episodes that together cover every kind of reply; a
difference counts if it occurs three times.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from soundstage.synthesis.fidelity.compare import Comparison
from soundstage.synthesis.fidelity.live import PlannedTarget, episodes_again
from soundstage.synthesis.fidelity.report import parse_traces
from soundstage.synthesis.fidelity.traces import Line
from soundstage.synthesis.targets.live import LiveTarget
from soundstage.synthesis.traverse.arguments import allows
from soundstage.synthesis.traverse.derive import Derived
from soundstage.synthesis.traverse.plan import Planned
from soundstage.synthesis.traverse.recording import Recording, RecordingError
from soundstage.synthesis.traverse.replies import covering
from soundstage.synthesis.traverse.scrub import Scrubber

Kind = Literal[
    "added",
    "removed",
    "renamed",
    "narrower",
    "wider",
    "input",
    "output",
    "annotations",
    "description",
    "server",
    "behaviour",
]
"""The kind of change; `added`, `removed`, `renamed`, `narrower`, `wider`, `input` and `output` concern the schema."""

SCHEMA: frozenset[Kind] = frozenset(("added", "removed", "renamed", "narrower", "wider", "input", "output"))
ACCEPTED, HISTORY = "drift-accepted.jsonl", "drift.jsonl"
_TIMES = 3
_ALIKE = 0.75


@dataclass(frozen=True, slots=True)
class Drift:
    """One change: its kind, the tool, a description, and recorded calls that show it."""

    kind: Kind
    tool: str
    what: str
    calls: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Return a key that identifies this change across runs."""
        return f"{self.kind} {self.tool} {self.what}"


def schema_drift(planned: Planned, derived: Derived, now: Mapping[str, Any]) -> list[Drift]:
    """Compare the recorded tools with those that the server lists `now` (a `server.json`)."""
    before, after = planned.tools, {tool["name"]: tool for tool in now["tools"]}
    result: list[Drift] = []
    gone, new = [n for n in before if n not in after], [n for n in after if n not in before]
    for name in list(gone):
        other = max(new, key=lambda n: _alike(before[name], after[n]), default=None)
        if other is not None and _alike(before[name], after[other]) >= _ALIKE:
            result.append(Drift("renamed", name, f"is called {other} now"))
            gone.remove(name)
            new.remove(other)
    result += [Drift("removed", name, "is not listed any more") for name in gone]
    result += [Drift("added", name, "is new") for name in new]
    for name in before:
        if name in after:
            result += _changed(name, before[name], after[name], derived)
    if planned.server["serverInfo"] != now["serverInfo"]:
        versions = (
            f"{i.get('name', '')} {i.get('version', '')}".strip()
            for i in (planned.server["serverInfo"], now["serverInfo"])
        )
        result.append(Drift("server", "", " → ".join(versions)))
    return result


def _changed(name: str, before: Mapping[str, Any], after: Mapping[str, Any], derived: Derived) -> list[Drift]:
    result: list[Drift] = []
    if before.get("inputSchema") != after.get("inputSchema"):
        calls = [c for c in derived.calls if c.tool == name and c.arguments is not None]
        taken = [c for c in calls if derived.verdicts[c.id].done and allows(before, c.arguments)]
        narrower = [c.id for c in taken if not allows(after, c.arguments)]
        wider = [c.id for c in calls if not allows(before, c.arguments) and allows(after, c.arguments)]
        if narrower:
            result.append(Drift("narrower", name, "forbids arguments that succeeded", tuple(narrower)))
        if wider:
            result.append(Drift("wider", name, "allows arguments that it forbade", tuple(wider)))
        if not narrower and not wider:
            result.append(Drift("input", name, "has another input schema, with the same recorded calls allowed"))
    for kind, member in (("output", "outputSchema"), ("annotations", "annotations"), ("description", "description")):
        if before.get(member) != after.get(member):
            how = "is new" if member not in before else "is gone" if member not in after else "is another one"
            result.append(Drift(kind, name, f"{member} {how}"))  # type: ignore[arg-type]
    return result


def _alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    first, second = (json.dumps([t.get("inputSchema"), t.get("description")], sort_keys=True) for t in (one, other))
    return difflib.SequenceMatcher(None, first, second, autojunk=False).ratio()


async def behaviour_drift(
    planned: Planned,
    derived: Derived,
    target: LiveTarget,
    now: Collection[str],
    *,
    reads_only: bool,
    say: Callable[[str], None],
) -> list[Drift]:
    """Return the replies that differ from the recording three times out of three; `now` are the server's present tools.

    Raises:
        Unreachable: The server does not start.
    """
    traces = [trace for trace in derived.traces() if trace["tool"] in now]
    if reads_only:  # replies that depend on an earlier write cannot be judged without it
        reads = {name for name, tool in planned.plan.tools.items() if tool.class_ == "read"}
        traces = [trace for trace in traces if trace["tool"] in reads and not trace["before"]]
    lines = parse_traces(planned.recording.folder / "traces.jsonl", traces)
    chosen = _least(lines, derived)
    say(f"{len(chosen)} calls of {len({line.trace.episode for line in chosen})} episodes are made again")
    differing: dict[str, str] | None = None
    scrubber = Scrubber(target.declaration.secrets, planned.plan.server)
    again = PlannedTarget(planned, target, scrubber, derived.failure_templates)
    for _ in range(_TIMES):
        if differing == {}:
            break
        compared, _problems = await episodes_again(chosen, again)
        different = {
            one.line.trace.id: "; ".join(_words(one.comparison)) for one in compared if not one.comparison.agrees
        }
        differing = different if differing is None else {i: words for i, words in differing.items() if i in different}
        episodes = {line.trace.episode for line in chosen if line.trace.id in differing}
        chosen = [line for line in chosen if line.trace.episode in episodes]
    grouped: dict[tuple[str, str], list[str]] = {}
    tools = {line.trace.id: line.trace.tool for line in lines}
    for call, words in (differing or {}).items():
        grouped.setdefault((tools[call], words), []).append(call)
    return [Drift("behaviour", tool, words, tuple(calls)) for (tool, words), calls in sorted(grouped.items())]


def _words(comparison: Comparison) -> tuple[str, ...]:
    """Return the descriptions of the differences."""
    right = comparison.outcome.startswith("true")
    return comparison.findings if right else (comparison.outcome, *comparison.findings)


def _least(lines: Sequence[Line], derived: Derived) -> list[Line]:
    """Return whole episodes that together cover every kind of reply in the recording, shortest first."""
    episodes: dict[str, list[Line]] = {}
    for line in lines:
        episodes.setdefault(line.trace.episode or line.trace.id, []).append(line)
    wanted = sorted(episodes.values(), key=lambda calls: (len(calls), calls[0].trace.id))
    chosen = covering(wanted, lambda line: (line.trace.tool, *derived.kinds[line.trace.id]))
    return [line for calls in chosen for line in calls]


def unaccepted(recording: Recording, changes: Sequence[Drift]) -> list[Drift]:
    """Return the changes that were not accepted by a person."""
    accepted = {line.get("key") for line in recording.lines(ACCEPTED)}
    return [one for one in changes if one.key not in accepted]


def accept(recording: Recording, changes: Sequence[Drift], by: str, at: str) -> None:
    """Accept the changes as the new baseline."""
    if not by:
        raise RecordingError("--by NAME is required to accept changes")
    for one in changes:
        recording.append(ACCEPTED, {"key": one.key, "by": by, "at": at})
