"""The oracle: calls that solve a task, with references to earlier replies, and the wrong runs derived from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from soundstage.grading.task import DerivedRun, OracleCall, Task

_REFERENCE = re.compile(r"\$\{([A-Za-z_]\w*)((?:\.[^.\[\]{}]+|\[(?:\*|-?\d+)\])*)\}")
_ID = re.compile(r"@\{([A-Za-z_]\w*)\}")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\*|-?\d+)\]")
_TEXTS = (
    "text", "content", "markdown", "desc", "description", "content_markdown", "body", "message", "new_text", "caption"
)  # fmt: skip


class OracleError(ValueError):
    """The oracle's calls cannot be made as written: a reference cannot be resolved."""


@dataclass(frozen=True, slots=True)
class Script:
    """Calls in order, followed by the answer and the outcome; `name` identifies the run."""

    name: str
    calls: tuple[OracleCall, ...]
    answer: str
    outcome: str = "done"


def oracle(task: Task) -> Script:
    """Return the task's own solution."""
    return Script("oracle", task.oracle, task.oracle_answer, task.oracle_outcome)


def ids_of(
    names: Mapping[str, tuple[str, str, str]], people: Mapping[str, Mapping[str, frozenset[str]]]
) -> Callable[[str, str], str]:
    """Return a function that resolves `@name` in an app to the id of a named row or person."""

    def resolve(name: str, app: str) -> str:
        if name in names:
            return names[name][2].rpartition("/")[2]
        known = people.get(name, {}).get(app)
        if not known:
            raise OracleError(f"@{name} is neither among the task's names nor a person with an account in {app}")
        return min(known)

    return resolve


def play(
    script: Script, ids: Callable[[str, str], str], make: Callable[[str, str, Any], Any]
) -> Iterator[tuple[str, Any]]:
    """Make a script's calls in order and yield each call's label and reply.

    `make(app, tool, arguments)` returns a reply as JSON or text; `ids(name, app)` the id of a task name.

    Raises:
        OracleError: A reference cannot be resolved; the message names it and the call.
    """
    replies: dict[str, Any] = {}
    for call in script.calls:
        if call.each is None:
            replies[call.as_] = make(call.app, call.tool, _filled(call.with_, call, replies, ids))
        else:
            items = _filled(call.each, call, replies, ids)
            if not isinstance(items, list):
                raise OracleError(f"{call.as_}: each: {call.each} is not a list")
            replies[call.as_] = [
                make(call.app, call.tool, _filled(call.with_, call, {**replies, "each": item}, ids)) for item in items
            ]
        yield call.as_, replies[call.as_]


def _filled(value: Any, call: OracleCall, replies: Mapping[str, Any], ids: Callable[[str, str], str]) -> Any:
    """Replace `${as.path}` and `@name` (inside a text `@{name}`) in arguments.

    A text that consists of a single reference becomes the value itself.
    """
    if isinstance(value, dict):
        return {k: _filled(v, call, replies, ids) for k, v in value.items()}
    if isinstance(value, list):
        return [_filled(v, call, replies, ids) for v in value]
    if not isinstance(value, str):
        return value
    if value.startswith("@") and value[1:].isidentifier():
        return ids(value[1:], call.app)
    if (whole := _REFERENCE.fullmatch(value)) is not None:
        return _taken(whole, call, replies)
    value = _ID.sub(lambda match: ids(match[1], call.app), value)
    return _REFERENCE.sub(lambda match: str(_taken(match, call, replies)), value)


def _taken(match: re.Match[str], call: OracleCall, replies: Mapping[str, Any]) -> Any:
    label, path = match.groups()
    if label not in replies:
        raise OracleError(f"{call.as_}: {match[0]}: there is no earlier call {label!r}")
    values, many = [replies[label]], False
    for member, index in _STEP.findall(path):
        try:
            if index == "*":
                values, many = [item for v in values for item in v], True
            else:
                values = [v[member] if member else v[int(index)] for v in values]
        except (KeyError, IndexError, TypeError):
            raise OracleError(f"{call.as_}: {match[0]}: the reply of {label!r} holds no such value") from None
    return values if many else values[0]


