"""From a pool to an app: what follows by rule, a candidate for each tool, repaired from what it got wrong, measured on calls that
nobody has seen.

Tools are taken in the order in which they need each other: those that make something, that read, that change, that take away.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from soundstage.roots import NAME, Root, digest
from soundstage.servers.catalogue import app_names
from soundstage.synthesis.generate.accept import Thresholds, enough_episodes, failings, thin
from soundstage.synthesis.generate.bench import (
    Files,
    Judged,
    Score,
    judge_cases,
    judge_episodes,
    mismatches,
    same_state,
    score,
)
from soundstage.synthesis.generate.brief import Brief, Repair, kernel_brief, kernel_path, rules_brief
from soundstage.synthesis.generate.cases import Case, cases_of, entities_of, episodes_of
from soundstage.synthesis.generate.gate import check, part_of
from soundstage.synthesis.generate.generators import Generator, NoAnswer
from soundstage.synthesis.generate.laws import broken_laws, remembered
from soundstage.synthesis.generate.lock import Lock, LockError, origin_now, read_lock, write, write_lock
from soundstage.synthesis.generate.package import (
    chosen_family,
    dialect_source,
    effect_of,
    envelope_of,
    facts_of,
    tables_source,
    tools_json,
)
from soundstage.synthesis.generate.sandbox import Run, Sandbox
from soundstage.synthesis.traverse.derive import Derived
from soundstage.synthesis.traverse.places import wheres
from soundstage.synthesis.traverse.plan import Planned

Say = Callable[[str], None]
CANDIDATES = ".candidates"
"""Where in a root lies what was generated beside a file that somebody has edited."""
UNKNOWN = "(names that the server does not have)"
_ORDER = {"create": 0, "read": 1, "update": 2, "other": 3, "delete": 4}
_STALE = 2


class SynthesisError(RuntimeError):
    """A pool cannot become an app; the message says why."""


@dataclass(frozen=True, slots=True)
class Options:
    """`tools` are those that are wanted, all where there are none; `changed` leaves out those whose schema, facts and calls are
    as they were. `private` keeps the server's own descriptions. `rounds` is how often a generator is asked for a tool at most.
    """

    tools: tuple[str, ...] = ()
    changed: bool = False
    private: bool = False
    rounds: int = 4
    limits: Thresholds = field(default_factory=Thresholds)


@dataclass(slots=True)
class Attempt:
    """One candidate for a tool, measured. What is empty was not come to."""

    round: int
    files: Files
    findings: list[str] = field(default_factory=list)
    train: Score | None = None
    dev: Score | None = None
    wrong: list[str] = field(default_factory=list)
    """The worst mismatches on calls that may be shown."""

    @property
    def order(self) -> tuple[float, ...]:
        """What a better attempt has more of: no findings first, then its figures on calls that it was not shown."""
        return (-float(len(self.findings)), *(self.dev.order if self.dev is not None else ()))


class Synthesis:
    """One run over a pool, into an app root."""

    def __init__(
        self, planned: Planned, root: Path, generator: Generator, sandbox: Sandbox, options: Options, say: Say
    ) -> None:
        self.app = planned.plan.app
        if not NAME.fullmatch(self.app):
            raise SynthesisError(f"{self.app!r} is no name of an app: small letters, digits and _, a letter first")
        if self.app in app_names() and self.app not in Root(root).apps():
            raise SynthesisError(f"there is an app {self.app} already; give the pool's plan another `app`")
        self._planned, self._root, self._generator, self._sandbox = planned, root, generator, sandbox
        self._options, self._say = options, say
        derived = Derived(planned)
        entities = entities_of(planned, derived)
        family = chosen_family(planned, derived)
        envelope = envelope_of(planned, derived, family)
        self.facts = facts_of(planned, derived, entities, family, envelope)
        self._cases = cases_of(planned, derived, entities)
        self._episodes = episodes_of(planned, derived, self._cases, entities)
        self._package: dict[str, bytes] = {
            f"contexts/apps/{self.app}.py": tables_source(self.app, entities),
            f"servers/{self.app}/dialect.py": dialect_source(self.app, family, envelope),
        }
        self._kernels: dict[str, Files] = {}
        self._kept: set[str] = set()
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
        """Everything: the files of the app, and its lock, which says what of them is accepted.

        Raises:
            SandboxFailed, LockError
        """
        self._keep_edits()
        self._check_states()
        self._share_rules()
        attempts: dict[str, Attempt] = {}
        for tool in self._in_order():
            if (kept := self._as_before(tool)) is not None:
                self._kernels[tool] = kept
                self._kept |= kept.keys()
                continue
            if self._options.tools and tool not in self._options.tools:
                continue
            attempt = self._tool(tool)
            if attempt is not None:
                attempts[tool] = attempt
                if attempt.dev is not None:
                    self._kernels[tool] = attempt.files
        self._measure(attempts)
        self._write()
        return self._lock

    # -- what comes by rule --------------------------------------------------------------------------------------------

    def _keep_edits(self) -> None:
        """Files by rule that somebody has edited stay as they are."""
        if self._before is None:
            return
        for path in self._package:
            if origin_now(self._root, self._before, path) in ("edited", "written"):
                write(self._root / CANDIDATES / path, self._package[path])
                self._package[path] = (self._root / path).read_bytes()
                self._say(f"{path} was edited, and stays; what would be made now lies in {CANDIDATES}/{path}")

    def _check_states(self) -> None:
        """That the tables hold every recorded state, and give it back unchanged."""
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
            made = self._generator.write(rules_brief(self.app, self.facts, self._package))
        except NoAnswer:
            made = None
        files = {} if made is None else {**made.files, **before}
        if found := [str(f) for f in check(files, self.app)]:
            self._say("rules are left out: " + "; ".join(found[:5]))
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
                    f"the pool's server has no tool {name!r}; it has: {', '.join(self._planned.tools)}"
                )
        return sorted(self._planned.tools, key=lambda name: (_ORDER[effect_of(self._planned, name)], name))

    def _as_before(self, tool: str) -> Files | None:
        """A tool's file as it is, where nothing of what it was made from has changed, or it is not wanted now."""
        told = None if self._before is None else self._before.tools.get(tool)
        if told is None or self._before is None:
            return None
        wanted = not self._options.tools or tool in self._options.tools
        if wanted and not (self._options.changed and told.get("inputs") == self._inputs(tool)):
            return None
        path = kernel_path(self.app, tool)
        if not (self._root / path).is_file():
            return None
        self._lock.tools[tool] = told
        return {path: (self._root / path).read_bytes()}

    def _was_accepted(self, path: str, content: bytes) -> bool:
        """Whether just this was accepted before: what is kept is not measured anew, and somebody may have edited it."""
        return self._before is not None and self._before.accepted.get(path) == digest(content)

    def _inputs(self, tool: str) -> str:
        """A digest of all that a tool's kernel is made from and measured by."""
        told = next(t for t in self.facts["tools"] if t["name"] == tool)
        calls = sorted(
            json.dumps([c.arguments, c.expect.ok, c.expect.response, c.run.state], sort_keys=True)
            for c in self._cases
            if c.tool == tool
        )
        shared = [
            self._package[p].decode("utf-8", "replace") for p in sorted(self._package) if not p.endswith("tools.json")
        ]
        content = json.dumps([told["input_schema"], told["output_schema"], calls, shared], sort_keys=True)
        return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()

    def _tool(self, tool: str) -> Attempt | None:
        """The best candidate for a tool, of so many rounds."""
        shares = {share: self._usable(tool, share) for share in ("train", "dev")}
        if (edited := self._edited(tool)) is not None:
            self._say(f"{tool}: its file was edited, and is measured as it is")
            return self._tried(tool, 0, edited, shares)
        best: Attempt | None = None
        repair: Repair | None = None
        earlier: list[str] = []
        stale = fresh = 0
        for number in range(1, self._options.rounds + 1):
            brief = kernel_brief(self.app, tool, number, self.facts, self._package, shares["train"], repair, fresh)
            attempt = self._asked(tool, number, brief, shares)
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

    def _asked(self, tool: str, number: int, brief: Brief, shares: Mapping[str, Sequence[Case]]) -> Attempt | None:
        try:
            made = self._generator.write(brief)
        except NoAnswer as none:
            self._say(f"{tool}: round {number}: {none}")
            return None
        spent = self._lock.tools.setdefault(tool, {"rounds": 0, "tokens_in": 0, "tokens_out": 0, "seconds": 0.0})
        spent["rounds"] += 1
        for name in ("tokens_in", "tokens_out", "seconds"):
            spent[name] += getattr(made, name)
        attempt = self._tried(tool, number, made.files, shares)
        attempt.findings += list(made.left_out)
        told = "; ".join(attempt.findings[:3]) if attempt.findings else _told(attempt.train)
        self._say(f"{tool}: round {number}: {told}")
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
        attempt.findings += [str(b) for b in broken_laws(self._sandbox, self.app, whole, listed, writes, train)]
        attempt.findings += [f"{v!r} is a recorded value" for v in remembered(files, self._values(), self._words())]
        found = judge_cases(self._sandbox, self.app, whole, train)
        attempt.train, attempt.wrong = score(found), mismatches(found)
        attempt.dev = score(judge_cases(self._sandbox, self.app, whole, shares["dev"]))
        return attempt

    def _usable(self, tool: str, share: str) -> list[Case]:
        """The cases of a share that need no tool before them which nothing answers yet."""
        there = {*self._kernels, tool}
        return [c for c in self._cases if c.tool == tool and c.share == share and c.writers <= there]

    def _edited(self, tool: str) -> Files | None:
        path = kernel_path(self.app, tool)
        if self._before is None or origin_now(self._root, self._before, path) not in ("edited", "written"):
            return None
        return {path: (self._root / path).read_bytes()}

    def _values(self) -> list[str]:
        """Texts that the recorder sent, or that were there."""
        told = [v for case in self._cases for v in wheres([case.arguments, case.run.state])]
        return sorted({value for _, value in told if isinstance(value, str)})

    def _words(self) -> list[str]:
        """Texts that a candidate may have in it: refusals, and the schemas'."""
        refusals = [error["text"] for tool in self.facts["tools"] for error in tool["errors"]]
        schemas = [
            v for t in self._planned.tools.values() for _, v in wheres(t.get("inputSchema")) if isinstance(v, str)
        ]
        return [*refusals, *schemas]

    # -- what was not seen ----------------------------------------------------------------------------------------------

    def _measure(self, attempts: Mapping[str, Attempt]) -> None:
        """Look at the held-out calls, once, and say of each tool what answers it."""
        self._lock.looks = (0 if self._before is None else self._before.looks) + bool(attempts)
        whole = self._files(self._kernels)
        held = [case for case in self._cases if case.share == "held-out" and case.writers <= self._kernels.keys()]
        asked = [c for c in held if c.tool in self._kernels or c.tool not in self._planned.tools]
        found = judge_cases(self._sandbox, self.app, whole, asked, seconds=120.0)
        by_tool: dict[str, list[Judged]] = {}
        for one in found:
            by_tool.setdefault(one.case.tool if one.case.tool in self._planned.tools else UNKNOWN, []).append(one)
        fails = {
            tool
            for tool, attempt in attempts.items()
            if attempt.findings
            or failings(score([j for j in by_tool.get(tool, []) if j.case.writers <= {tool}]), self._options.limits)
        }
        for tool in self._planned.tools:
            if tool in attempts or tool not in self._lock.tools or "answered_by" not in self._lock.tools[tool]:
                # What another tool's bad kernel wrote is not this one's mistake.
                own = [j for j in by_tool.get(tool, []) if not (j.case.writers - {tool}) & fails]
                self._verdict(tool, attempts.get(tool), own)
        kernels = {tool for tool, told in self._lock.tools.items() if told["answered_by"] == "kernel"}
        agreed = self._free_running(whole, kernels)
        everything = score([one for one in found if one.case.tool in kernels])
        self._lock.whole = {
            "held_out": everything.plain(),
            "unknown_names": score(by_tool.get(UNKNOWN, [])).plain(),
            "episodes": {"agree": sum(agreed), "of": len(agreed)},
            "enough": enough_episodes(agreed, self._options.limits),
            "thresholds": self._options.limits.plain(),
            "sandbox": list(self._sandbox.layers),
        }

    def _verdict(self, tool: str, attempt: Attempt | None, found: Sequence[Judged]) -> None:
        told = self._lock.tools.setdefault(tool, {"rounds": 0, "tokens_in": 0, "tokens_out": 0, "seconds": 0.0})
        held = score(found)
        why = ["no candidate"] if attempt is None else list(attempt.findings)
        if attempt is not None and not why:
            why = failings(held, self._options.limits)
        told |= {
            "answered_by": "none" if why else "kernel",
            "why": why,
            "thin": thin(held, self._options.limits),
            "train": None if attempt is None or attempt.train is None else attempt.train.plain(),
            "dev": None if attempt is None or attempt.dev is None else attempt.dev.plain(),
            "held_out": held.plain(),
            "worst": mismatches(found, 3),
            "chosen_round": None if attempt is None else attempt.round,
            "inputs": self._inputs(tool),
        }

    def _free_running(self, whole: Files, kernels: set[str]) -> list[bool]:
        """Of held-out episodes whose writing calls all have kernels: whether they agree to their end, but for reads that have
        none.
        """
        silent = self._planned.tools.keys() - kernels
        writers = {tool for tool in silent if effect_of(self._planned, tool) != "read"}
        asked = [
            replace(episode, cases=tuple((i, case) for i, case in episode.cases if case.tool not in silent))
            for episode in self._episodes
            if episode.share == "held-out" and not any(step.tool in writers for step in episode.run.calls)
        ]
        asked = [episode for episode in asked if episode.cases]
        return judge_episodes(self._sandbox, self.app, whole, asked)

    # -- files ---------------------------------------------------------------------------------------------------------

    def _files(self, kernels: Mapping[str, Files]) -> dict[str, bytes]:
        """The app with these kernels, each tool that has one answered by it."""
        tools = tools_json(self._planned, dict.fromkeys(kernels, "kernel"), private=self._options.private)
        files = {**self._package, f"servers/{self.app}/tools.json": tools}
        for own in kernels.values():
            files |= own
        return files

    def _write(self) -> None:
        """Write the app, and its lock last: what it has as accepted is whole then."""
        answered = {tool: told["answered_by"] for tool, told in self._lock.tools.items()}
        files = self._files(self._kernels)
        files[f"servers/{self.app}/tools.json"] = tools_json(self._planned, answered, private=self._options.private)
        files[f"servers/{self.app}/facts.json"] = json.dumps(self.facts, ensure_ascii=False, indent=1).encode() + b"\n"
        silent = {kernel_path(self.app, tool) for tool, by in answered.items() if by != "kernel"}
        for path, content in sorted(files.items()):
            edited = self._before is not None and origin_now(self._root, self._before, path) in ("edited", "written")
            if not edited:
                write(self._root / path, content)
            kept = self._before.files.get(path) if edited and self._before is not None else None
            made = "generated" if part_of(path, self.app) is not None else "rule"
            self._lock.files[path] = kept or {"origin": made, "digest": digest(content)}
            unmeasured = path in self._kept and not self._was_accepted(path, content)
            if path not in silent and self._lock.whole["enough"] and not unmeasured:
                self._lock.accepted[path] = digest(content)
        write_lock(self._root, self._lock)


def _told(found: Score | None) -> str:
    if found is None:
        return "not measured"
    wrong = found.false_positives
    return (
        f"{found.outcome['count']} of {found.cases} in outcome, {wrong['count']} of {wrong['of']} refusals taken for successes, "
        f"{found.exact['count']} exact, {found.state['count']} of {found.state['of']} states"
    )
