"""What holds of every simulator, whatever its real server does; no recording is needed for it, and samples miss it.

The same seed gives the same bytes. Refusals and reads change nothing. Nothing raises, nothing is slow, an output schema holds. A
state that is told and put again answers alike. And what is renamed everywhere is renamed in the answer: a table of recordings
fails at that at once.
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
from soundstage.synthesis.generate.sandbox import Ran, Run, Sandbox, Step
from soundstage.synthesis.traverse.adversarial import adverse
from soundstage.synthesis.traverse.arguments import drafts
from soundstage.synthesis.traverse.places import with_texts
from soundstage.synthesis.traverse.replies import told
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
class Broken:
    """A law that does not hold, and what shows it."""

    law: str
    shown: str

    def __str__(self) -> str:
        return f"{self.law}: {self.shown}"


def broken_laws(
    sandbox: Sandbox,
    app: str,
    files: Files,
    tool: Mapping[str, Any],
    writes: bool,
    cases: Sequence[Case],
    own: Sequence[str] = (),
) -> list[Broken]:
    """The laws that one tool's candidate breaks. `tool` is as the server lists it; `cases` are recordings to begin from, `own`
    what the server says by itself at every start, which is not renamed.

    Raises:
        SandboxFailed
    """
    runs = [*_fuzzed(tool, cases), *(case.run for case in cases[:_RENAMED])]
    first = sandbox.run(app, files, runs, seconds=120.0)
    # In the other order, so that what one call leaves in the code for another shows.
    again = sandbox.run(app, files, runs[::-1], seconds=120.0)[::-1]
    found = [*_deterministic(runs, first, again), *_quiet(runs, first, writes), *_fits(tool, runs, first)]
    renamed = list(_renamings(tool, cases, own))
    if renamed:
        other = sandbox.run(app, files, [run for _, run, _ in renamed], seconds=120.0)
        plain = sandbox.run(app, files, [run for run, _, _ in renamed], seconds=120.0)
        found += _renames(renamed, plain, other)
    return found


def remembered(files: Files, values: Sequence[str], words: Sequence[str]) -> list[str]:
    """String constants of a candidate that are values of a recording, and no words of a refusal: what it learned by heart."""
    known = [value for value in values if len(value) >= _LONG and not any(value in word for word in words)]
    return sorted(
        {value for content in files.values() for value in known if json.dumps(value)[1:-1].encode() in content}
    )


def _fuzzed(tool: Mapping[str, Any], cases: Sequence[Case]) -> list[Run]:
    """Valid and invalid arguments, each from a state of a recording."""
    states = [case.run for case in cases if len(case.run.calls) == 1] or [Run([])]
    asked: list[dict[str, Any] | None] = []
    for vary in range(4):
        for draft in drafts(tool, Bank(), {}, vary):
            asked.append(draft.arguments)
            if draft.goal in ("nominal:new", "nominal:all"):
                asked += [one.arguments for one in adverse(tool, draft.arguments, {}, Bank()) if one.tool is None]
    unique = list({json.dumps(a, sort_keys=True): a for a in asked}.values())[: 2 * MOST]
    return [replace(states[i % len(states)], calls=[Step(str(tool["name"]), a)]) for i, a in enumerate(unique)]


def _deterministic(runs: Sequence[Run], first: Sequence[Ran], again: Sequence[Ran]) -> Iterator[Broken]:
    for run, one, other in zip(runs, first, again, strict=True):
        if [a.reply for a in one.answers] != [a.reply for a in other.answers] or one.state != other.state:
            yield Broken("the same seed gives the same bytes", _asked(run))
            return


def _quiet(runs: Sequence[Run], ran: Sequence[Ran], writes: bool) -> Iterator[Broken]:
    slow = 0
    for run, one in zip(runs, ran, strict=True):
        if not one.answers:
            yield Broken("every call is answered", f"{_asked(run)}: {one.problem}")
            return
        answer = one.answers[-1]
        if answer.error_kind in FAILURES:
            yield Broken("nothing raises", f"{_asked(run)}: {answer.raised or 'not the kernel, but what is around it'}")
            return
        if answer.changed and (not answer.ok or not writes):
            yield Broken("refusals and reads change nothing", _asked(run))
            return
        slow += answer.us > SLOWEST_US
    if slow > len(runs) // 10:  # a busy machine makes single ones slow
        yield Broken(f"a call takes no more than {SLOWEST_US // 1000} ms", f"{slow} of {len(runs)} took longer")


def _fits(tool: Mapping[str, Any], runs: Sequence[Run], ran: Sequence[Ran]) -> Iterator[Broken]:
    schema = tool.get("outputSchema")
    if schema is None:
        return
    validator = jsonschema_rs.validator_for(schema)
    for run, one in zip(runs, ran, strict=True):
        for answer in one.answers[-1:]:
            if answer.ok and not validator.is_valid(answer.reply.get("structuredContent")):
                yield Broken("the output schema holds", _asked(run))
                return


def _renamings(
    tool: Mapping[str, Any], cases: Sequence[Case], own: Sequence[str]
) -> Iterator[tuple[Run, Run, Mapping[str, str]]]:
    """Recorded calls with the words of the state and of the arguments replaced one for one: they keep length and case, and what
    is equal stays equal. Words that replies have of their own, and those of the schema, stay.
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
    """Texts of a state that the server drew itself: ids, and what begins as a date does."""
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
    """Another id of the same form, one for one: what stands before the last sign stays, digits and letters of hexadecimal numbers
    and others become the next ones of their kind.
    """
    cut = max(text.rfind(sign) for sign in "_:./-") + 1
    return text[:cut] + text[cut:].translate(_NEXT)


def _renames(
    renamed: Sequence[tuple[Run, Run, Mapping[str, str]]], plain: Sequence[Ran], turned: Sequence[Ran]
) -> Iterator[Broken]:
    for (run, _, names), one, other in zip(renamed, plain, turned, strict=True):
        if one.answers and other.answers:
            wanted, got = _rename(told(one.answers[-1].reply), names), told(other.answers[-1].reply)
            if not _same(wanted, got) or not _same(_rename(one.state, names), other.state):
                yield Broken("what is renamed everywhere is renamed in the answer", f"{_asked(run)} with {dict(names)}")
                return


def _same(one: Any, other: Any) -> bool:
    """Whether two values tell the same, lists in any order: what is sorted by a text is sorted otherwise when it is renamed."""
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
    found: set[str] = set()

    def note(text: str) -> str:
        found.update(_WORD.findall(text))
        return text

    with_texts(value, note)
    return found


def _other(word: str) -> str:
    """Another word of the same length and case, one for one: each letter moved on by thirteen."""
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
    return with_texts(value, lambda text: pattern.sub(lambda found: names[found[0]], text))


def _asked(run: Run) -> str:
    step = run.calls[-1]
    return f"{step.tool} {json.dumps(step.arguments, ensure_ascii=False)[:300]}"
