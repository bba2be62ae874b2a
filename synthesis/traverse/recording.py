"""A recording: a folder with a real server's description, the plan of permitted calls, and all calls made, as plain text.

`server.json`, `plan.yaml`, `seeds.jsonl`, `episodes.jsonl`, `repeats.jsonl`, `verdicts.jsonl` and `model.jsonl` are the
sources. All other files are derived from them (`soundstage.synthesis.traverse.derive`) and can be reproduced.

An **episode** is a sequence of calls from a known start: a server that was reset, if possible. A call is written to
`episodes.jsonl` before it is sent (`transport: pending`) and again with its reply. A killed run therefore leaves a record of
every call that may have been made, and a later run resumes without it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, TypeAdapter, ValidationError

from soundstage.bounded_input import JSON_LIMITS, Refused, file_bytes, read_json
from soundstage.synthesis.targets.target import ServerDescription
from soundstage.synthesis.traverse.goals import Goal

if sys.platform == "win32":
    _flock = None
else:
    from fcntl import LOCK_EX, LOCK_NB
    from fcntl import flock as _flock

SERVER, PLAN, SEEDS, EPISODES, VERDICTS = "server.json", "plan.yaml", "seeds.jsonl", "episodes.jsonl", "verdicts.jsonl"
SPLIT = "split.json"
COVERAGE = "coverage.json"
MODEL = "model.jsonl"
"""The cassette with a model's proposals of calls."""
REPEATS = "repeats.jsonl"
"""The replies of repeated episodes, which reveal the volatile parts."""

_TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
"""The names that MCP allows. Tool names become file names and parts of prompts."""
_EPISODE = re.compile(r"[\w.:-]{1,80}", re.ASCII)
_LONGEST_PLACE = 4096
_MOST_STEPS = JSON_LIMITS.depth
_SHOWN = 80

Sent = Literal["pending", "answered", "closed", "timed_out"]
"""The transport state of a call; `pending` until its result is recorded."""


class RecordingError(RuntimeError):
    """The folder is not a recording, or cannot be used now; the message describes the remedy."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The source of an argument value: a place in an earlier reply of the episode.

    `change` describes how the value was modified; None if it was not.
    """

    step: int
    path: str
    change: str | None = None


def _goal_of(value: object) -> Goal:
    """Return a goal from its form in files."""
    if not isinstance(value, str):
        raise ValueError("expected a text")
    return Goal.parse(value)


