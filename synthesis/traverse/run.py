"""Run the stages that explore a server's behaviour and record every call.

Each stage consists of episodes. A call is recorded before it is sent, and a recorded goal is never repeated: a run that was
stopped resumes with the remaining goals.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from soundstage.models.asking import Model, ModelError, NoUsableAnswer
from soundstage.models.spend import BudgetSpent
from soundstage.synthesis.targets.live import SCRATCH, LiveConnection, LiveTarget
from soundstage.synthesis.targets.target import Start
from soundstage.synthesis.traverse.adversarial import AdversarialCall, adversarial_calls
from soundstage.synthesis.traverse.arguments import Draft, drafts
from soundstage.synthesis.traverse.goals import EXISTING, ONCE, OTHER, PRECONDITION, PROBE, READS, SETUP, TWICE, Goal
from soundstage.synthesis.traverse.judge import FailureTemplates, Verdict, judge
from soundstage.synthesis.traverse.places import at_path, map_texts, put_at, walk_scalars, without_indices
from soundstage.synthesis.traverse.plan import Planned
from soundstage.synthesis.traverse.recording import EPISODES, REPEATS, Call, Intent, Reference
from soundstage.synthesis.traverse.replies import content_of, covering, shape_of
from soundstage.synthesis.traverse.scrub import SCRATCH as SHOWN_SCRATCH
from soundstage.synthesis.traverse.scrub import Scrubber
from soundstage.synthesis.traverse.sources import Source, fill, sources_of
from soundstage.synthesis.traverse.values import Bank, Value, at_reference, creates

if TYPE_CHECKING:
    from soundstage.synthesis.traverse.proposals import Novelty, Proposal

Say = Callable[[str], None]

_A_CHUNK = 40
"""Maximum number of adverse calls per episode; after more calls the state has drifted too far from where it began."""
_SHARES = ((8, 1), (40, 3))
_MOST_SHARES = 4
"""Maximum number of episodes that a tool's adverse calls are divided into.

