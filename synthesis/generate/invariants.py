"""Invariants that hold for every simulator, whatever its real server does; checking them needs no recorded reply.

- The same seed yields the same bytes.
- Errors and reads change nothing.
- Nothing raises, nothing is slow, and replies match their output schema.
- A state that is exported and imported again yields the same answers.
- Texts that are renamed in the input are renamed in the answer; a lookup table of recordings fails this immediately.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jsonschema_rs

from soundstage.synthesis.generate.bench import FAILURES, Files
from soundstage.synthesis.generate.cases import Case
from soundstage.synthesis.generate.sandbox import Run, RunResult, Sandbox, Step
from soundstage.synthesis.traverse.adversarial import adversarial_calls
from soundstage.synthesis.traverse.arguments import drafts
from soundstage.synthesis.traverse.goals import ALL, NEW
from soundstage.synthesis.traverse.places import map_texts
from soundstage.synthesis.traverse.replies import content_of
from soundstage.synthesis.traverse.values import Bank

MOST = 200
SLOWEST_US = 20_000
_RENAMED = 24
_LONG = 12
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_ID = re.compile(r"(?=.*\d)[\w.:/-]{6,}")
_KINDS = ("0123456789", "abcdef", "ABCDEF", "ghijklmnopqrstuvwxyz", "GHIJKLMNOPQRSTUVWXYZ")
_NEXT = str.maketrans({one: kind[(i + 1) % len(kind)] for kind in _KINDS for i, one in enumerate(kind)})
_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]+(?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant that does not hold, with an example."""

    law: str
    shown: str

    def __str__(self) -> str:
        return f"{self.law}: {self.shown}"


def violations(
    sandbox: Sandbox,
    app: str,
    files: Files,
    tool: Mapping[str, Any],
    writes: bool,
    cases: Sequence[Case],
    own: Sequence[str] = (),
) -> list[Violation]:
    """Return the invariants that one tool's candidate violates.

    Args:
        sandbox: The confined process that runs the candidate.
        app: The app's name.
        files: The app's files with the candidate.
        tool: The tool as the server lists it.
        writes: Whether the tool may change the state.
        cases: Recorded calls to start from.
        own: Texts that the server itself produces at every start; they are not renamed.

    Raises:
        SandboxFailed
    """
    runs = [*_fuzzed(tool, cases), *(case.run for case in cases[:_RENAMED])]
    first = sandbox.run(app, files, runs, seconds=120.0)
    # The reverse order reveals state that one call leaves in the code for another.
    again = sandbox.run(app, files, runs[::-1], seconds=120.0)[::-1]
    result = [*_deterministic(runs, first, again), *_quiet(runs, first, writes), *_fits(tool, runs, first)]
    renamed = list(_renamings(tool, cases, own))
    if renamed:
        other = sandbox.run(app, files, [run for _, run, _ in renamed], seconds=120.0)
        plain = sandbox.run(app, files, [run for run, _, _ in renamed], seconds=120.0)
        result += _renames(renamed, plain, other)
    return result


