"""A pool: a folder with a real server's description, what may be called of it, and every call that was made, as plain text.

`server.json`, `plan.yaml`, `seeds.jsonl`, `episodes.jsonl`, `repeats.jsonl`, `verdicts.jsonl` and `model.jsonl` are what was
found out and decided; all other files are derived from them (`soundstage.synthesis.traverse.derive`) and can be made again.

An **episode** is a sequence of calls from a known start: a server that was reset, where it can be. A call stands in
`episodes.jsonl` before it is sent (`transport: pending`), and once more when it has been answered; so a run that was killed
tells what may have happened, and goes on without it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from soundstage.bounded_input import JSON_LIMITS, Refused, read_json
from soundstage.synthesis.target.target import Introduced

if sys.platform == "win32":
    _flock = None
else:
    from fcntl import LOCK_EX, LOCK_NB
    from fcntl import flock as _flock

SERVER, PLAN, SEEDS, EPISODES, VERDICTS = "server.json", "plan.yaml", "seeds.jsonl", "episodes.jsonl", "verdicts.jsonl"
SPLIT = "split.json"
COVERAGE = "coverage.json"
MODEL = "model.jsonl"
"""What a model answered that was asked for calls, as a cassette keeps it."""
REPEATS = "repeats.jsonl"
"""The replies of episodes that were made a second time, to see what of a reply varies by itself."""

Sent = Literal["pending", "answered", "closed", "timed_out"]
"""What came of a call; `pending` as long as nobody knows."""


class PoolError(RuntimeError):
    """A folder that is no pool, or one that cannot be used now; the message says what would be right."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Where a value of a call's arguments comes from: a place in the reply of an earlier step of the episode, and how it was
    changed on the way (None: not at all).
    """

    step: int
    path: str
    change: str | None = None


@dataclass(frozen=True, slots=True)
class Intent:
    """Why a call was made. `kind` is `setup`, `probe`, `precondition`, `nominal`, or an adversarial kind such as
    `semantic.not_found`; `goal` names what it is to show, once for each tool; `target` is the place that was changed, `of` the
    call whose arguments were; `by` whom it was thought of: `rules`, an `agent`, a `model`.
    """

    kind: str
    goal: str
    target: str | None = None
    of: str | None = None
    by: str = "rules"

    @property
    def adverse(self) -> bool:
        """Whether the call is meant to fail."""
        return self.kind not in ("setup", "probe", "nominal", "sequence")


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded call. `arguments` None were not sent at all; `reply` is what `soundstage.synthesis.target` gives, scrubbed."""

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
        """The call as a line of `episodes.jsonl`."""
        told = asdict(self)
        told["intent"] = {name: value for name, value in told["intent"].items() if value is not None}
        told["refs"] = {
            place: {name: value for name, value in asdict(ref).items() if value is not None}
            for place, ref in self.refs.items()
        }
        unsaid = {name for name in ("refs", "reply", "at", "ms") if not told[name]}
        return {name: value for name, value in told.items() if name not in unsaid}

    @classmethod
    def of_line(cls, line: Mapping[str, Any]) -> Call:
        refs = {place: Reference(**ref) for place, ref in line.get("refs", {}).items()}
        return cls(**{**line, "intent": Intent(**line["intent"]), "refs": refs})


