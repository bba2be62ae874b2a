"""Synthesize an app from a recording: derived files, then candidate kernels that are repaired and measured.

Candidates are repaired from their mismatches and measured on held-out calls. Tools are processed in dependency order: creating
tools, writing tools whose names do not reveal how, then reading, updating and deleting tools.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from soundstage.app_roots import NAME, Root, digest
from soundstage.models.asking import estimated_tokens
from soundstage.servers.catalogue import app_names
from soundstage.synthesis.generate.ablation import LevelResult, level_result, store_level
from soundstage.synthesis.generate.accept import Thresholds, enough_episodes, thin, unmet_criteria, unproven_effect
from soundstage.synthesis.generate.bench import (
    Files,
    JudgedCase,
    Score,
    judge_cases,
    judge_episodes,
    mismatches,
    same_state,
    score,
)
from soundstage.synthesis.generate.cases import Case, cases_of, entities_of, episodes_of
from soundstage.synthesis.generate.generators import Generator, NoAnswer
from soundstage.synthesis.generate.invariants import remembered, violations
from soundstage.synthesis.generate.lock import Lock, LockError, origin_now, read_lock, write, write_lock
from soundstage.synthesis.generate.merge import keep_base, offer
from soundstage.synthesis.generate.package import (
    chosen_family,
    dialect_json,
    dialect_path,
    effect_of,
    envelope_of,
    facts_of,
    tables_json,
    tables_path,
    tools_json,
)
from soundstage.synthesis.generate.prompt import RULES, Prompt, Repair, kernel_path, kernel_prompt, rules_prompt
from soundstage.synthesis.generate.prompt_level import ALL, PromptLevel, includes
from soundstage.synthesis.generate.sandbox import Run, Sandbox
from soundstage.synthesis.generate.server_texts import constant_texts, server_texts
from soundstage.synthesis.generate.static_check import check, part_of
from soundstage.synthesis.traverse.derive import Derived
from soundstage.synthesis.traverse.places import walk_scalars
from soundstage.synthesis.traverse.plan import Planned

Say = Callable[[str], None]
ONCE = "asked once"
UNKNOWN = "(names that the server does not have)"
_ORDER = {"create": 0, "other": 1, "read": 2, "update": 3, "delete": 4}
_STALE = 2


class SynthesisError(RuntimeError):
    """The recording cannot become an app; the message contains the reason."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a synthesis run.

    Attributes:
        tools: Tools to generate; all if empty.
        changed: Skip tools whose schema, facts and calls are unchanged.
        private: Use the server's own descriptions.
        rounds: Maximum number of rounds per tool.
        knowing: How much of the recording the prompt contains.
        best_of: Candidates requested per round.
    """

    tools: tuple[str, ...] = ()
    changed: bool = False
    private: bool = False
    rounds: int = 4
    knowing: PromptLevel = ALL
    limits: Thresholds = field(default_factory=Thresholds)
    best_of: int = 1


@dataclass(slots=True)
class Attempt:
    """One measured candidate for a tool; without scores if the static checks failed."""

    round: int
    files: Files
    findings: list[str] = field(default_factory=list)
    train: Score | None = None
    dev: Score | None = None
    wrong: list[str] = field(default_factory=list)
    """The worst mismatches on calls that the generator may see."""

    @property
    def order(self) -> tuple[float, ...]:
        """Sort key, higher is better: fewer findings first, then the scores on calls that the prompt did not contain."""
        return (-float(len(self.findings)), *(self.dev.order if self.dev is not None else ()))


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request that a run would make for a part of an app; `tokens` estimates the first prompt, None if nothing is requested."""

    part: str
    what: str
    tokens: int | None = None


