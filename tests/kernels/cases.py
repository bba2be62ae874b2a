"""The cases of all apps: the reply and changes of each tool, one JSON object per line in `tests/kernels/<app>/<tool>.jsonl`.

`{case, given, clock?, user?, before?, arguments, expect: {ok, is_error?, error_kind?, reply | must_contain, changes?}}`

* `case` names the behaviour, once per file.
* `given` is the state before the call, `{entity: [objects]}` with the real API's field names; nothing else exists.
* `clock` is the session's frozen time, by default 2026-03-10T09:00:00Z.
* `user` is the key of the acting account, a row of `given` or none. By default it is the account that the state defines.
* `before` are calls made first, `[{tool, arguments, user?}]`, for states that only calls can create.
* `arguments` are the call's arguments; null means a call without the member.
* `reply` is the client's complete result: the JSON of a single text (structuredContent, if any, must equal it, or contain the
  text as `result`); a single text that is not JSON; `{"error": {…}}` on JSON-RPC's error channel; or else the MCP result.
  `must_contain` are texts that occur in it.
* `changes` is the receipt, row by row: `{entity, id, op, before?, after?}`, in any order. **Without it, nothing may have
  changed**, so that a read or a refusal that touches a row fails.
"""

from __future__ import annotations

import itertools
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.accounts import People
from soundstage.contexts.engine.clock import Clock, parse_moment, to_ms
from soundstage.contexts.engine.journal import Caller
from soundstage.contexts.engine.storage import MemoryStorage
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app
from soundstage.worlds import load_world, start_for

FOLDER = Path(__file__).parent
_MORNING = "2026-03-10T09:00:00Z"
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Case:
    """A line of a tool's file."""

    app: str
    tool: str
    number: int
    line: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.line["case"])

    @property
    def where(self) -> str:
        return f"tests/kernels/{self.app}/{self.tool}.jsonl:{self.number}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a case's call."""

    ok: bool
    is_error: bool | None
    error_kind: str | None
    reply: Any
    changes: list[dict[str, Any]]


def read_cases(app: str, *, tool: str = "*") -> list[Case]:
    """Return an app's cases, or those of one tool.

    Raises:
        ValueError: for a line that is not a valid case, with file and line.
    """
    cases: list[Case] = []
    for file in sorted((FOLDER / app).glob(f"{tool}.jsonl")):
        for number, row in enumerate(file.read_bytes().splitlines(), start=1):
            if not row.strip():
                continue
            try:
                line = orjson.loads(row)
            except orjson.JSONDecodeError as error:
                raise ValueError(f"{file}:{number}: is no JSON ({error})") from None
            if problem := _problem(line):
                raise ValueError(f"{file}:{number}: {problem}")
            cases.append(Case(app, file.stem, number, line))
    return cases


def run_case(case: Case, storage: MemoryStorage, worlds: Path) -> Outcome:
    """Make a case's call in a separate context with only its app; `worlds` stores what is built for it."""
    app = load_app(case.app)
    name = f"case-{next(_numbers)}"
    clock = Clock("frozen", to_ms(parse_moment(case.line.get("clock", _MORNING))))
    with start_for(load_world("empty"), worlds, (app.name,)) as start:
        context = storage.create(name, start, seed=0, clock=clock)
    try:
        record = SessionRecord(name, name, None, "empty", (app.name,), 0, clock, 0, None, durability="memory")
        with context.transaction():
            state.load(context, {app.name: case.line["given"]})
            context.accounts.put(people_of(case))
        session = Session(record, context)
        for call in case.line.get("before", ()):
            dispatch(session, app, call["tool"], call["arguments"], caller=Caller(call.get("user")))
        made = dispatch(session, app, case.tool, case.line["arguments"], caller=Caller(case.line.get("user")))
        (row,) = journal.read(context, after=made.step - 1, limit=1)
        changes = [dict(change) for change in journal.changes(context, row.receipt.changeset)]
    finally:
        storage.delete(name)
    shown = [{k: v for k, v in change.items() if k != "app" and v is not None} for change in changes]
    return Outcome(row.ok, row.is_error, row.error_kind, _shown(row.reply), shown)


def people_of(case: Case) -> People:
    """Return the acting accounts of a case, by their keys."""
    acting = {line["user"] for line in (case.line, *case.line.get("before", ())) if "user" in line}
    return People(accounts={user: {case.app: user} for user in acting})


def mistakes(case: Case, outcome: Outcome) -> list[str]:
    """Return the differences between an outcome and a case's expectation; empty if there are none."""
    expect = case.line["expect"]
    differences: list[str] = []
    for name in ("ok", "is_error", "error_kind", "reply"):
        if name in expect and expect[name] != getattr(outcome, name):
            differences.append(f"{name} is {_json(getattr(outcome, name))}, expected {_json(expect[name])}")
    text = outcome.reply if isinstance(outcome.reply, str) else _json(outcome.reply)
    differences += [f"the reply lacks {part!r}: {text}" for part in expect.get("must_contain", ()) if part not in text]
    left = list(outcome.changes)
    for change in expect.get("changes", ()):
        if change in left:
            left.remove(change)
        else:
            differences.append(f"no such change: {_json(change)}")
    return differences + [f"nobody expected this change: {_json(change)}" for change in left]


def failures(cases: Iterable[Case], storage: MemoryStorage, worlds: Path) -> list[str]:
    """Run cases and return one text per failing case: its file and line, its name, and each difference.

    A case that raises is reported with its traceback; the other cases still run.
    """
    failed: list[str] = []
    for case in cases:
        try:
            problems = mistakes(case, run_case(case, storage, worlds))
        except Exception:
            problems = [traceback.format_exc().rstrip()]
        if problems:
            failed.append("\n".join([f"{case.where}: {case.name}", *problems]))
    return failed


def _problem(line: Any) -> str | None:
    if not isinstance(line, dict):
        return "is no JSON object"
    missing = [name for name in ("case", "given", "arguments", "expect") if name not in line]
    if missing:
        return f"has no {missing[0]!r}"
    strange = line.keys() - {"case", "given", "clock", "user", "before", "arguments", "expect"}
    strange |= line["expect"].keys() - {"ok", "is_error", "error_kind", "reply", "must_contain", "changes"}
    if strange:
        return f"has {min(strange)!r}, which no case knows"
    if "ok" not in line["expect"] or not line["expect"].keys() & {"reply", "must_contain"}:
        return (
            "expects neither a reply nor a part of one" if "ok" in line["expect"] else "does not say whether it is ok"
        )
    return None


def _shown(reply: Any) -> Any:
    if not isinstance(reply, dict):
        return reply
    result = {k: v for k, v in reply.items() if k != "isError"}
    content = reply.get("content")
    if not content or len(content) != 1 or content[0]["type"] != "text":
        return result
    text = content[0]["text"]
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        value = None
    shown = value if isinstance(value, dict | list) else text
    # Python's FastMCP repeats a text as {"result": text}.
    return shown if reply.get("structuredContent", shown) in (shown, {"result": text}) else result


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
