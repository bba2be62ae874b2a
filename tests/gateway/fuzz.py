"""Thousands of calls of each app's tools, each checked against the promises that every call makes.

`python -m tests.gateway.fuzz slack notion` (`make fuzz-calls APP=slack`) prints a line per app and world, and each broken
promise with the call that broke it.

Arguments are generated from a tool's schema and from the session's state and earlier replies. Some of them are broken on
purpose. A call promises that

- no kernel raises, and the reply has a form that the real server's replies have (`envelopes`);
- a refused call changes nothing but what its server stores in its process (`KEPT_ALL_THE_SAME`), unless the tool does several
  things at once (`PARTLY`);
- only rows of the app, the session's files and its web change;
- the clock moves by its tick and by the time that the app reports to have waited;
- nothing in the reply reveals that the app is a simulation;
- a replay of the session's calls gives the same bytes and leaves the same state, and undoing them restores the initial state.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mcp_types
from pydantic import TypeAdapter, ValidationError
from structlog.testing import capture_logs

from soundstage.contexts.engine import budget, journal, state
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.disk import NAME as DISK
from soundstage.contexts.engine.storage import MemoryStorage
from soundstage.contexts.engine.store import digest
from soundstage.contexts.engine.web import NAME as WEB
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.servers.catalogue import App, app_names, load_app
from soundstage.servers.reply import Answer, ProtocolFailure
from soundstage.worlds import built, load_world
from tests import built_worlds
from tests.gateway.calls import LearningMaker
from tests.gateway.envelopes import misfit
from tests.gateway.long_strings import SIZES, LongStrings
from tests.kernels.cases import read_cases

WORLDS = ("studio", "campus")
PIECE = 125
"""Calls per session. Each session is then replayed and undone."""

KEPT_ALL_THE_SAME: frozenset[tuple[str, str]] = frozenset(
    {
        ("medical", "cache"),
        ("medical", "cache_entry"),
        ("playwright", "browser"),
        ("playwright", "tab"),
        ("playwright", "codegen_session"),
        ("playwright", "response_wait"),
        ("puppeteer", "browser"),
        ("puppeteer", "tab"),
        ("wecom", "webhook_robot"),
        ("email_163", "account"),
    }
)
"""State that a real server stores in its process or its browser, by app and entity. A change made before a refusal stays."""

PARTLY: frozenset[tuple[str, str]] = frozenset({("gmail", "batch_modify_emails"), ("gmail", "batch_delete_emails")})
"""Tools, by app and name, that do several independent things: one of them may fail while the others succeed."""

_REVEALING = re.compile(
    r"soundstage|apsw|orjson|sqlite3?\.|AppContext|Traceback \(most recent|object at 0x|/kernels/|/src/"
)
_TELLS_IN_A_REFUSAL = re.compile(
    r"\bsimulat|\bmock(?:ed|s)?\b|\bfixtures?\b|\bstubs?\b|\bfaked?\b|not implemented", re.IGNORECASE
)
_RESULT = TypeAdapter(mcp_types.CallToolResult)


@dataclass(slots=True)
class Outcome:
    """The outcome of the calls of an app in a world."""

    app: str
    world: str
    calls: int = 0
    done: int = 0
    seconds: float = 0.0
    tools: set[str] = field(default_factory=set)
    broken: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        share, pace = self.done / max(self.calls, 1), self.calls / max(self.seconds, 1e-9)
        return (
            f"{self.app:14} {self.world:7} {self.calls:6} calls {share:6.1%} succeeded, {len(self.tools)} tools did, "
            f"{len(self.broken)} broken promises, {pace:.0f} calls/s"
        )


class Fuzz:
    """Sessions in memory of one world, and calls in them."""

    def __init__(self, world: str, folder: Path) -> None:
        self.world = load_world(world)
        self._file = built(self.world, folder)
        self._storage = MemoryStorage()
        self._sessions = Sessions(Settings(data=folder, built=folder))
        self._made = 0

    def run(self, app: App, calls: int, seed: int = 0, piece: int = PIECE) -> Outcome:
        """Make `calls` calls of an app, in sessions of `piece` calls each."""
        outcome = Outcome(app.name, self.world.name)
        started = time.perf_counter()
        for number, start in enumerate(range(0, calls, piece)):
            self._piece(app, outcome, min(piece, calls - start), seed * 1_000_003 + number)
        outcome.seconds = time.perf_counter() - started
        return outcome

    def _piece(self, app: App, outcome: Outcome, calls: int, seed: int) -> None:
        session = self._session(seed)
        context = session.context
        before = digest(context)
        maker = LearningMaker(seed, state.dump(context, app.name).get(app.name, {}))
        for case in read_cases(app.name):
            maker.suggest(case.line["arguments"])
        tools = list(app.tools.values())
        with capture_logs() as logs:
            for number in range(calls):
                tool = tools[maker.random.randrange(len(tools))]
                chance = maker.random.random()
                make = maker.fitting if chance < 0.8 else maker.odd if chance < 0.9 else maker.broken
                arguments = make(tool)
                clock = context.read_meta().clock
                logs.clear()
                call = dispatch(session, app, tool.name, arguments)
                answer = call.delivery.answer
                outcome.calls += 1
                if answer.ok:
                    outcome.done += 1
                    outcome.tools.add(tool.name)
                    maker.learn(arguments)
                waited = context.read_meta().clock.at_ms - clock.at_ms - clock.tick_ms
                wrongs = [f"raised: {entry.get('exc_info') or entry}" for entry in logs]
                wrongs += self._wrongs(session, app, tool.name, arguments, answer, waited)
                for wrong in wrongs:
                    shown = json.dumps(arguments, ensure_ascii=False)[:1500]
                    outcome.broken.append(f"{app.name} {self.world.name} {seed}:{number} {tool.name} {shown}: {wrong}")
                for text in texts_of_reply(answer):
                    maker.learn_text(text)
        for wrong in self._again(app, session, seed, before):
            outcome.broken.append(f"{app.name} {self.world.name} {seed}: {wrong}")
        self._storage.delete(session.id)

    def _wrongs(
        self, session: Session, app: App, tool: str, arguments: dict[str, Any], answer: Answer, waited_ms: int
    ) -> Iterator[str]:
        context = session.context
        if not isinstance(answer, ProtocolFailure):
            try:
                _RESULT.validate_python(answer.wire())
            except ValidationError as error:
                yield f"is no result of MCP: {error}"
        if (wrong := misfit(app.name, answer)) is not None:
            yield wrong
        (row,) = journal.read(context, after=journal.last_step(context) - 1)
        changes = journal.changes(context, row.receipt.changeset)
        lasting = [change for change in changes if (change["app"], change["entity"]) not in KEPT_ALL_THE_SAME]
        if lasting and not answer.ok and (app.name, tool) not in PARTLY:
            yield f"was refused ({str(answer.wire())[:300]}) and changed {str(lasting)[:500]}"
        for other in {change["app"] for change in changes} - {app.name, DISK, WEB}:
            yield f"changed rows of {other}"
        if waited_ms != context.waited_ms:
            yield f"moved the clock by {waited_ms} ms beside its tick, and told of {context.waited_ms}"
        sent = json.dumps(arguments, ensure_ascii=False)
        for text in texts_of_reply(answer):
            telling = _REVEALING.search(text) or (None if answer.ok else _TELLS_IN_A_REFUSAL.search(text))
            if telling and telling[0] not in sent:
                yield f"gives the simulation away: {text[max(0, telling.start() - 100) : telling.end() + 100]!r}"

    def _again(self, app: App, session: Session, seed: int, before: str) -> Iterator[str]:
        again = self._session(seed)
        rows = list(journal.read(session.context))
        for mismatch in replay(self._sessions, rows, again)[:3]:
            row = rows[mismatch.step - 1]
            yield (
                f"step {mismatch.step} ({row.tool} {str(row.arguments)[:500]}) gives {str(mismatch.got)[:500]} when it is "
                f"played again, and gave {str(mismatch.expected)[:500]}"
            )
        if digest(again.context) != digest(session.context):
            yield "leaves another state when it is played again"
        self._storage.delete(again.id)
        journal.rewind(session.context, 0)
        if digest(session.context) != before:
            yield "leaves another state when it is taken back"

    def _session(self, seed: int) -> Session:
        self._made += 1
        name = f"fuzz-{self.world.name}-{self._made}"
        clock = Clock("tick", self.world.epoch_ms)
        context = self._storage.create(name, self._file, seed=seed, clock=clock)
        record = SessionRecord(
            name, name, None, self.world.name, app_names(), seed, clock, 0, None, durability="memory"
        )
        return Session(record, context)


def texts_of_reply(answer: Answer) -> list[str]:
    """Return the texts of a reply."""
    if isinstance(answer, ProtocolFailure):
        return [answer.message]
    return [block["text"] for block in answer.content if block["type"] == "text"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("apps", nargs="*", metavar="APP", help="all, where none is named")
    parser.add_argument("--world", action="append", help="studio and campus, where none is named")
    parser.add_argument("--calls", type=int, default=5000, help="of each app, in each world")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--piece", type=int, default=PIECE, help="how many calls a session gets")
    parser.add_argument("--long", action="store_true", help="make calls with long strings instead: see long_strings.py")
    parser.add_argument("--share", type=float, default=1.0, help="of the calls with long strings")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="of long strings, in characters")
    chosen = parser.parse_args()
    begun = built_worlds.create()
    broken = 0
    try:
        if chosen.long:
            budget.interrupt_runs()
            strings = LongStrings(WORLDS[0], built_worlds.folder())
            for app in chosen.apps or app_names():
                of_app = strings.run(load_app(app), seed=chosen.seed, share=chosen.share, sizes=tuple(chosen.sizes))
                print(of_app, *of_app.broken, sep="\n", flush=True)
                broken += len(of_app.broken)
            return
        for world in chosen.world or WORLDS:
            fuzz = Fuzz(world, built_worlds.folder())
            for app in chosen.apps or app_names():
                outcome = fuzz.run(load_app(app), chosen.calls, chosen.seed, chosen.piece)
                print(outcome, *outcome.broken, sep="\n", flush=True)
                broken += len(outcome.broken)
    finally:
        if begun:
            built_worlds.remove()
        if broken:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
