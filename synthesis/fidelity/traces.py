"""Read recorded calls of real servers: one JSON object per line.

A trace is `{id, app, tool, given, clock?, arguments, expect}`: `given` is the state before the call, `expect` the real server's
reply. `docs/fidelity.md` describes the members.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from soundstage.bounded_input import Refused, read_json
from soundstage.contexts.engine.clock import parse_moment

Channel = Literal["result", "jsonrpc_error"]


Effects = dict[str, list[dict[str, Any]]]
"""Entity → the objects that were created, updated or deleted, as the member `change` of each says."""

_CHANGES = ("created", "updated", "deleted")


class Expected(BaseModel):
    """The real server's reply.

    Attributes:
        ok: Whether the call succeeded.
        is_error: MCP's flag; None if unknown.
        response: The text or JSON of the reply, the message of a JSON-RPC error, or None after a crash.
        effects: The objects that the call changed.
        state_after: The contents of entities afterwards, by key; None if not recorded.
    """

    model_config = ConfigDict(strict=True)

    ok: bool
    is_error: bool | None = None
    channel: Channel = "result"
    jsonrpc_code: int | None = None
    response: Any
    structured_content: Any = None
    must_contain: list[str] = []
    volatile: list[str] = []
    effects: Effects | None = None
    state_after: dict[str, dict[str, Any]] | None = None

    @model_validator(mode="before")
    @classmethod
    def _move_error(cls, data: Any) -> Any:
        """A response that is JSON-RPC's error object was one, even where the recording calls it a result."""
        response = data.get("response") if isinstance(data, dict) else None
        if not isinstance(response, dict) or response.keys() != {"code", "message"} or data.get("channel") != "result":
            return data
        if not isinstance(response["code"], int) or not -32768 <= response["code"] <= -32000:
            return data
        error = {"channel": "jsonrpc_error", "jsonrpc_code": response["code"], "response": response["message"]}
        return {**data, **error, "is_error": None}


class Provenance(BaseModel):
    """The origin of a recording; `where` names the real server and its version in the recorder's words."""

    model_config = ConfigDict(strict=True)

    where: str


class Origin(BaseModel):
    """The source of an argument value: a place in the reply of an earlier step of the episode."""

    model_config = ConfigDict(strict=True)

    step: int
    path: str


class PriorCall(BaseModel):
    """A call that was made before another one, and changed something."""

    model_config = ConfigDict(strict=True)

    tool: str
    arguments: dict[str, Any] | None = None


class Probe(BaseModel):
    """A read right after a call: its reply as text or JSON, with the volatile parts."""

    model_config = ConfigDict(strict=True)

    tool: str
    arguments: dict[str, Any] | None = None
    response: Any
    volatile: list[str] = []


class Trace(BaseModel):
    """One recorded call.

    Attributes:
        episode: The sequence of calls that it belongs to; it was made after the calls of the earlier steps.
        before: The earlier calls that changed something.
        refs: The arguments that came from replies of earlier steps.
        probes: Reads right after the call, which show the resulting state.
    """

    model_config = ConfigDict(strict=True)

    id: str
    app: str
    tool: str
    given: dict[str, list[dict[str, Any]]]
    clock: str | None = None
    server_generation: str | None = None
    arguments: dict[str, Any] | None
    expect: Expected
    provenance: Provenance | None = None
    episode: str | None = None
    step: int | None = None
    refs: dict[str, Origin] = {}
    before: list[PriorCall] = []
    probes: list[Probe] = []


@dataclass(frozen=True, slots=True)
class Line:
    """A readable line of a trace file."""

    file: str
    number: int
    trace: Trace


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a line, or without a number of a file; `left_out` means that the line was not replayed."""

    file: str
    number: int | None
    text: str
    left_out: bool = True


def read_traces(path: Path) -> tuple[list[Line], list[Problem]]:
    """Read the traces of a file, and the problems of its other lines."""
    name = str(path)
    try:
        rows = path.read_bytes().split(b"\n")
    except OSError as error:
        return [], [Problem(name, None, f"cannot be read ({error.strerror or error})")]
    lines: list[Line] = []
    problems: list[Problem] = []
    for number, row in enumerate(rows, start=1):
        if not row.strip():
            continue
        try:
            lines.append(Line(name, number, _parse(row)))
        except ValueError as error:
            problems.append(Problem(name, number, str(error)))
    return lines, problems


def _parse(row: bytes) -> Trace:
    """A line as a trace.

    Raises:
        ValueError: saying what is wrong with it.
    """
    try:
        value = read_json(row)
    except Refused as refused:
        raise ValueError(str(refused)) from None
    if not isinstance(value, dict):
        raise ValueError("is not a JSON object")
    try:
        trace = Trace.model_validate(value)
    except ValidationError as error:
        raise ValueError("; ".join(_wording(e["loc"], e["msg"]) for e in error.errors())) from None
    if contradictions := _contradictions(trace):
        raise ValueError("; ".join(contradictions))
    return trace


def _wording(where: tuple[int | str, ...], message: str) -> str:
    return f"{'.'.join(str(part) for part in where)}: {message[:1].lower()}{message[1:]}"


def _contradictions(trace: Trace) -> list[str]:
    expect = trace.expect
    result: list[str] = []
    if trace.clock is not None:
        try:
            parse_moment(trace.clock)
        except ValueError as error:
            result.append(f"clock: {error}")
    if expect.channel == "jsonrpc_error":
        if expect.ok:
            result.append("expect.ok is true, yet the reply came on JSON-RPC's error channel")
        if expect.response is not None and not isinstance(expect.response, str):
            result.append("expect.response of a JSON-RPC error is its message, a text")
    if expect.response is None and expect.ok:
        result.append("expect.ok is true, yet there was no reply (expect.response is null)")
    if isinstance(expect.response, str):
        absent = [text for text in expect.must_contain if text not in expect.response]
        result += [f"expect.must_contain: {text!r} does not occur in expect.response" for text in absent]
    for name, objects in (expect.effects or {}).items():
        result += [
            f"expect.effects.{name}.{i}.change: expected one of {', '.join(_CHANGES)}"
            for i, changed in enumerate(objects)
            if changed.get("change") not in _CHANGES
        ]
    return result
