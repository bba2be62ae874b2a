"""Measure candidates: run cases in the sandbox, compare each answer with the real server's, and compute scores."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from soundstage.gateway.faults.report import Rate, rate
from soundstage.synthesis.fidelity.canonical import canonical
from soundstage.synthesis.fidelity.compare import Comparison, compare
from soundstage.synthesis.fidelity.masks import MASK
from soundstage.synthesis.fidelity.replay import Reply
from soundstage.synthesis.generate.cases import Case, Episode
from soundstage.synthesis.generate.entities import OWN_KEY, Objects
from soundstage.synthesis.generate.sandbox import CandidateAnswer, RunResult, Sandbox
from soundstage.synthesis.traverse.replies import text_of

Files = Mapping[str, bytes]
_SLOWEST_US = 1_000_000
_SHOWN = 1200
FAILURES = ("internal", "budget_exceeded")
"""Kinds of errors that are the candidate's own: it raised, or used more time or memory than a call may."""


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A compared answer of a case.

    `comparison`: None without an answer. `state`: whether the resulting state equals the recorded one; None if unknown.
    `broken` describes forbidden behaviour: an exception, or a change by a failed call or a read.
    """

    case: Case
    comparison: Comparison | None
    state: bool | None
    broken: str | None
    us: int = 0

    @property
    def exact(self) -> bool:
        """Whether the reply equals the recorded one."""
        return self.comparison is not None and self.comparison.agrees

    @property
    def right(self) -> bool:
        """Whether the call was rejected or accepted as by the real server."""
        return self.comparison is not None and self.comparison.outcome.startswith("true")

    @property
    def agrees(self) -> bool:
        """Whether reply, resulting state and behaviour are right."""
        return self.exact and self.state is not False and self.broken is None


@dataclass(frozen=True, slots=True)
class Score:
    """Scores of some cases, each with n and interval.

    `false_positives` is relative to the calls that the real server rejected, `false_negatives` to those that it accepted; a call
    without an answer counts as rejected.
    """

    cases: int
    outcome: Rate
    false_positives: Rate
    false_negatives: Rate
    exact: Rate
    key_paths: Rate
    state: Rate
    broken: int

    @property
    def order(self) -> tuple[float, ...]:
        """The sort key of candidates, higher is better, the most important criterion first."""
        shares = (self.outcome, self.exact, self.key_paths, self.state)
        return (-self.broken, -self.false_positives["count"], *(share["rate"] or 0.0 for share in shares))

    def as_json(self) -> dict[str, Any]:
        """Return the scores as JSON data."""
        return {
            "cases": self.cases, "outcome": self.outcome, "false_positives": self.false_positives,
            "false_negatives": self.false_negatives, "exact": self.exact, "key_paths": self.key_paths,
            "state": self.state, "broken": self.broken,
        }  # fmt: skip


def judge_cases(
    sandbox: Sandbox, app: str, files: Files, cases: Sequence[Case], *, seconds: float = 60.0
) -> list[JudgedCase]:
    """Run cases against an app made of files.

    Raises:
        SandboxFailed
    """
    ran = sandbox.run(app, files, [case.run for case in cases], seconds=seconds)
    return [judge_case(app, case, one) for case, one in zip(cases, ran, strict=True)]


def judge_case(app: str, case: Case, ran: RunResult) -> JudgedCase:
    """Compare the answer to one case."""
    if not ran.answers:
        return JudgedCase(case, None, None, ran.problem or "no answer")
    answer = ran.answers[-1]
    return _judge(app, case, answer, ran.state)


def judge_episodes(
    sandbox: Sandbox, app: str, files: Files, episodes: Sequence[Episode], *, seconds: float = 120.0
) -> list[bool]:
    """Whether each episode agrees to its end, every call on the state that our own earlier calls made."""
    ran = sandbox.run(app, files, [episode.run for episode in episodes], seconds=seconds)
    result: list[bool] = []
    for episode, one in zip(episodes, ran, strict=True):
        whole = len(one.answers) == len(episode.run.calls)
        result.append(whole and all(_judge(app, case, one.answers[i], None).agrees for i, case in episode.cases))
    return result


def score(answers: Sequence[JudgedCase]) -> Score:
    """Compute the scores of some answers."""
    refused = [one for one in answers if not one.case.expect.ok]
    done = [one for one in answers if one.case.expect.ok]
    paths = [
        one.comparison.key_paths
        for one in answers
        if one.comparison is not None and one.comparison.key_paths is not None
    ]
    known = [one.state for one in answers if one.state is not None]
    return Score(
        len(answers),
        rate(sum(one.right for one in answers), len(answers)),
        rate(
            sum(one.comparison is not None and one.comparison.outcome == "false positive" for one in refused),
            len(refused),
        ),
        rate(sum(not one.right for one in done), len(done)),
        rate(sum(one.exact for one in answers), len(answers)),
        rate(sum(share == 1.0 for share in paths), len(paths)),
        rate(sum(known), len(known)),
        sum(one.broken is not None for one in answers),
    )


def mismatches(answers: Sequence[JudgedCase], most: int = 10) -> list[str]:
    """Describe the worst answers, one of each kind, the rarest kinds first: arguments, rows, expected, got, difference."""
    wrong = [one for one in answers if not one.agrees]
    kinds: dict[tuple[object, ...], list[JudgedCase]] = {}
    for one in wrong:
        outcome = one.comparison.outcome if one.comparison is not None else "no answer"
        kinds.setdefault((one.broken is None, outcome, one.case.signature, one.state), []).append(one)
    worst = sorted(kinds.values(), key=lambda same: (same[0].broken is None, same[0].right, -len(same)))
    return [_mismatch(same[0], len(same)) for same in worst[:most]]


def _mismatch(one: JudgedCase, alike: int) -> str:
    lines = [f"{one.case.id} ({one.case.why}; {alike} of this kind)", f"  arguments: {_short(one.case.arguments)}"]
    if one.case.run.state:
        lines.append(f"  rows before: {_short(one.case.run.state)}")
    if one.broken is not None:
        lines.append(f"  broken: {one.broken}")
    if one.comparison is not None:
        expected = "is done" if one.case.expect.ok else "is refused"
        lines.append(f"  outcome: {one.comparison.outcome}; the real server's call {expected}")
        lines += [f"  {finding}" for finding in one.comparison.findings]
        lines += [f"  {line}" for line in _difference(one.comparison.recorded, one.comparison.ours)]
    if one.state is False:
        lines.append(f"  the state after differs; expected: {_short(one.case.after)}")
    return "\n".join(lines)


def _judge(app: str, case: Case, answer: CandidateAnswer, state: Mapping[str, Any] | None) -> JudgedCase:
    comparison = compare(app, case.expect, reply_of(answer))
    after = (
        None if case.after is None or state is None else same_state(case.after, state, case.run.state, case.volatile)
    )
    return JudgedCase(case, comparison, after, _broken(case, answer), answer.us)


def _broken(case: Case, answer: CandidateAnswer) -> str | None:
    if answer.raised is not None and answer.error_kind in FAILURES:
        return answer.raised
    if answer.us > _SLOWEST_US:
        return f"it took {answer.us / 1e6:.1f} s"
    if answer.changed and not answer.ok:
        return f"a refused call changed {answer.changed} rows"
    if answer.changed and not case.writes:
        return f"a call that only reads changed {answer.changed} rows"
    return None


def reply_of(answer: CandidateAnswer) -> Reply:
    """Convert an answer to the client's view of a reply."""
    wire = answer.reply
    kind = "internal" if answer.error_kind == "internal" else answer.error_kind
    if "error" in wire:
        return Reply("jsonrpc_error", False, kind, text_of(wire), code=wire["error"].get("code"))
    blocks = tuple(wire.get("content", ()))
    text = "".join(str(block.get("text", "")) for block in blocks)
    flag = bool(wire.get("isError"))
    return Reply("result", answer.ok, kind, text, flag, blocks=blocks, structured=wire.get("structuredContent"))