`_SHARES` lists (goal limit, episodes) pairs for tools with fewer goals. Each episode has a different state, so that a rule
derived from some episodes can be tested on others that share nothing with them.
"""
_TRIES = 3
_MOST_UNEXPECTED = 5
PAUSES_S = (0.5, 1.0, 2.0)
"""Pauses before the retries of a call whose reply concerned a temporary condition of the server, such as a rate limit."""
_MOST_CRASHES = 3
_MADE, _OTHERWISE = "made", "otherwise"
_APART_S = 2.0
"""Minimum delay before an episode is repeated, so that values that depend on the time differ."""
_SHOWN = re.compile(rf"(?<![\w.-]){re.escape(SHOWN_SCRATCH)}(?![\w.-])")  # does not match a longer folder name
_OTHER_ZONE = "Pacific/Auckland"


class LimitReached(Exception):
    """The run has used up its calls or its time."""


class ServerUnstable(Exception):
    """The server has failed too often in a row to continue; recorded calls are preserved."""


class _ServerEnded(Exception):
    """The server process of this episode has ended."""


class ReadOnlyViolation(Exception):
    """A tool that declares itself read-only has changed the state."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Maximum number of recorded calls and the deadline on the `time.monotonic` clock.

    Calls of the repeat stage do not count towards the maximum.
    """

    calls: int
    until: float


@dataclass(slots=True)
class Progress:
    """Progress of a run.

    Attributes:
        model_failed: The reason if the model stage ended early.
        goals: The goals for which a call was recorded, with their tools.
        attempts: The attempts to obtain a successful call of a tool that are over.
    """

    sent: int = 0
    unexpected: int = 0
    crashes: int = 0
    model_failed: str | None = None
    goals: set[tuple[str, Goal]] = field(default_factory=set)
    attempts: set[tuple[str, int]] = field(default_factory=set)


class Run:
    """One run that adds calls to a recording.

    `say` receives progress messages, one line at a time. If `model` is given, it proposes further calls. `seed` selects the
    invented argument values.
    """

    def __init__(
        self,
        planned: Planned,
        target: LiveTarget,
        scrubber: Scrubber,
        limits: Limits,
        say: Say,
        model: Model | None = None,
        *,
        seed: int = 0,
    ) -> None:
        self._seed = seed
        self._planned = planned
        self._plan = planned.plan
        self._recording = planned.recording
        self._tools = planned.allowed
        self._target = target
        self._scrubber = scrubber
        self._limits = limits
        self._say = say
        self._model = model
        self._next_call = 0.0
        self.progress = Progress()
        self._calls = self._recording.calls()
        self._unseen = FailureTemplates({})
        made_by = {call.id: call.tool for call in self._calls}
        for call in self._calls:
            known = call.tool in self._planned.tools or call.intent.of is None
            served = call.tool if known else made_by.get(str(call.intent.of), call.tool)
            self.progress.goals.add((served, call.intent.goal))

    async def all(self) -> None:
        """Run every stage.

        Raises:
            LimitReached, ServerUnstable, ReadOnlyViolation: The run ends early; all recorded calls are preserved.
            Unreachable: The server does not start.
        """
        await self._first_looks()
        await self._nominal()
        await self._vary()
        if self._model is not None and await self._proposed(self._model):
            await self._vary()
        await self._repeat()

    async def _vary(self) -> None:
        """Run the stages that vary calls which are known to succeed."""
        await self._readers()
        await self._variants()
        await self._sequences()
        await self._adversarial()

    # -- stages -----------------------------------------------------------------------------------------------------

    async def _first_looks(self) -> None:
        """Call every tool once on the empty initial state.

        Tools without required arguments reveal the initial state; the others reveal their error messages when nothing exists
        yet.
        """
        wanted = [name for name in self._in_order() if not self._done(name, PRECONDITION)]
        if not wanted:
            return
        async with self._episode() as episode:
            await episode.probe()
            for name in wanted:
                draft = next(drafts(self._tools[name], episode.bank, self._sentinels(name)))
                kind = "nominal" if not draft.arguments else "precondition"
                await episode.make(name, draft.arguments, Intent(kind, PRECONDITION), draft.refs)
        self._say(f"first looks: {len(wanted)} tools called on the empty state")

    async def _nominal(self) -> None:
        """Obtain one successful call of every tool.

        Tools that create things run first, so that later tools find something to work on. Tools that fail are tried again after
        the others have succeeded.
        """
        for attempt in range(_TRIES):
            wanted = [
                n for n in self._in_order() if not self._successes(n) and (n, attempt) not in self.progress.attempts
            ]
            if not wanted:
                continue
            async with self._episode() as episode:
                await episode.populate()
                for name in wanted:
                    await self._try_nominal(episode, name, attempt)
        missing = [name for name in self._tools if not self._successes(name)]
        self._say(f"nominal: {len(self._tools) - len(missing)} of {len(self._tools)} tools succeed")

    async def _try_nominal(self, episode: Episode, name: str, attempt: int) -> None:
        seeds = self._seeds(name)
        proposed = [*seeds, *(d for d in drafts(self._tools[name], episode.bank, self._sentinels(name)))]
        for draft in [d for d in proposed if d.goal.kind in ("seed", "nominal")][: _TRIES + len(seeds)]:
            intent = Intent("nominal", draft.goal.again(attempt))
            call = await episode.make(name, draft.arguments, intent, draft.refs)
            if episode.verdict(call).done and draft.goal != EXISTING:
                break
        self.progress.attempts.add((name, attempt))

    def _seeds(self, name: str) -> list[Draft]:
        """Return the calls of a tool that a person wrote down as seeds."""
        own = [seed["arguments"] for seed in self._recording.seeds() if seed["tool"] == name]
        return [Draft(Goal.seed(i), arguments) for i, arguments in enumerate(own)]

    async def _readers(self) -> None:
        """Check that tools which declare themselves read-only leave the state unchanged.

        Raises:
            ReadOnlyViolation: The state that other tools report differs after a call.
        """
        readers = [
            n for n in self._in_order() if not self._writes(n) and self._successes(n) and not self._done(n, READS)
        ]
        if not readers:
            return
        async with self._episode() as episode:
            await episode.populate()
            before = await episode.probe()
            still = await episode.probe() == before  # a state that changes without calls proves nothing
            for name in readers if still else ():
                draft = self._proven_draft(episode, name)
                await episode.make(name, draft.arguments, Intent("setup", READS), draft.refs)
                if await episode.probe() != before:
                    raise ReadOnlyViolation(
                        f"{name} says that it only reads, but the server reports another state after it"
                    )
        self._say(f"readers: {len(readers)} read-only tools leave the state unchanged")

    async def _variants(self) -> None:
        """Run every seed call in a fresh episode, then the variants that the schema allows.

        The variants are each optional member, each enum choice and lists of two items.
        """
        for name in self._in_order():
            for draft in self._seeds(name):
                if self._done(name, draft.goal) or not self._left(name):
                    continue
                async with self._episode() as episode:
                    await episode.populate()
                    call = await episode.make(name, draft.arguments, Intent("nominal", draft.goal), draft.refs)
                    if self._writes(name) and episode.verdict(call).done:
                        await episode.probe()
        for name in self._in_order():
            more = bool(self._successes(name))
            while more:
                more = False
                async with self._episode() as episode:
                    await episode.populate()
                    for draft in drafts(self._tools[name], episode.bank, self._sentinels(name)):
                        wanted = draft.goal != OTHER and not self._done(name, draft.goal)
                        if wanted and self._left(name):
                            more = True  # reset below unless the episode ends early
                            call = await episode.make(name, draft.arguments, Intent("nominal", draft.goal), draft.refs)
                            if self._writes(name) and episode.verdict(call).done:
                                await episode.probe()
                    more = False
        self._say(f"variants: {self.progress.sent} calls sent")

    async def _adversarial(self) -> None:
        """Change one argument at a time, starting from arguments that succeed in the same state."""
        for name in self._in_order():
            share, shares = 0, 1
            while self._successes(name) and share < shares:
                shares, more = await self._adversarial_share(name, share)
                share += not more
        self._say(f"adversarial: {self.progress.sent} calls sent")

    async def _adversarial_share(self, name: str, share: int) -> tuple[int, bool]:
        """Run one episode with the changed calls of this share of the goals.

        Returns:
            The number of shares of the tool's goals, and whether this share has goals left.
        """
        shares, left = 1, False
        async with self._episode(share) as episode:
            await episode.populate()
            taken = await self._base_call(episode, name)
            changes = list(self._adversarial_calls(episode, name, taken))
            shares = next((few for goals, few in _SHARES if len(changes) < goals), _MOST_SHARES)
            due = (one for one in changes if share in (_share_of(one.goal, shares), shares - 1))
            wanted = [one for one in due if not self._done(name, one.goal)][: self._left(name)]
            left = bool(wanted)
            for one in wanted[:_A_CHUNK]:
                intent = Intent(one.kind, one.goal, one.target, taken.id)
                call = await episode.make(one.tool or name, one.arguments, intent, one.refs, goal_of=name)
                if episode.verdict(call).outcome == "accepted" and self._writes(name):
                    await episode.probe()
            left = len(wanted) > _A_CHUNK
        return shares, left

    async def _base_call(self, episode: Episode, name: str) -> Call:
        """Return a call that succeeds in this state, as the base of the changed calls.

        A destructive call is not sent, because it would remove what the changed calls refer to.
        """
        draft, made = self._proven_draft(episode, name), episode.populated.get(name)
        if made is not None and draft.refs.keys() <= made.refs.keys() and episode.verdict(made).done:
            return made
        if not self._adds(name) and self._plan.tools[name].class_ == "destructive":
            return replace(self._successes(name)[0], arguments=draft.arguments, refs=draft.refs)
        return await episode.make(name, draft.arguments, Intent("setup", SETUP), draft.refs)

    def _adversarial_calls(self, episode: Episode, name: str, taken: Call) -> Iterator[AdversarialCall]:
        tool, sentinels = self._tools[name], self._sentinels(name)
        for one in adversarial_calls(tool, taken.arguments or {}, taken.refs, episode.bank):
            if one.tool is None or name not in self._planned.tools:
                # Calls that reach people use only the values that a person approved, whatever else is wrong with them.
                if all(keeps_value(taken.arguments, one.arguments, parameter) for parameter in sentinels):
                    yield one
            elif one.tool not in self._planned.tools:
                yield one

    async def _sequences(self) -> None:
        """Record the effect of a second identical call, and of calls that refer to deleted things."""
        for name in self._in_order():
            planned = self._plan.tools[name]
            if planned.class_ == "read" or not self._successes(name) or self._done(name, TWICE):
                continue
            async with self._episode() as episode:
                await episode.populate()
                draft = self._proven_draft(episode, name)
                first = await episode.make(name, draft.arguments, Intent("sequence", ONCE), draft.refs)
                if not episode.verdict(first).done:
                    continue
                await episode.probe()
                again = "semantic.deleted_id" if planned.class_ == "destructive" else "semantic.duplicate"
                await episode.make(name, draft.arguments, Intent(again, TWICE, None, first.id), draft.refs)
                await episode.probe()
                if planned.class_ != "destructive":
                    continue
                for other in self._in_order():
                    if other == name or not self._successes(other) or self._done(other, Goal.after(name)):
                        continue
                    used = self._using(episode, other, draft)
                    if used is not None:
                        intent = Intent("semantic.deleted_id", Goal.after(name), None, first.id)
                        await episode.make(other, used.arguments, intent, used.refs)
        self._say(f"sequences: {self.progress.sent} calls sent")

    async def _proposed(self, model: Model) -> bool:
        """Make the calls that a model proposes, if they are new and the plan allows them.

        Returns True if a tool succeeded for the first time. A failed request, or proposals without any usable call, end only
        this stage; `progress.model_failed` then holds the reason.
        """
        from soundstage.synthesis.traverse.proposals import Novelty, Proposer  # needs the extra `fidelity`

        asker, novelty = Proposer(self._planned, model, self._scrubber), Novelty.against(self._calls, self._plan)
        fates: Counter[str] = Counter()
        thought_of, useless, useful = 0, "", False
        failing = [name for name in self._in_order() if not self._successes(name)]
        for name in self._in_order():
            if not self._left(name):
                continue
            try:
                answer = await asyncio.to_thread(asker.ask, name)
            except NoUsableAnswer as none:
                self._say(f"model: {name} is left out: {none}")
                useless = str(none)
                continue
            except BudgetSpent as spent:
                self._say(f"model: {spent}; its answers are stored")
                break
            except ModelError as error:
                self.progress.model_failed = str(error)
                break
            useful = True
            thought_of += len(answer.calls) + answer.unread
            fates["not as asked for"] += answer.unread
            await self._make_proposed(name, list(answer.calls), novelty, fates)
        if useless and not useful:
            self.progress.model_failed = useless
        made, otherwise = fates.pop(_MADE, 0), fates.pop(_OTHERWISE, 0)
        left = ", ".join(f"{count} {fate}" for fate, count in sorted(fates.items()) if count)
        self._say(
            f"model: {made} of the {thought_of} calls that it thought of are made, {otherwise} of them with another outcome than "
            f"it expected{f'; the others: {left}' if left else ''}"
        )
        return any(self._successes(name) for name in failing)

    async def _make_proposed(self, name: str, proposals: list[Proposal], novelty: Novelty, fates: Counter[str]) -> None:
        """Make the calls that are new and allowed; one episode is used until a destructive call succeeds."""
        waiting: list[Proposal] = []
        for proposal in proposals:
            if self._done(name, proposal.intent.goal):
                fates["made before"] += 1
            elif novelty.is_repeat(name, proposal):
                fates["not new"] += 1
            else:
                novelty.add(name, proposal.arguments, proposal.sources)
                waiting.append(proposal)
        while waiting and self._left(name):
            async with self._episode() as episode:
                await episode.populate()
                while waiting and self._left(name):
                    proposal = waiting.pop(0)
                    arguments = {**self._sentinels(name), **proposal.arguments}
                    draft = episode.resolved(proposal.intent.goal, arguments, proposal.sources)
                    if draft is None:
                        fates["with values that no reply contains"] += 1
                        continue
                    if (why := self._plan.forbids(self._tools[name], draft.arguments)) is not None:
                        fates["not allowed"] += 1
                        self._say(f"model: a call of {name} is not made: {why}")
                        continue
                    fates[_MADE] += 1
                    call = await episode.make(name, draft.arguments, proposal.intent, draft.refs)
                    done = episode.verdict(call).done
                    fates[_OTHERWISE] += done != (proposal.expectation == "success")
                    if done and self._writes(name):
                        await episode.probe()
                        if self._plan.tools[name].class_ == "destructive":
                            break
        fates["over the budget"] += len(waiting)

    async def _repeat(self) -> None:
        """Repeat recorded episodes later, in another folder and time zone; any difference is non-deterministic output."""
        if not self._plan.resets:
            self._say("repeat: left out, as the server cannot be reset")
            return
        again = {line["id"] for line in self._recording.lines(REPEATS)}
        episodes: dict[str, list[Call]] = {}
        for call in self._calls:
            episodes.setdefault(call.episode, []).append(call)
        for calls in self._least(episodes, again):
            passed_s = max(0.0, time.time() - _timestamp(calls[-1].at))  # the system clock may have been set back
            await asyncio.sleep(max(0.0, _APART_S - passed_s))
            async with self._target.fresh(Start(zone=_OTHER_ZONE)) as connection:
                contents: dict[int, Any] = {}
                for call in calls:
                    await self._wait_turn(counts=False)
                    arguments = _with_refs(call, contents, self._calls)
                    sent = with_scratch(arguments, str(connection.scratch))
                    answer = await connection.call(call.tool, sent)
                    self.progress.sent += 1
                    contents[call.step] = content_of(answer.reply)
                    reply = self._scrubber.value(answer.reply, connection.scratch)
                    line = {"id": call.id, "transport": answer.transport, "reply": reply}
                    if arguments != call.arguments:
                        line["arguments"] = self._scrubber.value(arguments, connection.scratch)
                    self._recording.append(REPEATS, line)
                    if not connection.is_open:
                        break
        self._say(f"repeat: {self.progress.sent} calls sent in all")

    def _least(self, episodes: Mapping[str, list[Call]], again: set[str]) -> Iterator[Sequence[Call]]:
        """Yield episodes that together cover every kind of reply, shortest first, without those already repeated."""
        seen = {_kind(call) for calls in episodes.values() if any(call.id in again for call in calls) for call in calls}
        whole = [calls for calls in episodes.values() if all(call.transport == "answered" for call in calls)]
        return covering(sorted(whole, key=lambda calls: (len(calls), calls[0].id)), _kind, seen)

    # -- shared by the stages ------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _episode(self, vary: int = 0) -> AsyncIterator[Episode]:
        """Start the server for a new episode; the block ends early if the server ends. Another `vary` yields another state."""
        numbers = {call.episode for call in self._calls}
        async with self._target.fresh() as connection:
            with suppress(_ServerEnded):
                yield Episode(self, connection, f"e{len(numbers) + 1:04}", vary + self._seed)

    def _in_order(self) -> list[str]:
        """Return the callable tools ordered by effect: adding, then reading, then deleting tools."""
        order = {"write": 0, "open_world": 0, "read": 1, "destructive": 2}

        def place(name: str) -> tuple[int, int, str]:
            return (0 if self._adds(name) else order[self._plan.tools[name].class_]), self._needs(name), name

        names = sorted(self._tools, key=place)
        return [name for name in names if self._plan.tools[name].budget > 0]

    def _adds(self, name: str) -> bool:
        """Whether a tool creates something: it is declared non-destructive, or its name says that it replaces what it removes."""
        class_ = self._plan.tools[name].class_
        return class_ in ("write", "open_world") or (class_ == "destructive" and creates(name))

    def _needs(self, name: str) -> int:
        """Count the hints in a description that a tool needs existing things; it is called after those that create them."""
        description = str(self._tools[name].get("description", "")).lower()
        return int("existing" in description) + int("update" in description)

    def _sentinels(self, name: str) -> Mapping[str, Any]:
        return self._plan.tools[name].sentinels

    def _writes(self, name: str) -> bool:
        return self._plan.tools[name].class_ != "read"

    def _done(self, name: str, goal: Goal) -> bool:
        return (name, goal) in self.progress.goals

    def _successes(self, name: str) -> list[Call]:
        tool = self._tools[name]
        return [
            call
            for call in self._calls
            if call.tool == name and call.intent.kind == "nominal" and judge(call, tool, self._unseen).done
        ]

    def _proven_draft(self, episode: Episode, name: str) -> Draft:
        """Return arguments for this episode's state, of a kind with which the tool has succeeded before."""
        successes = self._successes(name)
        good = {call.intent.goal.again(0) for call in successes if call.intent.by != "model"}
        if not good and successes:
            drafted = (self._drafted_again(episode, call) for call in successes)
            adapted = next((draft for draft in drafted if draft is not None), None)
            return adapted or Draft(Goal.seed(0), successes[0].arguments or {})
        seed = next((call for call in successes if call.intent.goal.kind == "seed"), None)
        if seed is not None and (all(goal.kind == "seed" for goal in good) or not episode.bank.known):
            return Draft(Goal.seed(0), seed.arguments or {})  # without known values only the seed is likely to succeed
        proposed = list(drafts(self._tools[name], episode.bank, self._sentinels(name), episode.vary))
        return next((d for d in proposed if d.goal in good), proposed[0])

    def _drafted_again(self, episode: Episode, call: Call) -> Draft | None:
        """Adapt a recorded call's arguments to another episode; None if its replies do not contain the values needed."""
        by_step = {(other.episode, other.step): other.tool for other in self._calls if other.episode == call.episode}
        return episode.resolved(call.intent.goal, call.arguments or {}, sources_of(call, by_step))

    def _using(self, episode: Episode, name: str, gone: Draft) -> Draft | None:
        """Return arguments of another tool that name the deleted thing; None if no parameter fits."""
        draft = self._proven_draft(episode, name)
        values = [value for _, value in walk_scalars(gone.arguments) if isinstance(value, str)]
        for place in draft.refs:
            if values and isinstance(at_path(draft.arguments, place), str):
                left = {other: reference for other, reference in draft.refs.items() if other != place}
                return replace(draft, arguments=put_at(draft.arguments, place, values[0]), refs=left)
        return None

    def _left(self, name: str) -> int:
        """Return how many calls the tool's budget still allows."""
        spent = sum(1 for call in self._calls if call.tool == name and call.intent.kind not in ("setup", "probe"))
        return max(0, self._plan.tools[name].budget - spent)

    async def _wait_turn(self, *, counts: bool = True) -> None:
        """Wait until the next call may be sent; if `counts` is true, the call uses up the run's call limit.

        Raises:
            LimitReached: The limit of calls or the deadline is reached.
        """
        if (counts and self.progress.sent >= self._limits.calls) or time.monotonic() >= self._limits.until:
            raise LimitReached
        await asyncio.sleep(max(0.0, self._next_call - time.monotonic()))
        self._next_call = time.monotonic() + self._plan.pause_s