class Pool:
    """A pool's folder. Nothing is read before it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def server(self) -> dict[str, Any]:
        """`server.json`: what the server says of itself, its tools, and `id`, a hash of all that.

        Raises:
            PoolError
        """
        return dict(self._json(SERVER))

    @property
    def tools(self) -> dict[str, dict[str, Any]]:
        """The server's tools by name, as it lists them."""
        return {tool["name"]: tool for tool in self.server["tools"]}

    def calls(self) -> list[Call]:
        """Every call, in the order in which they were sent, each as it was last told."""
        found: dict[str, dict[str, Any]] = {}
        for line in self.lines(EPISODES):
            found[line["id"]] = found.get(line["id"], {}) | line
        return [Call.of_line(line) for line in found.values()]

    def seeds(self) -> list[dict[str, Any]]:
        """Calls that somebody wrote down as successful ones: `{tool, arguments, note?}`.

        Raises:
            PoolError: naming the line that is none.
        """
        found = list(self.lines(SEEDS))
        for number, seed in enumerate(found, start=1):
            if not isinstance(seed.get("tool"), str) or not isinstance(seed.get("arguments"), dict):
                raise PoolError(f"{self.folder / SEEDS}:{number}: expected {{tool, arguments, note?}}")
        return found

    def episodes_of(self, share: str) -> frozenset[str]:
        """The episodes of a share of the pool: train, dev or held-out.

        Raises:
            PoolError: it has none.
        """
        split = dict(self._json(SPLIT))
        if share not in split.values():
            raise PoolError(
                f"{self.folder / SPLIT}: no episode is {share!r}; there are: {', '.join(sorted({*split.values()}))}"
            )
        return frozenset(episode for episode, drawn in split.items() if drawn == share)

    def lines(self, name: str) -> Iterator[dict[str, Any]]:
        """The lines of one of the pool's files; of one that is not there, none. A last line that a killed run left broken is no
        line.

        Raises:
            PoolError: naming a line that cannot be read.
        """
        path = self.folder / name
        if not path.exists():
            return
        rows = path.read_bytes().split(b"\n")
        for number, row in enumerate(rows, start=1):
            if not row.strip():
                continue
            try:
                yield read_json(row)
            except Refused as refused:
                if number == len(rows):  # every whole line ends with a line break
                    return
                raise PoolError(f"{path}:{number}: {refused}") from None

    def append(self, name: str, line: Mapping[str, Any]) -> None:
        """Add a line, which outlives this process from here on."""
        path = self.folder / name
        with open(path, "ab") as file:
            if file.tell() and not _ends_well(path):
                file.write(b"\n")
            file.write(_row(line))

    def write_lines(self, name: str, lines: Iterable[Mapping[str, Any]]) -> None:
        self._replace(name, b"".join(_row(line) for line in lines))

    def write_json(self, name: str, value: Any) -> None:
        in_order = name != SERVER  # schemas stay as they are listed: servers answer in the order of their members
        self._replace(name, json.dumps(value, ensure_ascii=False, indent=1, sort_keys=in_order).encode() + b"\n")

    def write_text(self, name: str, text: str) -> None:
        self._replace(name, text.encode())

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep others from writing into the pool.

        Raises:
            PoolError: somebody does already.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        file = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if _flock is not None:
                try:
                    _flock(file, LOCK_EX | LOCK_NB)
                except BlockingIOError:
                    raise PoolError(f"{self.folder} is being written by another run") from None
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
            return read_json(path.read_bytes(), JSON_LIMITS)
        except OSError:
            raise PoolError(
                f"{self.folder} is no pool: it has no {name}; make one with `soundstage traverse plan`"
            ) from None
        except Refused as refused:
            raise PoolError(f"{path}: {refused}") from None


def describe(introduced: Introduced, target: str, package: str | None = None) -> dict[str, Any]:
    """What `server.json` holds of a server; `package` is what its command is installed from."""
    told: dict[str, Any] = {
        "serverInfo": introduced.server_info,
        "protocol": introduced.protocol,
        "capabilities": introduced.capabilities,
        "instructions": introduced.instructions,
        "target": target,
        "package": package,
        "tools": list(introduced.tools),
    }
    identity = {name: value for name, value in told.items() if name not in ("target", "package")}
    digest = hashlib.blake2b(json.dumps(identity, sort_keys=True).encode(), digest_size=16)
    return told | {"id": f"blake2:{digest.hexdigest()}"}


def _row(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass") + b"\n"


def _ends_well(path: Path) -> bool:
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