def remembered(files: Files, values: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return string constants of a candidate that are recorded values and not part of an error message: memorized data."""
    known = [value for value in values if len(value) >= _LONG and not any(value in word for word in words)]
    return sorted(
        {value for content in files.values() for value in known if json.dumps(value)[1:-1].encode() in content}
    )


def _fuzzed(tool: Mapping[str, Any], cases: Sequence[Case]) -> list[Run]:
    """Return runs with valid and invalid arguments, each from a recorded state."""
    states = [case.run for case in cases if len(case.run.calls) == 1] or [Run([])]
    arguments: list[dict[str, Any] | None] = []
    for vary in range(4):
        for draft in drafts(tool, Bank(), {}, vary):
            arguments.append(draft.arguments)
            if draft.goal in (NEW, ALL):
                arguments += [
                    one.arguments for one in adversarial_calls(tool, draft.arguments, {}, Bank()) if one.tool is None
                ]
    unique = list({json.dumps(a, sort_keys=True): a for a in arguments}.values())[: 2 * MOST]
    return [replace(states[i % len(states)], calls=[Step(str(tool["name"]), a)]) for i, a in enumerate(unique)]


def _deterministic(runs: Sequence[Run], first: Sequence[RunResult], again: Sequence[RunResult]) -> Iterator[Violation]:
    for run, one, other in zip(runs, first, again, strict=True):
        if [a.reply for a in one.answers] != [a.reply for a in other.answers] or one.state != other.state:
            yield Violation("the same seed gives the same bytes", _shown_call(run))
            return


def _quiet(runs: Sequence[Run], ran: Sequence[RunResult], writes: bool) -> Iterator[Violation]:
    slow = 0
    for run, one in zip(runs, ran, strict=True):
        if not one.answers:
            yield Violation("every call is answered", f"{_shown_call(run)}: {one.problem}")
            return
        answer = one.answers[-1]
        if answer.error_kind in FAILURES:
            yield Violation(
                "nothing raises", f"{_shown_call(run)}: {answer.raised or 'not the kernel, but what is around it'}"
            )
            return
        if answer.changed and (not answer.ok or not writes):
            yield Violation("refusals and reads change nothing", _shown_call(run))
            return
        slow += answer.us > SLOWEST_US
    if slow > len(runs) // 10:  # a busy machine makes single runs slow
        yield Violation(f"a call takes no more than {SLOWEST_US // 1000} ms", f"{slow} of {len(runs)} took longer")


def _fits(tool: Mapping[str, Any], runs: Sequence[Run], ran: Sequence[RunResult]) -> Iterator[Violation]:
    schema = tool.get("outputSchema")
    if schema is None:
        return
    validator = jsonschema_rs.validator_for(schema)
    for run, one in zip(runs, ran, strict=True):
        for answer in one.answers[-1:]:
            if answer.ok and not validator.is_valid(answer.reply.get("structuredContent")):
                yield Violation("the output schema holds", _shown_call(run))
                return


def _renamings(
    tool: Mapping[str, Any], cases: Sequence[Case], own: Sequence[str]
) -> Iterator[tuple[Run, Run, Mapping[str, str]]]:
    """Yield recorded calls with the words of state and arguments replaced one to one.

    Replacements preserve length, case and equality. The server's own words and those of the schema stay.
    """
    good = [case for case in cases if case.expect.ok and not case.writers and len(case.run.calls) == 1]
    fixed = _words(tool.get("inputSchema") or {}) | _keys(tool) | _words(list(own))
    for case in good:
        fixed |= _words(case.expect.response) - _words([case.run.state, case.arguments]) | _keys(case.expect.response)
    for case in good[:_RENAMED]:
        ids, times = _drawn(case)
        drawn = _words([*ids, *times])
        names = {word: _other(word) for word in sorted(_words([case.run.state, case.arguments]) - fixed - drawn)}
        names |= {one: _other_id(one) for one in ids}
        if names:
            step = case.run.calls[-1]
            changed = Step(step.tool, _rename(step.arguments, names), step.refs)
            yield case.run, replace(case.run, calls=[changed], state=_rename(case.run.state, names)), names


def _drawn(case: Case) -> tuple[list[str], list[str]]:
    """Return texts of a state that the server generated: ids, and texts that begin with a date."""
    texts = {
        one[name]
        for entity, objects in case.run.state.items()
        for one in objects
        for name in case.volatile.get(entity, ())
        if isinstance(one.get(name), str)
    }
    times = sorted(text for text in texts if _DATE.match(text))
    return sorted(text for text in texts if text not in times and _ID.fullmatch(text)), times


def _other_id(text: str) -> str:
    """Map an id one to one to another of the same form.

    The prefix before the last punctuation mark stays; each digit and letter after it becomes the next one of its kind
    (hexadecimal or other).
    """
    cut = max(text.rfind(sign) for sign in "_:./-") + 1
    return text[:cut] + text[cut:].translate(_NEXT)


def _renames(
    renamed: Sequence[tuple[Run, Run, Mapping[str, str]]], plain: Sequence[RunResult], turned: Sequence[RunResult]
) -> Iterator[Violation]:
    for (run, _, names), one, other in zip(renamed, plain, turned, strict=True):
        if one.answers and other.answers:
            wanted, got = _rename(content_of(one.answers[-1].reply), names), content_of(other.answers[-1].reply)
            if not _same(wanted, got) or not _same(_rename(one.state, names), other.state):
                yield Violation(
                    "a text that is renamed in the input is renamed in the answer",
                    f"{_shown_call(run)} with {dict(names)}",
                )
                return


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal up to the order of lists; renaming changes the order of lists sorted by text."""
    return _sorted(one) == _sorted(other)


def _sorted(value: Any) -> str:
    if isinstance(value, list):
        return f"[{','.join(sorted(_sorted(item) for item in value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{name}:{_sorted(item)}' for name, item in sorted(value.items()))}}}"
    return json.dumps(value)


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(_keys, value.values()))
    return set().union(*map(_keys, value)) if isinstance(value, list) else set()


def _words(value: Any) -> set[str]:
    result: set[str] = set()

    def note(text: str) -> str:
        result.update(_WORD.findall(text))
        return text

    map_texts(value, note)
    return result


def _other(word: str) -> str:
    """Map a word one to one to another of the same length and case: rotate each letter by thirteen."""
    turned = str.maketrans(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM"
    )
    return word.translate(turned)


def _rename(value: Any, names: Mapping[str, str]) -> Any:
    pattern = re.compile(
        r"(?<![A-Za-z])(?:"
        + "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        + r")(?![A-Za-z])"
    )
    return map_texts(value, lambda text: pattern.sub(lambda match: names[match[0]], text))


def _shown_call(run: Run) -> str:
    step = run.calls[-1]
    return f"{step.tool} {json.dumps(step.arguments, ensure_ascii=False)[:300]}"