class Episode:
    """The calls from one start of the server."""

    def __init__(self, run: Run, connection: LiveConnection, name: str, vary: int = 0) -> None:
        self._run = run
        self._connection = connection
        self.name = name
        self.vary = vary
        self.bank = Bank()
        self.populated: dict[str, Call] = {}
        self._step = 0
        self._tool_of_step: dict[int, str] = {}

    async def make(
        self,
        tool: str,
        arguments: dict[str, Any] | None,
        intent: Intent,
        refs: Mapping[str, Reference],
        *,
        goal_of: str | None = None,
    ) -> Call:
        """Record and send one call; `goal_of` is the tool whose goal the call serves.

        The call is written to the recording before it is sent. It is retried after a pause if the reply concerns a temporary
        condition of the server; each attempt is recorded.

        Raises:
            LimitReached, ServerUnstable
        """
        call = await self._make(tool, arguments, intent, refs, goal_of)
        for pause_s in PAUSES_S:
            if self.verdict(call).outcome != "unexpected":
                break
            await asyncio.sleep(pause_s)
            call = await self._make(tool, arguments, intent, refs, goal_of)
        return call

    async def _make(
        self,
        tool: str,
        arguments: dict[str, Any] | None,
        intent: Intent,
        refs: Mapping[str, Reference],
        goal_of: str | None,
    ) -> Call:
        run = self._run
        if not self._connection.is_open:
            raise _ServerEnded
        await run._wait_turn()
        self._step += 1
        self._tool_of_step[self._step] = tool
        scrub, scratch = run._scrubber, self._connection.scratch
        call = Call(
            id=f"{run._plan.app}-{self.name}-{self._step:02}",
            episode=self.name,
            step=self._step,
            tool=tool,
            arguments=scrub.value(arguments, scratch),
            intent=intent,
            transport="pending",
            server=run._plan.server,
            refs=dict(refs),
            at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        )
        run._recording.append(EPISODES, call.line())
        run.progress.goals.add((goal_of or tool, intent.goal))
        run.progress.sent += 1
        result = await self._connection.call(tool, with_scratch(arguments, str(scratch)))
        reply = scrub.value(result.reply, scratch)
        call = replace(call, transport=result.transport, reply=reply, ms=result.ms)
        run._recording.append(EPISODES, {"id": call.id, "transport": call.transport, "reply": reply, "ms": call.ms})
        run._calls.append(call)
        verdict = self.verdict(call)
        if verdict.done:
            self.bank.add(self._step, tool, scrub.value(arguments, scratch), result.reply)
        self._watch(verdict)
        return call

    async def populate(self) -> None:
        """Fill the server's state by making the known successful call of each writing tool."""
        run = self._run
        for name in run._in_order():
            if not run._adds(name) or not run._successes(name):
                continue
            draft = run._proven_draft(self, name)
            self.populated[name] = await self.make(name, draft.arguments, Intent("setup", SETUP), draft.refs)
        await self.probe()

    async def probe(self) -> list[Any]:
        """Call every read tool without required arguments and return the replies: the observable state."""
        run = self._run
        result: list[Any] = []
        for name in run._in_order():
            if run._plan.tools[name].class_ == "read" and not run._tools[name].get("inputSchema", {}).get("required"):
                result.append(content_of((await self.make(name, {}, Intent("probe", PROBE), {})).reply))
        return result

    def resolved(self, goal: Goal, arguments: dict[str, Any], sources: Mapping[str, Source]) -> Draft | None:
        """Fill the places of `sources` from this episode's replies, latest first; return None if a value is missing."""
        chosen: dict[str, tuple[Value, Reference]] = {}
        for place, source in sources.items():
            matching = (
                (known.value, known.reference)
                for known in reversed(self.bank.known)
                if known.reference is not None
                and self._tool_of_step[known.reference.step] == source.tool
                and source.path in (known.reference.path, without_indices(known.reference.path))
            )
            if (one := next(matching, None)) is None:
                return None
            chosen[place] = one
        made = fill(arguments, {place: value for place, (value, _) in chosen.items()})
        refs = {place: reference for place, (_, reference) in chosen.items()}
        return None if made is None else Draft(goal, made, refs)

    def verdict(self, call: Call) -> Verdict:
        """Judge a call by the recording so far."""
        return judge(call, self._run._planned.tools.get(call.tool), self._run._unseen)

    def _watch(self, verdict: Verdict) -> None:
        progress = self._run.progress
        progress.unexpected = progress.unexpected + 1 if verdict.outcome == "unexpected" else 0
        progress.crashes += verdict.outcome == "crashed"
        if progress.unexpected >= _MOST_UNEXPECTED:
            raise ServerUnstable(f"{_MOST_UNEXPECTED} replies in a row concerned the server itself, not the calls")
        if progress.crashes >= _MOST_CRASHES:
            raise ServerUnstable(f"the server crashed {_MOST_CRASHES} times")


