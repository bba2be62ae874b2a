"""Sealed trials: plain data of a finished trial, sufficient to grade it again without world, gateway or network.

`seal` reads the session's context while it is open. `to_bytes` and `from_bytes` convert to and from the registry's format;
`lines` returns the same data as JSON objects, one per line, as a bundle stores them.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal
from zoneinfo import ZoneInfo

import orjson

from soundstage.bounded_input import Refused, decompressed
from soundstage.contexts.apps import tables_for
from soundstage.contexts.engine import journal, library
from soundstage.contexts.engine.journal import Change
from soundstage.contexts.engine.schema import Object
from soundstage.contexts.engine.store import Context
from soundstage.gateway.faults import schedule_store
from soundstage.gateway.faults.ledger import ledger
from soundstage.gateway.faults.record import NO_FAULT, read_record
from soundstage.gateway.journal.answer_sources import AnswerSources
from soundstage.grading.cast import People
from soundstage.grading.checks import Outcome
from soundstage.grading.declarations import EntityDeclaration, Link, ToolData, declaration_of
from soundstage.grading.evidence import (
    ContextRecord,
    Evidence,
    InjectedFault,
    Key,
    Step,
    key_of_change,
    read_evidence,
    row_after,
)
from soundstage.grading.task import Task
from soundstage.servers.catalogue import app_names, load_app
from soundstage.servers.tool import Tool

_NO_KERNEL = ("engine", "none")
FORM = 2
"""The format version of a sealed trial; an incompatible format has another number."""

MOST_BYTES = 2**31
"""The size limit of a sealed trial when it is decompressed. A session has at most 1 GiB by default."""

Ended = Literal["answered", "limit_calls", "timeout", "infra", "stopped"]


class SealDamaged(ValueError):
    """The bytes are not a sealed trial, or have a format that this version cannot read."""


@dataclass(frozen=True, slots=True)
class Agent:
    """The agent of a trial, as declared by the run."""

    name: str
    version: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """The agent's resource usage, as reported by the runner."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    turns: int | None = None
    reported_by: Literal["runner"] = "runner"


@dataclass(frozen=True, slots=True)
class Header:
    """Identity and ending of a trial.

    `oracle_calls` is the number of calls in the task's solution. `k` counts a task's trials from 1. `faults` is "off" or a
    schedule's name; `variant` is "default" or a variant's name. Times are wall-clock epoch milliseconds.
    """

    run: str
    trial: str
    task: str
    task_version: int
    task_digest: str
    oracle_calls: int
    k: int
    seed: int
    faults: str
    variant: str
    tools: str
    world: str
    fingerprint: str
    user: str
    zone: str
    apps: tuple[str, ...]
    agent: Agent
    attempt: int
    started_ms: int
    ended_ms: int
    ended: Ended
    outcome: Outcome
    answer: str
    usage: Usage | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the journal.

    `changeset` is the receipt as SQLite wrote it, `changes` the same decoded. `fits` states whether the arguments match the
    tool's schema; None if the tool does not exist. `answered_by` names the call handler if it was not a kernel (see
    `soundstage.gateway.journal.answer_sources`); it is None otherwise, which preserves the original format of those lines.
    """

    step: int
    kind: str
    at_ms: int
    user: str | None
    client: str | None
    app: str | None
    tool: str
    arguments: Any
    ok: bool
    is_error: bool | None
    error_kind: str | None
    reply: Any
    fault: Mapping[str, Any] | None
    changeset: bytes
    changes: list[Change]
    fits: bool | None
    duration_us: int
    answered_by: str | None = None


@dataclass(frozen=True, slots=True)
class EntityData:
    """An entity's declaration as data, see `EntityDeclaration`; `read` is true if its rows contain text for people."""

    key: tuple[str, ...]
    parents: Mapping[str, Link]
    automatic: tuple[str, ...]
    bookkeeping: bool
    outward: bool
    read: bool


