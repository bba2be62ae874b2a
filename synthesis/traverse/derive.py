"""Derive data from recorded calls: verdicts, values, graph, volatile parts, coverage, traces and the split.

Everything is reproduced byte for byte from `server.json`, `plan.yaml`, `episodes.jsonl`, `repeats.jsonl` and `verdicts.jsonl`.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

from soundstage.synthesis.fidelity.masks import mask
from soundstage.synthesis.traverse.adversarial import adversarial_calls
from soundstage.synthesis.traverse.arguments import allows, drafts
from soundstage.synthesis.traverse.goals import SUCCESS, Goal
from soundstage.synthesis.traverse.judge import FailureTemplates, Outcome, Verdict, judge
from soundstage.synthesis.traverse.places import walk_scalars, without_indices
from soundstage.synthesis.traverse.plan import Planned
from soundstage.synthesis.traverse.recording import COVERAGE, REPEATS, SPLIT, VERDICTS, Call, RecordingError
from soundstage.synthesis.traverse.replies import content_of, shape_of, text_of
from soundstage.synthesis.traverse.text_masks import is_prose, text_masks
from soundstage.synthesis.traverse.values import Bank

TRACES, GRAPH, VALUES, VOLATILE = "traces.jsonl", "graph.json", "values.jsonl", "volatile.json"
_ROUND = ("train", "held-out", "dev", "train", "train")


@dataclass(frozen=True, slots=True)
class ToolCoverage:
    """Coverage of a tool.

    It counts goals reached of those that apply, lists the others with the reason, and counts replies by outcome and kind. The
    unseen share of behaviour is estimated by Good-Turing: kinds seen once, divided by all calls.
    """

    calls: int
    outcomes: Mapping[str, int]
    covered: int
    applicable: int
    missing: Mapping[str, str]
    kinds: int
    unseen: float
    refusals: tuple[str, ...]

    @property
    def succeeds(self) -> bool:
        """Whether any call of the tool succeeded."""
        return bool(self.outcomes.get("success") or self.outcomes.get("accepted"))


class Derived:
    """The derived data of a recording, computed on demand.

    With `first`, only that many calls are considered, judged by rules alone, without repeats and human decisions. Since a
    recording only grows, this part never changes.
    """

    def __init__(self, planned: Planned, *, first: int | None = None) -> None:
        self._planned = planned
        self._recording = planned.recording
        self._tools = planned.tools
        self._early = first is not None
        self.calls = self._recording.calls()[:first]

    @cached_property
    def failure_templates(self) -> FailureTemplates:
        """The forms in which the server reports errors, as observed in the recording."""
        known = [call for call in self.calls if call.tool in self._tools]
        return FailureTemplates.learned(
            self.calls, [c.id for c in known if not allows(self._tools[c.tool], c.arguments or {})]
        )

    @cached_property
    def verdicts(self) -> dict[str, Verdict]:
        """The outcome of each call; a human decision takes precedence over the rules.

        Raises:
            RecordingError: A decision is invalid.
        """
        forbidden = [
            c.id for c in self.calls if c.tool in self._tools and not allows(self._tools[c.tool], c.arguments or {})
        ]
        failure_templates = FailureTemplates.learned(self.calls, forbidden)
        result = {call.id: judge(call, self._tools.get(call.tool), failure_templates) for call in self.calls}
        for line in () if self._early else self._recording.lines(VERDICTS):
            if line.get("outcome") not in get_args(Outcome) or line.get("id") not in result:
                raise RecordingError(
                    f"{self._recording.folder / VERDICTS}: {line!r} is not a decision about a call of this recording"
                )
            result[line["id"]] = Verdict(line["outcome"], (f"decided by {line.get('by', 'somebody')}",))
        for call in self.calls:
            if call.id in self.flaky:
                result[call.id] = Verdict("unclear", ("another outcome when it was repeated",))
        return result

    @cached_property
    def _again(self) -> dict[str, dict[str, Any]]:
        return {} if self._early else {line["id"]: line for line in self._recording.lines(REPEATS)}

    @cached_property
    def flaky(self) -> frozenset[str]:
        """Calls that failed once and succeeded once from the same state."""
        result: set[str] = set()
        for call in self.calls:
            again = self._again.get(call.id)
            if again is not None and call.reply is not None and again["reply"] is not None:
                flags = [("error" in reply, bool(reply.get("isError"))) for reply in (call.reply, again["reply"])]
                if flags[0] != flags[1]:
                    result.add(call.id)
        return frozenset(result)

    @cached_property
    def volatile(self) -> dict[str, list[str]]:
        """Tool → masks of the differences between repeated calls; paths in JSON replies have no indices."""
        result: dict[str, set[str]] = defaultdict(set)
        for call in self.calls:
            if (again := self._again.get(call.id)) is not None and call.id not in self.flaky:
                other = dict(walk_scalars(again.get("arguments", call.arguments)))
                given = {(repr(value), repr(other.get(place))) for place, value in walk_scalars(call.arguments)}
                result[call.tool] |= set(_differences(call.reply, again["reply"], given))
        return {tool: sorted(masks) for tool, masks in sorted(result.items()) if masks}

    def graph(self) -> list[dict[str, Any]]:
        """The data flow between tools: producer and place, consumer and place.

        Each edge has the number of calls that used it and whether a changed value was rejected (`proof`).
        """
        by_step = {(call.episode, call.step): call for call in self.calls}
        used: Counter[tuple[str, str, str, str]] = Counter()
        refused: set[tuple[str, str]] = set()
        for call in self.calls:
            verdict = self.verdicts[call.id]
            for place, reference in call.refs.items():
                producer = by_step.get((call.episode, reference.step))
                if producer is None or call.tool not in self._tools:
                    continue
                if reference.change is not None:
                    if verdict.outcome == "refused":
                        refused.add((call.tool, without_indices(place)))
                elif verdict.done:
                    used[producer.tool, without_indices(reference.path), call.tool, without_indices(place)] += 1
        return [
            {"producer": producer, "gives": gives, "consumer": consumer, "takes": takes, "calls": count,
             "proof": (consumer, takes) in refused}
            for (producer, gives, consumer, takes), count in sorted(used.items())
        ]  # fmt: skip

    def values(self) -> Iterator[dict[str, Any]]:
        """Yield every value in a successful reply, once per place."""
        seen: set[tuple[str, str, str]] = set()
        for call in self.calls:
            if call.tool not in self._tools or not self.verdicts[call.id].done:
                continue
            for path, value in walk_scalars(content_of(call.reply)):
                place = (call.tool, without_indices(path), repr(value))
                if value is not None and place not in seen and len(str(value)) <= 200:
                    seen.add(place)
                    yield {"tool": call.tool, "place": without_indices(path), "value": value, "call": call.id}

    @cached_property
    def kinds(self) -> dict[str, tuple[str, ...]]:
        """The kind of reply of each call."""
        return {call.id: _kind(call, self.verdicts[call.id]) for call in self.calls}

    @cached_property
    def coverage(self) -> dict[str, ToolCoverage]:
        """Return the coverage of every tool, including those that may not be called."""
        return {name: self._covered(name) for name in self._tools}

    def _covered(self, name: str) -> ToolCoverage:
        refusal = self._planned.plan.refusal(self._tools[name])
        calls = [call for call in self.calls if call.tool == name]
        outcomes = Counter(self.verdicts[call.id].outcome for call in calls)
        reached = {c.intent.goal for c in calls if self.verdicts[c.id].outcome in ("success", "refused", "accepted")}
        reached |= set(self._goals_elsewhere(name))
        goals = self._goals(name, calls)
        missing = dict.fromkeys((g for g in goals if g not in reached), refusal or "not reached")
        for call in calls:
            if call.intent.goal in missing and self.verdicts[call.id].outcome in ("crashed", "unclear", "unexpected"):
                missing[call.intent.goal] = self.verdicts[call.id].rules[0]
        kinds = Counter(self.kinds[call.id] for call in calls)
        once = sum(1 for count in kinds.values() if count == 1)
        refusals = {text_of(c.reply)[:200] for c in calls if self.verdicts[c.id].outcome == "refused"}
        return ToolCoverage(
            len(calls), dict(sorted(outcomes.items())), len(goals) - len(missing), len(goals),
            {str(goal): why for goal, why in missing.items()},
            len(kinds), once / len(calls) if calls else 1.0, tuple(sorted(refusals)),
        )  # fmt: skip

    def _goals_elsewhere(self, name: str) -> Iterator[Goal]:
        """Yield the goals of calls to tool names that the server does not have."""
        for call in self.calls:
            if call.tool not in self._tools and call.tool in (f"{name}_x", name.upper()):
                yield call.intent.goal

    def _goals(self, name: str, calls: Sequence[Call]) -> list[Goal]:
        """Return the applicable goals of a tool: all that its schema allows and forbids, based on a successful call."""
        good = [c for c in calls if self.verdicts[c.id].outcome == "success" and c.intent.kind in ("setup", "nominal")]
        good = [
            c for c in good if c.intent.by != "model"
        ] or good  # the applicable goals must not depend on a model's proposals
        if not good:
            return [SUCCESS]
        base = max(good, key=lambda call: (len(call.refs), -int(call.intent.kind == "nominal"), call.id))
        bank = Bank()
        for call in self.calls:
            if call.episode == base.episode and call.step < base.step and self.verdicts[call.id].done:
                bank.add(call.step, call.tool, call.arguments, call.reply)
        tool, sentinels = self._tools[name], self._planned.plan.tools[name].sentinels
        wanted = [d.goal for d in drafts(tool, bank, sentinels) if d.goal.kind != "nominal"]
        wanted += [a.goal for a in adversarial_calls(tool, base.arguments or {}, base.refs, bank)]
        return list(dict.fromkeys(wanted)) or [SUCCESS]

    def split(self) -> dict[str, str]:
        """Episode → train, dev or held-out, in shares of 60, 20 and 20, separately for each tool's adverse calls and the rest.

        Episodes are not divided, so that a changed call stays with its base call. The order is that of a hash of the
        recording's server and the episode.
        """
        adverse: dict[str, Counter[str]] = {}
        for call in self.calls:
            counts = adverse.setdefault(call.episode, Counter())
            if call.intent.of is not None and call.tool in self._tools:
                counts[call.tool] += 1
        about: dict[str | None, list[str]] = defaultdict(list)
        for episode, tools in adverse.items():
            mostly = tools.most_common(1)
            about[mostly[0][0] if mostly and mostly[0][1] > 2 else None].append(episode)
        result: dict[str, str] = {}
        for episodes in about.values():
            episodes.sort(key=lambda one: hashlib.blake2b(f"{self._planned.plan.server} {one}".encode()).digest())
            result |= {episode: _ROUND[i % len(_ROUND)] for i, episode in enumerate(episodes)}
        return dict(sorted(result.items()))

    def traces(self) -> Iterator[dict[str, Any]]:
        """Yield the calls as traces: the format of recorded calls, with the preceding calls by episode and step."""
        info = self._planned.server["serverInfo"]
        where = " ".join(str(info[n]) for n in ("name", "version") if n in info)
        before: dict[str, list[dict[str, Any]]] = defaultdict(list)
        probes = {(c.episode, c.step): c for c in self.calls if c.intent.kind == "probe"}
        for call in self.calls:
            verdict = self.verdicts[call.id]
            if verdict.outcome not in ("success", "refused", "accepted") or call.reply is None:
                continue
            yield {
                "id": call.id,
                "app": self._planned.plan.app,
                "tool": call.tool,
                "given": {},
                "clock": call.at,
                "server_generation": self._planned.plan.server,
                "arguments": call.arguments,
                "expect": expected_of(call.reply, done=verdict.done, volatile=self.volatile.get(call.tool, [])),
                "episode": call.episode,
                "step": call.step,
                "before": list(before[call.episode]),
                "refs": {p: {"step": r.step, "path": r.path} for p, r in call.refs.items() if r.change is None},
                "failure_class": call.intent.kind if call.intent.is_adversarial else None,
                "probes": _probes(call, probes, self.volatile),
                "provenance": {"kind": "recorded", "where": where},
            }
            if self._changes(call):
                before[call.episode].append({"tool": call.tool, "arguments": call.arguments})

    def _changes(self, call: Call) -> bool:
        """Whether a call may have changed the state."""
        planned = self._planned.plan.tools.get(call.tool)
        return planned is not None and planned.class_ != "read" and self.verdicts[call.id].done

    def rebuild(self) -> None:
        """Write all derived files."""
        recording = self._recording
        recording.write_lines(VALUES, self.values())
        recording.write_json(GRAPH, self.graph())
        recording.write_json(VOLATILE, self.volatile)
        recording.write_lines(TRACES, self.traces())
        recording.write_json(SPLIT, self.split())
        recording.write_json(COVERAGE, {
            name: {"calls": c.calls, "outcomes": c.outcomes, "covered": c.covered, "applicable": c.applicable,
                   "missing": c.missing, "kinds": c.kinds, "unseen": round(c.unseen, 4)}
            for name, c in self.coverage.items()
        })  # fmt: skip


def expected_of(reply: Mapping[str, Any], *, done: bool, volatile: Sequence[str]) -> dict[str, Any]:
    """Convert a reply to the expectation of a trace."""
    if "error" in reply:
        error = reply["error"]
        return {"ok": False, "is_error": None, "channel": "jsonrpc_error", "jsonrpc_code": error["code"],
                "response": error["message"], "volatile": list(volatile)}  # fmt: skip
    blocks = reply.get("content", [])
    content: Any = (
        content_of({"content": blocks}) if all(b.get("type") == "text" for b in blocks) else {"content": blocks}
    )
    expected = {"ok": done, "is_error": bool(reply.get("isError")), "channel": "result", "response": content,
                "volatile": list(volatile)}  # fmt: skip
    return expected | ({"structured_content": reply["structuredContent"]} if "structuredContent" in reply else {})


def _probes(
    call: Call, probes: Mapping[tuple[str, int], Call], volatile: Mapping[str, list[str]]
) -> list[dict[str, Any]]:
    """Return the probes that were made right after a call to observe its effect."""
    result: list[dict[str, Any]] = []
    step = call.step + 1
    while call.intent.kind != "probe" and (probe := probes.get((call.episode, step))) is not None:
        told_then = {"tool": probe.tool, "arguments": probe.arguments, "response": content_of(probe.reply)}
        result.append(told_then | ({"volatile": volatile[probe.tool]} if probe.tool in volatile else {}))
        step += 1
    return result


def _differences(
    first: Mapping[str, Any] | None, second: Mapping[str, Any] | None, given: Collection[tuple[str, str]]
) -> Iterator[str]:
    """Yield masks for the differences between two replies to the same call.

    Values that only repeat an argument from another reply are not masked (`given`: its value in the first and in the second
    run).
    """
    one, other = content_of(first), content_of(second)
    if isinstance(one, str) or isinstance(other, str):
        if isinstance(one, str) and isinstance(other, str):
            yield from text_masks(one, other)
        return
    places, there = dict(walk_scalars(one)), dict(walk_scalars(other))
    for path, value in places.items():
        if path in there and there[path] != value and (repr(value), repr(there[path])) not in given:
            if isinstance(value, str) and isinstance(there[path], str) and is_prose(value):
                yield from text_masks(value, there[path])
                continue
            place_of_all = without_indices(path)
            if mask(one, [place_of_all]) != one:
                yield place_of_all


def _kind(call: Call, verdict: Verdict) -> tuple[str, ...]:
    """Return the kind of a reply: outcome, channel and shape."""
    channel = "error" if call.reply is not None and "error" in call.reply else "result"
    return verdict.outcome, channel, shape_of(call.reply)