def _share_of(goal: Goal, shares: int) -> int:
    return int.from_bytes(hashlib.blake2b(str(goal).encode(), digest_size=4).digest(), "big") % shares


def keeps_value(before: Any, after: Any, parameter: str) -> bool:
    """Whether a parameter has the same value in both, or is absent from `after`."""
    if not isinstance(after, dict) or parameter not in after:
        return True
    return bool(isinstance(before, dict) and after[parameter] == before.get(parameter))


def with_scratch(arguments: Any, scratch: str) -> Any:
    """Replace the placeholder of the scratch folder in the arguments with this episode's folder."""

    def in_place(text: str) -> str:
        return _SHOWN.sub(lambda _: scratch, text.replace(SCRATCH, scratch)) if text.startswith(("/", "{")) else text

    return map_texts(arguments, in_place)


def _with_refs(call: Call, contents: Mapping[int, Any], calls: list[Call]) -> dict[str, Any] | None:
    """Replace argument values taken from the first run's replies with those of this run's replies."""
    arguments = call.arguments
    first = {c.step: content_of(c.reply) for c in calls if c.episode == call.episode}
    for place, reference in call.refs.items():
        if reference.change is not None:
            continue
        try:
            then, now = (at_reference(replies[reference.step], reference.path) for replies in (first, contents))
        except (LookupError, TypeError):
            continue
        if then != now and at_path(arguments, place) == then:
            arguments = put_at(arguments, place, now)
    return arguments


def _kind(call: Call) -> tuple[str, str]:
    return call.tool, shape_of(call.reply)


def _timestamp(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