@dataclass(frozen=True, slots=True)
class Sealed:
    """A finished trial.

    Attributes:
        start: The initial state of rows that the trial touched, that the task names, or that its checks search.
        texts: Readable text of rows, by the row's digest.
        schedule: The fault schedule that was in force at the end.
        findable: If the agent had to search for tools: the rank at which a search in a tool's own words finds each tool
            that the oracle calls (`app/tool`), or None.
    """

    header: Header
    names: Mapping[str, Key]
    people: People
    schedule: Mapping[str, Any] | None
    entities: Mapping[str, Mapping[str, EntityData]]
    tools: Mapping[str, Mapping[str, ToolData]]
    start: Mapping[Key, Object]
    texts: Mapping[str, str]
    journal: tuple[Line, ...]
    struck: tuple[InjectedFault, ...]
    findable: Mapping[str, int | None] = field(default_factory=dict)
    form: int = field(default=FORM)

    @property
    def head(self) -> str:
        """The last digest of the chain over the whole trial."""
        return chained(began(header_data(self.header)), lines(self))[-1]


def seal(
    context: Context,
    task: Task,
    header: Header,
    names: Mapping[str, Key],
    people: People,
    findable: Mapping[str, int | None] = MappingProxyType({}),
) -> Sealed:
    """Read a trial's session into a sealed trial; the context is not changed."""
    zone = ZoneInfo(header.zone)
    record = ContextRecord(context, struck)
    evidence = read_evidence(record, task, names, people, zone, answer=header.answer, outcome=header.outcome)
    start = {key: h.start for key, h in evidence.touched.items() if h.start is not None} | evidence.start
    rows, answerers = list(journal.read(context)), AnswerSources(context)
    called = {(row.app or "", row.tool) for row in rows} | {(c.app, c.tool) for c in task.oracle}
    return Sealed(
        header=header,
        names=dict(names),
        people=people,
        schedule=schedule_store.current(context)[0],
        entities={app: {e: _entity_data(app, e) for e in context.tables[app].entities} for app in _judged(header.apps)},
        tools=_tools(called),
        start=dict(sorted(start.items())),
        texts=_texts(evidence),
        journal=tuple(_line(context, row, answerers) for row in rows),
        struck=tuple(struck(context)),
        findable=dict(sorted(findable.items())),
    )


def _judged(apps: Iterable[str]) -> list[str]:
    """Return the apps whose rows a trial can change, including shared ones such as the disk."""
    return [name for name in tables_for(apps) if name != library.NAME]


def struck(context: Context) -> list[InjectedFault]:
    """Return the faults injected into a session in the form that grading uses."""
    return [
        InjectedFault(
            entry["step"], str(entry["fault"]), entry["app"], entry["tool"], entry["outage"], entry["recovered"],
            entry["recovered_by"], entry["calls_to_recover"], entry["seconds_to_recover"], entry["flexible"],
            entry["writes"], entry["effects"], entry["doubled"], tuple(entry["again"]),
        )
        for entry in ledger(context)
        if entry["landed"]
    ]  # fmt: skip


def _line(context: Context, row: journal.Row, answerers: AnswerSources) -> Line:
    fault = None if row.fault is None else orjson.loads(row.fault)
    by = answerers.of(row, NO_FAULT if row.fault is None else read_record(row.fault))
    tool = _tool(row.app, (fault or {}).get("called") or row.tool)
    return Line(
        step=row.step,
        kind=row.kind,
        at_ms=row.at_ms,
        user=row.caller.user,
        client=row.caller.client,
        app=row.app,
        tool=row.tool,
        arguments=row.arguments,
        ok=row.ok,
        is_error=row.is_error,
        error_kind=row.error_kind,
        reply=row.reply,
        fault=fault,
        changeset=row.receipt.changeset or b"",
        changes=journal.changes(context, row.receipt.changeset),
        fits=None if tool is None or row.kind != "call" else tool.validator.is_valid(row.arguments or {}),
        duration_us=row.duration_us,
        answered_by=by if by in _NO_KERNEL else None,
    )


def _tool(app: str | None, name: str) -> Tool | None:
    return load_app(app).tools.get(name) if app is not None and app in app_names() else None


def _tools(called: set[tuple[str, str]]) -> dict[str, dict[str, ToolData]]:
    result: dict[str, dict[str, ToolData]] = {}
    for app, name in sorted(called):
        if (tool := _tool(app, name)) is not None:
            required = tuple(_required(tool.input_schema, ""))
            result.setdefault(app, {})[name] = ToolData(tool.effect, tool.entity, required)
    return result