def references(call: OracleCall) -> set[str]:
    """Return the earlier calls that a call references or has to follow."""
    written = orjson.dumps([call.with_, call.each]).decode()
    return ({match[1] for match in _REFERENCE.finditer(written)} - {"each"}) | set(call.after)


def derived_script(task: Task, how: DerivedRun) -> Script:
    """Return the run that an equivalent or a near miss describes.

    Raises:
        OracleError: It sets an argument that the call does not have.
    """
    calls: list[OracleCall] = []
    for call in task.oracle:
        if call.as_ in how.drop:
            continue
        if call.as_ in how.replace:
            call = call.model_copy(update=_renamed(how.replace[call.as_]))
        for path, value in how.set.get(call.as_, {}).items():
            call = with_text(call, str(value)) if path == "text" else _set(call, path, value)
        calls.append(call)
        if call.as_ in how.repeat:
            calls.append(call.model_copy(update={"as_": f"{call.as_}_again"}))
    calls += how.add
    answer = task.oracle_answer if how.answer is None else how.answer
    return Script(how.name, tuple(calls), answer, task.oracle_outcome)


def dropped(script: Script, label: str) -> Script:
    """Return the run without one call and without those that need its reply."""
    gone = {label}
    calls: list[OracleCall] = []
    for call in script.calls:
        written = orjson.dumps([call.with_, call.each]).decode()
        if call.as_ in gone or any(match[1] in gone for match in _REFERENCE.finditer(written)):
            gone.add(call.as_)
        else:
            calls.append(call)
    return replace(script, name=f"without {label}", calls=tuple(calls))


def repeated(script: Script, label: str) -> Script:
    """Return the run with one call made twice."""
    calls = [
        c
        for call in script.calls
        for c in ([call, call.model_copy(update={"as_": f"{label}_again"})] if call.as_ == label else [call])
    ]
    return replace(script, name=f"{label} twice", calls=tuple(calls))


def with_text(call: OracleCall, text: str) -> OracleCall:
    """Return the call with another text in its text argument, either directly or inside its JSON.

    Raises:
        OracleError: The call has no text argument.
    """
    changed, done = _with_text_at(call.with_, text)
    if not done:
        raise OracleError(f"{call.as_}: none of its arguments is a text ({', '.join(_TEXTS)})")
    return call.model_copy(update={"with_": changed})


def _with_text_at(value: Any, text: str) -> tuple[Any, bool]:
    if isinstance(value, list):
        for i, inner in enumerate(value):
            changed, done = _with_text_at(inner, text)
            if done:
                return [*value[:i], changed, *value[i + 1 :]], True
    if not isinstance(value, dict):
        return value, False
    for name in _TEXTS:
        if isinstance(value.get(name), str):
            return {**value, name: _reworded(value[name], text)}, True
    for name, inner in value.items():
        changed, done = _with_text_at(inner, text)
        if done:
            return {**value, name: changed}, True
    return value, False


def _reworded(before: str, text: str) -> str:
    try:
        document = orjson.loads(before)
    except orjson.JSONDecodeError:
        return text
    return (
        orjson.dumps({**document, "text": text}).decode() if isinstance(document, dict) and "text" in document else text
    )


def _set(call: OracleCall, path: str, value: Any) -> OracleCall:
    parts = path.split(".")
    if parts[0] != "with":
        raise OracleError(f"{call.as_}: {path!r} is not set: paths begin with `with`, or it is `text`")
    return call.model_copy(update={"with_": _put(call.with_, parts[1:], value)})


def _put(holder: Any, parts: list[str], value: Any) -> Any:
    if not parts:
        return value
    if isinstance(holder, list):
        i = int(parts[0])
        return [_put(v, parts[1:], value) if n == i else v for n, v in enumerate(holder)]
    members = holder if isinstance(holder, dict) else {}
    return {**members, parts[0]: _put(members.get(parts[0]), parts[1:], value)}


def _renamed(written: Mapping[str, Any]) -> dict[str, Any]:
    return {"with_" if k == "with" else "as_" if k == "as" else k: v for k, v in written.items()}