def same_state(
    wanted: Mapping[str, Objects],
    ours: Mapping[str, Any],
    before: Mapping[str, Objects] | None = None,
    volatile: Mapping[str, frozenset[str]] | None = None,
) -> bool:
    """Whether two states have the same objects in the same order.

    Ignored are generated keys, and volatile members (by entity) of objects that did not exist `before`.
    """
    masks, known = volatile or {}, before or {}
    left, right = (_plain(state, known, masks) for state in (wanted, ours))
    return canonical(left) == canonical(right)


def _plain(
    state: Mapping[str, Any], before: Mapping[str, Objects], volatile: Mapping[str, frozenset[str]]
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, objects in state.items():
        old = {canonical(one) for one in before.get(name, ())}
        result[name] = []
        for one in objects:
            shown = {k: v for k, v in one.items() if k != OWN_KEY}
            hidden = volatile.get(name, frozenset()) if canonical(shown) not in old else frozenset()
            result[name].append({k: MASK if k in hidden else v for k, v in shown.items()})
    return {name: objects for name, objects in result.items() if objects}


def _difference(expected: Any, got: Any) -> Iterator[str]:
    left, right = (_text(value).splitlines() for value in (expected, got))
    if left != right:
        for line in list(difflib.unified_diff(left, right, "expected", "got", lineterm="", n=1))[:40]:
            yield line[:300]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