@dataclass(frozen=True, slots=True)
class Intent:
    """The reason for a call.

    Attributes:
        kind: `setup`, `probe`, `precondition`, `nominal`, or an adversarial kind such as `semantic.not_found`.
        goal: The demonstrated behaviour, unique per tool.
        target: The place that was changed.
        of: The call whose arguments were changed.
        by: The author of the call: `rules`, an `agent`, or a `model`.
    """

    kind: str
    goal: Annotated[Goal, BeforeValidator(_goal_of)]
    target: str | None = None
    of: str | None = None
    by: str = "rules"

    @property
    def is_adversarial(self) -> bool:
        """Whether the call is meant to fail."""
        return self.kind not in ("setup", "probe", "nominal", "sequence")


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded call.

    `arguments`: None if none were sent; `reply` has the form of `soundstage.synthesis.targets`, scrubbed.
    """

    id: str
    episode: str
    step: int
    tool: str
    arguments: dict[str, Any] | None
    intent: Intent
    transport: Sent
    server: str
    refs: Mapping[str, Reference] = field(default_factory=dict)
    reply: dict[str, Any] | None = None
    at: str = ""
    ms: int = 0

    def line(self) -> dict[str, Any]:
        """Return the call as a line of `episodes.jsonl`."""
        data = asdict(self)
        intent = data["intent"] | {"goal": str(self.intent.goal)}
        data["intent"] = {name: value for name, value in intent.items() if value is not None}
        data["refs"] = {
            place: {name: value for name, value in asdict(ref).items() if value is not None}
            for place, ref in self.refs.items()
        }
        unsaid = {name for name in ("refs", "reply", "at", "ms") if not data[name]}
        return {name: value for name, value in data.items() if name not in unsaid}


class Recording:
    """A recording's folder; its files are read on demand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def server(self) -> dict[str, Any]:
        """Read `server.json`: the server's self-description, its tools, and `id`, a hash of both.

        Raises:
            RecordingError
        """
        server = self._json(SERVER)
        if (problem := _problem_of_server(server)) is not None:
            raise RecordingError(f"{self.folder / SERVER}: {problem}")
        return dict(server)

    @property
    def tools(self) -> dict[str, dict[str, Any]]:
        """Return the server's tools by name, in its order."""
        return {tool["name"]: tool for tool in self.server["tools"]}

    def calls(self) -> list[Call]:
        """Return every call in the order of sending, each in its latest recorded state.

        Raises:
            RecordingError: A call is invalid; the message names it and its member.
        """
        result: dict[str, dict[str, Any]] = {}
        for line in self.lines(EPISODES):
            call_id = line.get("id")
            if not isinstance(call_id, str):
                raise RecordingError(f"{self.folder / EPISODES}: a call has no id; expected a text in `id`")
            before = result.get(call_id, {})
            if any(
                before[name] != line.get(name, before[name]) for name in ("episode", "step", "tool") if name in before
            ):
                raise RecordingError(
                    f"{self.folder / EPISODES}: there are two calls {_brief(call_id)}; ids must be unique"
                )
            result[call_id] = before | line
        return [self._call(line) for line in result.values()]

    def _call(self, line: Mapping[str, Any]) -> Call:
        try:
            call = _CALL.validate_python(line)
            problem = _problem_of_call(call)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            problem = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        if problem is not None:
            raise RecordingError(f"{self.folder / EPISODES}: the call {_brief(line['id'])}: {problem}")
        return call

    def seeds(self) -> list[dict[str, Any]]:
        """Return successful calls that a person wrote down: `{tool, arguments, note?}`.

        Raises:
            RecordingError: A line is invalid; the message names it.
        """
        result = list(self.lines(SEEDS))
        for number, seed in enumerate(result, start=1):
            if not isinstance(seed.get("tool"), str) or not isinstance(seed.get("arguments"), dict):
                raise RecordingError(f"{self.folder / SEEDS}:{number}: expected {{tool, arguments, note?}}")
        return result

    def episodes_of(self, share: str) -> frozenset[str]:
        """Return the episodes of a split: train, dev or held-out.

        Raises:
            RecordingError: The recording has no split.
        """
        split = dict(self._json(SPLIT))
        if share not in split.values():
            raise RecordingError(
                f"{self.folder / SPLIT}: no episode is {share!r}; there are: {', '.join(sorted({*split.values()}))}"
            )
        return frozenset(episode for episode, drawn in split.items() if drawn == share)

    def lines(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the lines of one of the recording's files, which are objects; none if the file does not exist.

        An incomplete last line of a killed run is skipped.

        Raises:
            RecordingError: A line cannot be read, or the file is too large; the message names it.
        """
        path = self.folder / name
        if not path.exists():
            return
        try:
            rows = file_bytes(path, JSON_LIMITS).split(b"\n")
        except Refused as refused:
            raise RecordingError(f"{path} {refused}") from None
        for number, row in enumerate(rows, start=1):
            if not row.strip():
                continue
            try:
                line = read_json(row)
            except Refused as refused:
                if number == len(rows):  # every complete line ends with a line break
                    return
                raise RecordingError(f"{path}:{number}: {refused}") from None
            if not isinstance(line, dict):
                raise RecordingError(f"{path}:{number}: expected an object, got {type(line).__name__}")
            yield line

    def append(self, name: str, line: Mapping[str, Any]) -> None:
        """Append a line durably."""
        path = self.folder / name
        with open(path, "ab") as file:
            if file.tell() and not _ends_well(path):
                file.write(b"\n")
            file.write(_row(line))

    def write_lines(self, name: str, lines: Iterable[Mapping[str, Any]]) -> None:
        """Replace one of the recording's files with these lines."""
        self._replace(name, b"".join(_row(line) for line in lines))

    def write_json(self, name: str, value: Any) -> None:
        """Replace one of the recording's files with a JSON value."""
        in_order = name != SERVER  # schemas keep their order: servers answer in the order of their members
        self._replace(name, json.dumps(value, ensure_ascii=False, indent=1, sort_keys=in_order).encode() + b"\n")

    def write_text(self, name: str, text: str) -> None:
        """Replace one of the recording's files with a text."""
        self._replace(name, text.encode())

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the recording against other writers.

        Raises:
            RecordingError: Another process holds the lock.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        file = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if _flock is not None:
                try:
                    _flock(file, LOCK_EX | LOCK_NB)
                except BlockingIOError:
                    raise RecordingError(f"{self.folder} is being written by another run") from None
            yield
        finally:
            os.close(file)

    def _replace(self, name: str, content: bytes) -> None:
        made = self.folder / f".{name}.part"
        made.write_bytes(content)
        made.replace(self.folder / name)

    def _json(self, name: str) -> Any:
        path = self.folder / name
        try:
            return read_json(file_bytes(path, JSON_LIMITS), JSON_LIMITS)
        except OSError:
            raise RecordingError(
                f"{self.folder} is not a recording: it has no {name}; make one with `soundstage traverse plan`"
            ) from None
        except Refused as refused:
            raise RecordingError(f"{path}: {refused}") from None


_CALL = TypeAdapter(Call)


def _problem_of_server(server: Any) -> str | None:
    """Return what is wrong with the content of `server.json`, which another person may have written."""
    match server:
        case {"id": str(), "serverInfo": dict(), "tools": list(tools)}:
            pass
        case _:
            return "expected an object with the members id (a text), serverInfo (an object) and tools (a list)"
    names: set[str] = set()
    for number, tool in enumerate(tools):
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(name, str) or not _TOOL_NAME.fullmatch(name):
            return f"tools[{number}].name: {_brief(name)} is not a tool name; expected 1 to 128 of letters, digits, _, - and ."
        if name in names:
            return f"tools[{number}].name: there is an earlier tool {name!r}; names must be unique"
        names.add(name)
        for member in ("inputSchema", "outputSchema", "annotations"):
            if not isinstance(tool.get(member), dict | None):
                return f"tools[{number}].{member}: expected an object"
    return None


def _problem_of_call(call: Call) -> str | None:
    """Return what is wrong with a recorded call beyond the types of its members."""
    if not _EPISODE.fullmatch(call.episode):
        return f"episode: {_brief(call.episode)} is not an episode; expected up to 80 of letters, digits, _, -, . and :"
    if call.id != call.id.strip() or not call.id.isprintable() or len(call.id) > 200:
        return "id: expected up to 200 printable characters"
    for place, reference in call.refs.items():
        for path in (place, reference.path):
            if len(path) > _LONGEST_PLACE or path.count(".") + path.count("[") > _MOST_STEPS:
                return (
                    f"refs: the place {_brief(path)} is too long; at most {_LONGEST_PLACE} characters and "
                    f"{_MOST_STEPS} levels are read"
                )
    return None


def _brief(value: object) -> str:
    shown = ascii(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def server_json(description: ServerDescription, target: str, package: str | None = None) -> dict[str, Any]:
    """Build `server.json` for a server; `package` is the package that its command is installed from."""
    content: dict[str, Any] = {
        "serverInfo": description.server_info,
        "protocol": description.protocol,
        "capabilities": description.capabilities,
        "instructions": description.instructions,
        "target": target,
        "package": package,
        "tools": list(description.tools),
    }
    identity = {name: value for name, value in content.items() if name not in ("target", "package")}
    digest = hashlib.blake2b(json.dumps(identity, sort_keys=True).encode(), digest_size=16)
    return content | {"id": f"blake2:{digest.hexdigest()}"}


def _row(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass") + b"\n"


def _ends_well(path: Path) -> bool:
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