def _required(schema: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the paths of the required leaves of a schema."""
    for name in schema.get("required", ()):
        inner = schema.get("properties", {}).get(name)
        below = list(_required(inner, f"{path}{name}.")) if isinstance(inner, Mapping) else []
        yield from below or [f"{path}{name}"]


def _entity_data(app: str, entity: str) -> EntityData:
    declaration = declaration_of(app, entity)
    automatic = tuple(sorted(declaration.automatic))
    return EntityData(
        declaration.key,
        declaration.parents,
        automatic,
        declaration.bookkeeping,
        declaration.outward,
        read=declaration.text is not None,
    )


def _texts(evidence: Evidence) -> dict[str, str]:
    """Return the readable text of every state of every row in the evidence, by digest."""
    result: dict[str, str] = {}
    for key in {**evidence.start, **evidence.touched}:
        text = evidence.text_of(key[0], key[1])
        if text is None:
            continue
        history = evidence.history(key)
        for row in (history.start, history.made, *(v.row for v in history.versions)):
            if row is not None:
                result[_digest_of(key[0], key[1], row)] = text(row)
    return dict(sorted(result.items()))


def _digest_of(app: str, entity: str, row: Object) -> str:
    return hashlib.blake2b(canonical([app, entity, row]), digest_size=16).hexdigest()


class SealedRecord:
    """Adapter that lets grading read a sealed trial."""

    def __init__(self, sealed: Sealed) -> None:
        self._sealed = sealed
        self._rows: dict[Key, Object | None] = dict(sealed.start)
        for line in sealed.journal:
            for change in line.changes:
                key = key_of_change(change)
                self._rows[key] = row_after(self._rows.get(key), change)

    def steps(self) -> Iterator[Step]:
        """Yield the journal, oldest first."""
        for line in self._sealed.journal:
            yield Step(
                line.step, line.kind, line.at_ms // 1000, line.app, line.tool, line.arguments, line.ok, line.reply,
                line.changes, line.error_kind, line.user, line.fault, line.fits,
            )  # fmt: skip

    def struck(self) -> Iterable[InjectedFault]:
        """Return the injected faults in order."""
        return self._sealed.struck

    def declaration(self, app: str, entity: str) -> EntityDeclaration:
        """Return the declaration of an entity's rows, as stored with the trial."""
        data = self._sealed.entities[app][entity]

        def text(row: Object) -> str:
            own = {name: value for name, value in row.items() if name not in data.parents}
            for read in (row, own):  # grading may add parents to a row's own fields
                if (readable := self._sealed.texts.get(_digest_of(app, entity, read))) is not None:
                    return readable
            raise SealDamaged(f"{self._sealed.header.trial}: the readable text of a row of {app} {entity} is missing")

        automatic = frozenset(data.automatic)
        return EntityDeclaration(
            data.key, data.parents, automatic, data.bookkeeping, data.outward, text if data.read else None
        )

    def row(self, key: Key) -> Object | None:
        """Return a row at the end, or None if it does not exist."""
        return self._rows.get(key)

    def rows(self, app: str, entity: str) -> Iterator[tuple[Key, Object]]:
        """Return an entity's rows at the end."""
        return ((key, row) for key, row in self._rows.items() if key[:2] == (app, entity) and row is not None)


def evidence_of(sealed: Sealed, task: Task) -> Evidence:
    """Return the evidence of a sealed trial, equal to that read from its session."""
    header = sealed.header
    return read_evidence(
        SealedRecord(sealed), task, sealed.names, sealed.people, ZoneInfo(header.zone),
        answer=header.answer, outcome=header.outcome,
    )  # fmt: skip


def task_digest(text: bytes) -> str:
    """Return the digest of the text of a task.yaml."""
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def canonical(value: Any) -> bytes:
    """Serialize to the canonical JSON that digests are computed from."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def header_data(header: Header) -> dict[str, Any]:
    """Return a header as JSON data; unreported turns are omitted, so digests of older trials without them stay valid."""
    data = asdict(header)
    if data["usage"] is not None and data["usage"]["turns"] is None:
        del data["usage"]["turns"]
    return data


def lines(sealed: Sealed) -> list[bytes]:
    """Return a sealed trial as canonical JSON objects, each with one member that names its type."""
    about = {"form": sealed.form, **header_data(sealed.header)}
    people = {p: {app: sorted(ids) for app, ids in known.items()} for p, known in sealed.people.items()}
    result: list[tuple[str, Any]] = [("trial", about), ("names", sealed.names), ("people", people)]
    result.append(("schedule", sealed.schedule))
    result += [
        ("entity", [app, name, asdict(d)])
        for app, of_app in sealed.entities.items()
        for name, d in sorted(of_app.items())
    ]
    result += [("tool", [app, name, asdict(d)]) for app, of_app in sealed.tools.items() for name, d in of_app.items()]
    result += [("row", [*key, row]) for key, row in sealed.start.items()]
    result += [("text", [digest, text]) for digest, text in sealed.texts.items()]
    for line in sealed.journal:
        members = {f.name: getattr(line, f.name) for f in fields(line)}
        if line.answered_by is None:
            del members["answered_by"]
        result.append(("step", members | {"changeset": base64.b64encode(line.changeset).decode()}))
    result += [("struck", asdict(one)) for one in sealed.struck]
    result += [("findable", [tool, place]) for tool, place in sealed.findable.items()]
    return [canonical({name: value}) for name, value in result]


def from_lines(written: Iterable[bytes]) -> Sealed:
    """Parse a sealed trial from its lines.

    Raises:
        SealDamaged: The lines are not a sealed trial.
    """
    by_type: dict[str, list[Any]] = {}
    try:
        for text in written:
            ((name, value),) = orjson.loads(text).items()
            by_type.setdefault(name, []).append(value)
        return _sealed(by_type)
    except SealDamaged:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise SealDamaged(
            f"the lines are not a sealed trial: {type(error).__name__} {error}; expected JSON objects with one member each, "
            "and one each of trial, names, people and schedule"
        ) from None


def _sealed(by_type: Mapping[str, list[Any]]) -> Sealed:
    (about,) = by_type["trial"]
    form = about.pop("form")
    if form != FORM:
        raise SealDamaged(f"this trial is sealed in form {form}; this Soundstage reads form {FORM}")
    usage = about.pop("usage")
    header = Header(
        **about
        | {"agent": Agent(**about["agent"]), "apps": tuple(about["apps"])}
        | {"usage": None if usage is None else Usage(**usage)}
    )
    entities: dict[str, dict[str, EntityData]] = {}
    for app, name, data in by_type.get("entity", []):
        parents = {p: tuple((c, m) for c, m in link) for p, link in data.pop("parents").items()}
        key, automatic = tuple(data.pop("key")), tuple(data.pop("automatic"))
        entities.setdefault(app, {})[name] = EntityData(key=key, automatic=automatic, parents=parents, **data)
    tools: dict[str, dict[str, ToolData]] = {}
    for app, name, data in by_type.get("tool", []):
        tools.setdefault(app, {})[name] = ToolData(data["effect"], data["entity"], tuple(data["required"]))
    steps = [Line(**data | {"changeset": base64.b64decode(data["changeset"])}) for data in by_type.get("step", [])]
    return Sealed(
        header=header,
        names={name: (key[0], key[1], key[2]) for name, key in by_type["names"][0].items()},
        people={p: {app: frozenset(i) for app, i in known.items()} for p, known in by_type["people"][0].items()},
        schedule=by_type["schedule"][0],
        entities=entities,
        tools=tools,
        start={(app, entity, key): row for app, entity, key, row in by_type.get("row", [])},
        texts=dict(by_type.get("text", [])),
        journal=tuple(steps),
        struck=tuple(InjectedFault(**data | {"again": tuple(data["again"])}) for data in by_type.get("struck", [])),
        findable=dict(by_type.get("findable", [])),
    )


def began(about: Mapping[str, Any]) -> bytes:
    """Return the start of a trial's digest chain: the parts of the header that were fixed at its beginning."""
    return canonical([about["task_digest"], about["fingerprint"], about["seed"], about["faults"]])


def chained(began_with: bytes, written: Iterable[bytes]) -> list[str]:
    """Return the digest of each line, computed over the line and the previous digest."""
    digest = hashlib.blake2b(began_with, digest_size=32).digest()
    result: list[str] = []
    for text in written:
        digest = hashlib.blake2b(digest + text, digest_size=32).digest()
        result.append(digest.hex())
    return result


def to_bytes(sealed: Sealed) -> bytes:
    """Return a sealed trial as compressed bytes."""
    return zlib.compress(b"\n".join(lines(sealed)))


def from_bytes(data: bytes) -> Sealed:
    """Parse a sealed trial from the result of `to_bytes`.

    Raises:
        SealDamaged: The bytes are not a sealed trial, or have more than `MOST_BYTES` when decompressed.
    """
    try:
        return from_lines(decompressed(data, MOST_BYTES).split(b"\n"))
    except Refused as refused:
        raise SealDamaged(f"the stored bytes of a sealed trial cannot be read: the data {refused}") from None