class Synthesis:
    """One synthesis run from a recording into an app root."""

    def __init__(
        self, planned: Planned, root: Path, generator: Generator, sandbox: Sandbox, options: Options, say: Say
    ) -> None:
        self.app = planned.plan.app
        if not NAME.fullmatch(self.app):
            raise SynthesisError(
                f"{self.app!r} is not a valid app name: use lower-case letters, digits and _, beginning with a letter"
            )
        if self.app in app_names() and self.app not in Root(root).apps():
            raise SynthesisError(f"there is an app {self.app} already; give the pool's plan another `app`")
        if (shared := _sharing_a_file(planned.tools)) is not None:
            raise SynthesisError(
                f"the tools {' and '.join(shared)} would have one file; leave one of them out of the recording"
            )
        self._planned, self._root, self._generator, self._sandbox = planned, root, generator, sandbox
        self._options, self._say = options, say
        derived = Derived(planned)
        entities = entities_of(planned, derived)
        family = chosen_family(planned, derived)
        envelope = envelope_of(planned, derived, family)
        self.facts = facts_of(planned, derived, entities, family, envelope)
        self._cases = cases_of(planned, derived, entities)
        self._episodes = episodes_of(planned, derived, self._cases, entities)
        done = {call_id for call_id, verdict in derived.verdicts.items() if verdict.done}
        self._always = constant_texts(derived.calls, done)
        self._own_words = server_texts(derived.calls, [case.run.state for case in self._cases])
        self._package: dict[str, bytes] = {
            tables_path(self.app): tables_json(self.app, entities),
            dialect_path(self.app): dialect_json(family, envelope),
        }
        self._kernels: dict[str, Files] = {}
        self._reused: set[str] = set()
        self._before = self._lock_before()
        self._lock = Lock(
            self.app,
            dict(planned.server["serverInfo"]),
            planned.plan.server,
            generator.provenance,
            private=options.private,
        )

    def _lock_before(self) -> Lock | None:
        try:
            return read_lock(self._root, self.app)
        except LockError:
            return None

    def run(self) -> Lock:
        """Generate the app's files and its lock, which records the accepted files.

        Raises:
            SandboxFailed, LockError
        """
        attempts = self._attempts()
        answers = self._held_out()
        self._measure(attempts, answers)
        self._write()
        by_generator = not self._reused and all(attempt.round for attempt in attempts.values())
        if by_generator and not self._options.tools:
            self._note_level(answers)
        return self._lock

    def measure_level(self) -> LevelResult:
        """Measure candidates of the prompt level `knowing` on the held-out calls without changing the app.

        Results of lower levels serve only for comparison; no candidate is chosen by them.

        Raises:
            SandboxFailed
        """
        self._before = None
        self._attempts()
        return self._note_level(self._held_out())

    def _attempts(self) -> dict[str, Attempt]:
        """Return the best candidate for each requested tool."""
        self._keep_edits()
        self._check_states()
        self._share_rules()
        attempts: dict[str, Attempt] = {}
        for tool in self._in_order():
            if (files := self._as_before(tool)) is not None:
                self._kernels[tool] = files
                self._reused |= files.keys()
                continue
            if self._options.tools and tool not in self._options.tools:
                continue
            attempt = self._tool(tool)
            if attempt is not None:
                attempts[tool] = attempt
                if attempt.dev is not None:
                    self._kernels[tool] = attempt.files
        return attempts

    def planned_requests(self) -> list[PlannedRequest]:
        """Return the requests that a run would make, with the estimated size of each first prompt; nothing is sent or written."""
        result = [
            PlannedRequest(
                RULES, ONCE, estimated_tokens(len(rules_prompt(self.app, self.facts, self._package).text.encode()))
            )
        ]
        for tool in self._in_order():
            if self._as_before(tool) is not None or (self._options.tools and tool not in self._options.tools):
                result.append(PlannedRequest(tool, "stays as it is"))
            elif self._edited(tool) is not None and not self._is_outdated(tool):
                result.append(PlannedRequest(tool, "was edited: measured as it is"))
            else:
                shown = [c for c in self._cases if c.tool == tool and c.share == "train"]
                brief = kernel_prompt(self.app, tool, 1, self.facts, self._package, shown, None)
                result.append(PlannedRequest(tool, "asked", estimated_tokens(len(brief.text.encode()))))
        return result

    # -- derived files --------------------------------------------------------------------------------------------------

    def _keep_edits(self) -> None:
        """Preserve derived files that were edited by hand."""
        if self._before is None:
            return
        for path in (f"contexts/apps/{self.app}.py", f"servers/{self.app}/dialect.py"):
            if origin_now(self._root, self._before, path) is not None:
                self._say(f"{path} is not used any more: tables and dialect are JSON, and an edit of it belongs there")
        for path in self._package:
            if origin_now(self._root, self._before, path) in ("edited", "written"):
                self._say(self._offered(path, self._package[path]))
                self._package[path] = (self._root / path).read_bytes()

    def _offered(self, path: str, new: bytes) -> str:
        """Write the newly derived version and the merge of both next to an edited file."""
        entry = {} if self._before is None else self._before.files.get(path, {})
        return offer(self._root, path, new, generated=entry.get("digest"))

    def _check_states(self) -> None:
        """Check that the tables store every recorded state and return it unchanged."""
        states = list({json.dumps(case.run.state, sort_keys=True): case.run.state for case in self._cases}.values())
        ran = self._sandbox.run(self.app, self._files({}), [Run([], state) for state in states])
        wrong = [one for one, state in zip(ran, states, strict=True) if one.problem or not same_state(state, one.state)]
        if wrong:
            raise SynthesisError(
                f"{len(wrong)} of {len(states)} recorded states do not come out of the tables as they went in"
                + (f": {wrong[0].problem}" if wrong[0].problem else "")
            )
        self._say(f"tables: {len(states)} recorded states go in and come out unchanged; {self.facts['envelope']}")

    def _share_rules(self) -> None:
        before = self._edited_below(f"kernels/{self.app}/rules/")
        try:
            brief = rules_prompt(self.app, self.facts, self._package, self._options.knowing)
            made = self._generator.write(brief)
        except NoAnswer:
            made = None
        files = {} if made is None else {**made.files, **before}
        if findings := [str(f) for f in check(files, self.app)]:
            self._say("rules are left out: " + "; ".join(findings[:5]))
            files = before
        self._package |= files

    def _edited_below(self, folder: str) -> dict[str, bytes]:
        if self._before is None:
            return {}
        paths = [p.relative_to(self._root).as_posix() for p in (self._root / folder).glob("*.py")]
        mine = [p for p in paths if origin_now(self._root, self._before, p) in ("edited", "written")]
        return {path: (self._root / path).read_bytes() for path in mine}

    # -- one tool ------------------------------------------------------------------------------------------------------

    def _in_order(self) -> list[str]:
        names = self._options.tools or tuple(self._planned.tools)
        for name in names:
            if name not in self._planned.tools:
                raise SynthesisError(
                    f"the recording's server has no tool {name!r}; it has: {', '.join(self._planned.tools)}"
                )
        return sorted(self._planned.tools, key=lambda name: (_ORDER[effect_of(self._planned, name)], name))

    def _as_before(self, tool: str) -> Files | None:
        """Return a tool's present file if its inputs are unchanged or the tool is not requested."""
        entry = None if self._before is None else self._before.tools.get(tool)
        if entry is None or self._before is None:
            return None
        wanted = not self._options.tools or tool in self._options.tools
        if wanted and not (self._options.changed and entry.get("inputs") == self._inputs(tool)):
            return None
        path = kernel_path(self.app, tool)
        if not (self._root / path).is_file():
            return None
        self._lock.tools[tool] = entry
        return {path: (self._root / path).read_bytes()}

    def _was_accepted(self, path: str, content: bytes) -> bool:
        """Whether exactly this content was accepted before; a reused file is not measured again and may have been edited."""
        return self._before is not None and self._before.accepted.get(path) == digest(content)

    def _inputs(self, tool: str) -> str:
        """Return a digest of everything that a tool's kernel is generated from and measured by."""
        facts = next(t for t in self.facts["tools"] if t["name"] == tool)
        calls = sorted(
            json.dumps([c.arguments, c.expect.ok, c.expect.response, c.run.state], sort_keys=True)
            for c in self._cases
            if c.tool == tool
        )
        shared = [
            self._package[p].decode("utf-8", "replace") for p in sorted(self._package) if not p.endswith("tools.json")
        ]
        content = json.dumps([facts["input_schema"], facts["output_schema"], calls, shared], sort_keys=True)
        return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()

    def _tool(self, tool: str) -> Attempt | None:
        """Return the best candidate for a tool over all rounds."""
        shares = {share: self._usable(tool, share) for share in ("train", "dev")}
        if (edited := self._edited(tool)) is not None:
            self._say(f"{tool}: its file was edited, and is measured as it is")
            if self._is_outdated(tool) and (made := self._rounds(tool, shares)) is not None:
                path = kernel_path(self.app, tool)
                self._say(self._offered(path, made.files.get(path, b"")))
            return self._tried(tool, 0, edited, shares)
        return self._rounds(tool, shares)

    def _is_outdated(self, tool: str) -> bool:
        """Whether a tool was last measured with different calls or tables."""
        entry = None if self._before is None else self._before.tools.get(tool)
        return entry is not None and entry.get("inputs") not in (None, self._inputs(tool))

    def _rounds(self, tool: str, shares: Mapping[str, Sequence[Case]]) -> Attempt | None:
        best: Attempt | None = None
        repair: Repair | None = None
        earlier: list[str] = []
        stale = fresh = 0
        for number in range(1, self._options.rounds + 1):
            brief = kernel_prompt(
                self.app, tool, number, self.facts, self._package, shares["train"], repair, fresh, self._options.knowing
            )
            attempt = self._best_of_round(tool, number, brief, shares)
            if attempt is None:
                break
            better = best is None or attempt.order > best.order
            best, stale = (attempt, 0) if better else (best, stale + 1)
            if not attempt.findings and not attempt.wrong:
                break
            repair = Repair(attempt.files, attempt.findings, attempt.wrong, tuple(earlier))
            earlier += [*attempt.findings, *attempt.wrong]
            if stale >= _STALE:
                repair, stale, fresh = None, 0, fresh + 1
        return best

    def _best_of_round(
        self, tool: str, number: int, brief: Prompt, shares: Mapping[str, Sequence[Case]]
    ) -> Attempt | None:
        """Return the round's best candidate on *dev*; stop at the first one without mismatches."""
        best: Attempt | None = None
        for sample in range(self._options.best_of):
            attempt = self._candidate(tool, number, brief.another(sample), shares)
            if attempt is None:
                break
            if best is None or attempt.order > best.order:
                best = attempt
            if not attempt.findings and not attempt.wrong:
                break
        return best

    def _candidate(self, tool: str, number: int, brief: Prompt, shares: Mapping[str, Sequence[Case]]) -> Attempt | None:
        try:
            made = self._generator.write(brief)
        except NoAnswer as none:
            self._say(f"{tool}: {_round(number, brief)}: {none}")
            return None
        spent = self._lock.tools.setdefault(tool, {"rounds": 0, "tokens_in": 0, "tokens_out": 0, "seconds": 0.0})
        spent["rounds"] += not brief.sample
        spent["candidates"] = spent.get("candidates", 0) + 1
        for name in ("tokens_in", "tokens_out", "seconds"):
            spent[name] += getattr(made, name)
        attempt = self._tried(tool, number, made.files, shares)
        attempt.findings += list(made.left_out)
        outcome = "; ".join(attempt.findings[:3]) if attempt.findings else _score_text(attempt.train)
        self._say(f"{tool}: {_round(number, brief)}: {outcome}")
        return attempt

    def _tried(self, tool: str, number: int, files: Files, shares: Mapping[str, Sequence[Case]]) -> Attempt:
        attempt = Attempt(number, files, [str(finding) for finding in check(files, self.app)])
        if kernel_path(self.app, tool) not in files:
            attempt.findings.append(f"{kernel_path(self.app, tool)} is missing")
        if attempt.findings:
            return attempt
        whole = self._files({**self._kernels, tool: files})
        listed, train = self._planned.tools[tool], shares["train"]
        writes = effect_of(self._planned, tool) != "read"
        laws = violations(self._sandbox, self.app, whole, listed, writes, train, self._always)
        attempt.findings += [str(one) for one in laws]
        attempt.findings += [f"{v!r} is a recorded value" for v in remembered(files, self._values(), self._words())]
        answers = judge_cases(self._sandbox, self.app, whole, train)
        attempt.train, attempt.wrong = score(answers), mismatches(answers)
        attempt.dev = score(judge_cases(self._sandbox, self.app, whole, shares["dev"]))
        return attempt

    def _usable(self, tool: str, share: str) -> list[Case]:
        """Return the visible cases of a share whose preceding writers all have kernels."""
        there = {*self._kernels, tool}
        own = (c for c in self._cases if c.tool == tool and includes(self._options.knowing, c.level))
        return [c for c in own if c.share == share and c.writers <= there]

    def _edited(self, tool: str) -> Files | None:
        path = kernel_path(self.app, tool)
        if self._before is None or origin_now(self._root, self._before, path) not in ("edited", "written"):
            return None
        return {path: (self._root / path).read_bytes()}

    def _values(self) -> list[str]:
        """Return the texts that the recorder sent or that were part of a recorded state."""
        values = [v for case in self._cases for v in walk_scalars([case.arguments, case.run.state])]
        return sorted({value for _, value in values if isinstance(value, str)})

    def _words(self) -> list[str]:
        """Return the texts that a candidate may contain.

        They are error messages, schema texts, and server texts that no client sent before.
        """
        refusals = [error["text"] for tool in self.facts["tools"] for error in tool["errors"]]
        schemas = [
            v for t in self._planned.tools.values() for _, v in walk_scalars(t.get("inputSchema")) if isinstance(v, str)
        ]
        return [*refusals, *schemas, *self._own_words]

    # -- held-out calls ------------------------------------------------------------------------------------------------

    def _held_out(self) -> list[JudgedCase]:
        """Judge the held-out calls of tools with candidates and of unknown tool names."""
        cases = [case for case in self._cases if case.share == "held-out" and case.writers <= self._kernels.keys()]
        measurable = [c for c in cases if c.tool in self._kernels or c.tool not in self._planned.tools]
        return judge_cases(self._sandbox, self.app, self._files(self._kernels), measurable, seconds=120.0)

    def _measure(self, attempts: Mapping[str, Attempt], answers: Sequence[JudgedCase]) -> None:
        """Measure the held-out calls once and decide for each tool whether its kernel is accepted."""
        same = (
            self._before is not None and self._before.recording == self._lock.recording
        )  # a new recording has held-out calls that no run has seen
        self._lock.looks = (self._before.looks if self._before is not None and same else 0) + bool(attempts)
        whole = self._files(self._kernels)
        by_tool: dict[str, list[JudgedCase]] = {}
        for one in answers:
            by_tool.setdefault(one.case.tool if one.case.tool in self._planned.tools else UNKNOWN, []).append(one)
        fails = self._failing(attempts, answers)
        readers = self._readers()
        for tool in sorted(
            self._planned.tools, key=lambda name: name not in readers
        ):  # read tools first: they show what the others change
            if tool in attempts or tool not in self._lock.tools or "answered_by" not in self._lock.tools[tool]:
                # Ignore calls on a state that another tool's bad kernel wrote.
                fair = [one for one in answers if not (one.case.writers - {tool}) & fails]
                right = {name for name in readers if self._lock.tools.get(name, {}).get("answered_by") == "kernel"}
                after = [one for one in fair if tool in one.case.writers and one.case.tool in right]
                own = [one for one in fair if one.case.tool == tool]
                more = self._beyond_judging(tool, fails)
                if tool not in readers:
                    more += unproven_effect(own, after, self._options.limits)
                self._verdict(tool, attempts.get(tool), own, more)
        kernels = {tool for tool, entry in self._lock.tools.items() if entry["answered_by"] == "kernel"}
        agreed = self._free_running(whole, kernels)
        everything = score([one for one in answers if one.case.tool in kernels])
        self._lock.whole = {
            "held_out": everything.as_json(),
            "unknown_names": score(by_tool.get(UNKNOWN, [])).as_json(),
            "episodes": {"agree": sum(agreed), "of": len(agreed)},
            "enough": enough_episodes(agreed, self._options.limits),
            "thresholds": self._options.limits.as_json(),
            "sandbox": list(self._sandbox.layers),
        }

    def _note_level(self, answers: Sequence[JudgedCase]) -> LevelResult:
        """Store the measurement of all held-out calls, including those of tools without a kernel.

        This makes the results of all prompt levels comparable.
        """
        cases = [case for case in self._cases if case.share == "held-out" and case.tool in self._planned.tools]
        answered = {one.case.id: one for one in answers}
        every = [answered.get(case.id) or JudgedCase(case, None, None, "nothing answers it") for case in cases]
        measured = level_result(self._generator.provenance, cases, every)
        store_level(self._root, self.app, self._options.knowing, measured)
        return measured

    def _failing(self, attempts: Mapping[str, Attempt], answers: Sequence[JudgedCase]) -> set[str]:
        """Return the tools whose own candidates are wrong.

        A candidate is wrong if it has findings, or if it fails on calls whose preceding writers are all right.
        """
        wrong, right = {tool for tool, attempt in attempts.items() if attempt.findings}, set[str]()
        open_yet = [tool for tool in attempts if tool not in wrong]
        decided = True
        while decided:
            decided = False
            for tool in [tool for tool in open_yet if tool not in right | wrong]:
                own = [one for one in answers if one.case.tool == tool and one.case.writers - {tool} <= right]
                if own:
                    (wrong if unmet_criteria(score(own), self._options.limits) else right).add(tool)
                    decided = True
        return wrong

    def _unmeasured(self, tool: str) -> str:
        """Explain why no held-out call measures a tool."""
        count = sum(case.share == "held-out" and case.tool == tool for case in self._cases)
        if not count:
            return "no held-out call has the tool"
        return f"each of its {count} held-out calls comes after a tool that nothing answers as it should"

    def _readers(self) -> set[str]:
        """Return the tools that only read."""
        return {tool for tool in self._planned.tools if effect_of(self._planned, tool) == "read"}

    def _beyond_judging(self, tool: str, fails: set[str]) -> list[str]:
        """Return the reason if a tool cannot be judged: most of its successful calls follow calls of wrong tools."""
        done = [case for case in self._cases if case.tool == tool and case.expect.ok]
        silent = self._planned.tools.keys() - self._kernels.keys()
        fair = sum(not (case.writers - {tool}) & (fails | silent) for case in done)
        if fair >= len(done) / 2:
            return []
        return [
            f"{len(done) - fair} of its {len(done)} calls that are done come after tools that nothing answers as it should"
        ]

    def _verdict(self, tool: str, attempt: Attempt | None, answers: Sequence[JudgedCase], more: Sequence[str]) -> None:
        """Record whether a tool's kernel is accepted; `more` lists further objections besides the scores of its calls."""
        entry = self._lock.tools.setdefault(tool, {"rounds": 0, "tokens_in": 0, "tokens_out": 0, "seconds": 0.0})
        held_out = score(answers)
        why = ["no candidate"] if attempt is None else list(attempt.findings)
        if attempt is not None and not why:
            why = [*(unmet_criteria(held_out, self._options.limits) if answers else [self._unmeasured(tool)]), *more]
        entry |= {
            "answered_by": "none" if why else "kernel",
            "why": why,
            "thin": thin(held_out, self._options.limits),
            "train": None if attempt is None or attempt.train is None else attempt.train.as_json(),
            "dev": None if attempt is None or attempt.dev is None else attempt.dev.as_json(),
            "held_out": held_out.as_json(),
            "worst": mismatches(answers, 3),
            "chosen_round": None if attempt is None else attempt.round,
            "inputs": self._inputs(tool),
        }

    def _free_running(self, whole: Files, kernels: set[str]) -> list[bool]:
        """Replay held-out episodes whose writers all have kernels; return for each whether all replies agree.

        Reads of tools without a kernel are left out.
        """
        silent = self._planned.tools.keys() - kernels
        writers = {tool for tool in silent if effect_of(self._planned, tool) != "read"}
        episodes = [
            replace(episode, cases=tuple((i, case) for i, case in episode.cases if case.tool not in silent))
            for episode in self._episodes
            if episode.share == "held-out" and not any(step.tool in writers for step in episode.run.calls)
        ]
        episodes = [episode for episode in episodes if episode.cases]
        return judge_episodes(self._sandbox, self.app, whole, episodes)

    # -- files ---------------------------------------------------------------------------------------------------------

    def _files(self, kernels: Mapping[str, Files]) -> dict[str, bytes]:
        """Return the app's files with these kernels enabled."""
        tools = tools_json(self._planned, dict.fromkeys(kernels, "kernel"), private=self._options.private)
        files = {**self._package, f"servers/{self.app}/tools.json": tools}
        for own in kernels.values():
            files |= own
        return files

    def _write(self) -> None:
        """Write the app's files, then the lock, so that every file the lock accepts is complete."""
        answered = {tool: entry["answered_by"] for tool, entry in self._lock.tools.items()}
        files = self._files(self._kernels)
        files[f"servers/{self.app}/tools.json"] = tools_json(self._planned, answered, private=self._options.private)
        files[f"servers/{self.app}/facts.json"] = json.dumps(self.facts, ensure_ascii=False, indent=1).encode() + b"\n"
        silent = {kernel_path(self.app, tool) for tool, by in answered.items() if by != "kernel"}
        for path, content in sorted(files.items()):
            edited = self._before is not None and origin_now(self._root, self._before, path) in ("edited", "written")
            if not edited:
                write(self._root / path, content)
                keep_base(self._root, path, content)
            unchanged = self._before.files.get(path) if edited and self._before is not None else None
            made = "generated" if part_of(path, self.app) is not None else "rule"
            self._lock.files[path] = unchanged or {"origin": made, "digest": digest(content)}
            unmeasured = path in self._reused and not self._was_accepted(path, content)
            if path not in silent and self._lock.whole["enough"] and not unmeasured:
                self._lock.accepted[path] = digest(content)
        write_lock(self._root, self._lock)


def _sharing_a_file(tools: Iterable[str]) -> list[str] | None:
    """Return tools whose kernels would have the same path, on any file system, such as `get-item` and `Get_item`."""
    by_file: dict[str, list[str]] = {}
    for tool in tools:
        by_file.setdefault(kernel_path("", tool).lower(), []).append(tool)
    return next((same for same in by_file.values() if len(same) > 1), None)


def _round(number: int, brief: Prompt) -> str:
    return f"round {number}, candidate {brief.sample + 1}" if brief.sample else f"round {number}"


def _score_text(measured: Score | None) -> str:
    if measured is None:
        return "not measured"
    wrong = measured.false_positives
    return (
        f"{measured.outcome['count']} of {measured.cases} in outcome, "
        f"{wrong['count']} of {wrong['of']} refusals taken for successes, "
        f"{measured.exact['count']} exact, {measured.state['count']} of {measured.state['of']} states"
    )
