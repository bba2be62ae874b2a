"""Long strings in every string argument of every tool: no call may take long or return an internal error.

`python -m tests.gateway.fuzz --long` (`make fuzz-calls LONG=1`) runs all of it, `--share 0.1` a seeded tenth. The varied calls
are each tool's cases, and calls that succeed in a world. Each string in their arguments is replaced by each of `PATTERNS`,
repeated to each of `SIZES`.
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from structlog.testing import capture_logs

from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.clock import Clock, parse_moment, to_ms
from soundstage.contexts.engine.journal import SESSION_USER, Caller
from soundstage.contexts.engine.storage import MemoryStorage
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import App, app_names
from soundstage.servers.tool import Tool
from soundstage.worlds import built, load_world, start_for
from tests.gateway.calls import LearningMaker
from tests.kernels.cases import Case, people_of, read_cases

SIZES = (5_000, 20_000, 60_000)
MOST_CPU_S = 0.2
_MORNING = "2026-03-10T09:00:00Z"
_TRIES = 12
_BASES = 2
"""Number of cases of a tool that are varied for each string argument. One more call comes from the world."""

PATTERNS: dict[str, str] = {
    "letters": "a", "digits": "7", "zeros": "0", "dashes": "-", "dots": ".", "commas": ",", "newlines": "\n",
    "carriage returns": "\r\n", "spaces": " ", "tabs": "\t", "words": "report plan ", "short words": "a b ",
    "quotes": '"', "apostrophes": "'", "backslashes": "\\", "slashes": "/", "dots and slashes": "../", "brackets": "[",
    "bracket pairs": "[]", "parentheses": "(", "parenthesis pairs": "()", "braces": "{", "link openings": "[a](",
    "stars": "*", "bold": "**a ", "underscores": "_", "hashes": "#", "angles": "<", "tags": "<b>", "open and close": "<a></a>",
    "comments": "<!--", "ampersands": "&amp;", "percents": "%41", "regex": "(a+)+", "optional": "a?", "pipes": "|",
    "colons": "a:b ", "at signs": "a@", "list": "[1,", "object": '{"a":', "list items": "- a\n", "table": "|a|b|\n",
    "quotations": "> ", "backticks": "`", "Chinese": "会议", "full width": "Ａ１", "emoji": "👩‍👧", "combining": "e\u0301",
    "right to left": "\u202e", "capital": "İ", "zero": "\x00", "dates": "2026-03-10 ", "numbers": "1,000.5 ", "minus": "NOT -a ",
    "or": "a OR ", "equals": "a=b&", "dollars": "${a}", "semicolons": "a;", "comma list": "1,2,",
}  # fmt: skip

Place = tuple[str | int, ...]
"""The position of a string in arguments: names and indexes from the outside in."""


@dataclass(slots=True)
class LongFound:
    """The result for one app."""

    app: str
    most_cpu_s: float = MOST_CPU_S
    calls: int = 0
    cpu_s: float = 0.0
    slowest: list[tuple[float, str]] = field(default_factory=list)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def add(self, place: str, what: str) -> None:
        """Record a defect of a call under the position of its string."""
        self.wrong.setdefault(place, []).append(what)

    @property
    def broken(self) -> list[str]:
        """Return a line for each string argument that causes a defect, with one call as an example."""
        return [f"  {place} ({len(calls)} calls, such as {calls[-1]})" for place, calls in self.wrong.items()]

    def __str__(self) -> str:
        worst = ", ".join(f"{1000 * cpu:.0f} ms {what}" for cpu, what in self.slowest[:3])
        mean = 1000 * self.cpu_s / max(self.calls, 1)
        return f"{self.app:14} {self.calls:6} calls, {mean:.1f} ms each, {len(self.broken)} broken; slowest: {worst}"


@dataclass(frozen=True, slots=True)
class Base:
    """A call whose strings are replaced: its session, and the step to return to afterwards."""

    session: Session
    step: int
    arguments: dict[str, Any]
    caller: Caller = SESSION_USER


class LongStrings:
    """Sessions in memory, from a world and from cases, and calls with long strings in them."""

    def __init__(self, world: str, folder: Path) -> None:
        self._world = load_world(world)
        self._folder = folder
        self._storage = MemoryStorage()
        self._made = 0

    def run(
        self,
        app: App,
        *,
        seed: int = 0,
        share: float = 1.0,
        sizes: tuple[int, ...] = SIZES,
        most_cpu_s: float = MOST_CPU_S,
    ) -> LongFound:
        """Make the calls of an app's tools, or a share of them."""
        result = LongFound(app.name, most_cpu_s)
        for tool in app.tools.values():
            chance = random.Random(f"{seed} {app.name} {tool.name}")
            for start, places in self._starts(app, tool, chance):
                chosen = [
                    (place, pattern, size)
                    for place in places
                    for pattern in PATTERNS
                    for size in sizes
                    if chance.random() < share
                ]
                base = None
                if chosen:
                    base = self._of_world(app, tool, chance) if start is None else self._of_case(app, start)
                if base is None:
                    continue
                for place, pattern, size in chosen if start is not None else self._fitting(base, chosen):
                    _call(app, tool, base, place, pattern, size, result)
                self._storage.delete(base.session.id)
        result.slowest.sort(reverse=True)
        return result

    def _starts(self, app: App, tool: Tool, chance: random.Random) -> Iterator[tuple[Case | None, list[Place]]]:
        """Yield the cases whose calls are varied, each with its string positions. None is a call that succeeds in the world."""
        cases = [case for case in read_cases(app.name, tool=tool.name) if isinstance(case.line["arguments"], dict)]
        chance.shuffle(cases)
        cases.sort(key=lambda case: not case.line["expect"]["ok"])
        left = dict.fromkeys(_names(tool), _BASES)
        for case in cases:
            places = []
            for place in strings_in(case.line["arguments"]):
                name = _name(place)
                if left.setdefault(name, _BASES):
                    left[name] -= 1
                    places.append(place)
            if case is cases[0]:
                places += [(name,) for name in _names(tool) if (name,) not in places]
            if places:
                yield case, places
        yield None, [(name,) for name in _names(tool)]

    def _fitting(self, base: Base, chosen: list[tuple[Place, str, int]]) -> Iterator[tuple[Place, str, int]]:
        """Yield the variations whose strings occur in the call."""
        return (one for one in chosen if one[0][0] in base.arguments)

    def _of_case(self, app: App, case: Case) -> Base:
        name = self._name()
        clock = Clock("frozen", to_ms(parse_moment(case.line.get("clock", _MORNING))))
        with start_for(load_world("empty"), self._folder, (app.name,)) as start:
            context = self._storage.create(name, start, seed=0, clock=clock)
        with context.transaction():
            state.load(context, {app.name: case.line["given"]})
            context.accounts.put(people_of(case))
        session = Session(_record(name, "empty", (app.name,), clock), context)
        for call in case.line.get("before", ()):
            dispatch(session, app, call["tool"], call["arguments"], caller=Caller(call.get("user")))
        caller = Caller(case.line.get("user"))
        return Base(session, journal.last_step(context), case.line["arguments"], caller)

    def _of_world(self, app: App, tool: Tool, chance: random.Random) -> Base | None:
        """Return a call that succeeds in the world, or None if none of several attempts succeeds."""
        name = self._name()
        clock = Clock("tick", self._world.epoch_ms)
        context = self._storage.create(name, built(self._world, self._folder), seed=0, clock=clock)
        session = Session(_record(name, self._world.name, app_names(), clock), context)
        maker = LearningMaker(chance.randrange(2**32), state.dump(context, app.name).get(app.name, {}))
        for case in read_cases(app.name, tool=tool.name):
            maker.suggest(case.line["arguments"])
        for _ in range(_TRIES):
            arguments = maker.fitting(tool)
            step = journal.last_step(context)
            answer = dispatch(session, app, tool.name, arguments).answer
            journal.rewind(context, step)
            if answer.ok and any(strings_in(arguments)):
                return Base(session, step, arguments)
        self._storage.delete(name)
        return None

    def _name(self) -> str:
        self._made += 1
        return f"long-{self._made}"


def strings_in(value: Any, place: Place = ()) -> Iterator[Place]:
    """Yield the positions of all strings in a JSON value."""
    if isinstance(value, str):
        yield place
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from strings_in(item, (*place, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from strings_in(item, (*place, index))


def _call(app: App, tool: Tool, base: Base, place: Place, pattern: str, size: int, result: LongFound) -> None:
    piece = PATTERNS[pattern]
    arguments = copy.deepcopy(base.arguments)
    holder: Any = arguments
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = (piece * (size // len(piece) + 1))[:size]
    cpu = inf
    for _ in range(2):  # the first call may load an index, and garbage collection may run during any
        with capture_logs() as logs:
            began = time.thread_time()
            answer = dispatch(base.session, app, tool.name, arguments, caller=base.caller).answer
            cpu = min(cpu, time.thread_time() - began)
        journal.rewind(base.session.context, base.step)
        if cpu <= result.most_cpu_s:
            break
    what = f"{tool.name} {'.'.join(map(str, place))} {pattern} {size}"
    result.calls += 1
    result.cpu_s += cpu
    result.slowest = sorted([*result.slowest, (cpu, what)], reverse=True)[:20]
    if cpu > result.most_cpu_s:
        result.add(f"{app.name} {tool.name} {_name(place)}: too slow", f"{pattern} {size}: {1000 * cpu:.0f} ms of CPU")
    elif logs:  # a kernel raised or exceeded its budget; some real servers answer with errors that count as internal
        reason = str(logs[0])[-300:]
        result.add(f"{app.name} {tool.name} {_name(place)}: {answer.error_kind}", f"{pattern} {size}: {reason}")


def _names(tool: Tool) -> list[str]:
    """Return the tool's own arguments that may be strings."""
    return [
        name
        for name, schema in tool.input_schema.get("properties", {}).items()
        if schema.get("type", "string") == "string" or "string" in schema.get("type", ())
    ]


def _name(place: Place) -> str:
    return ".".join("*" if isinstance(step, int) else step for step in place)


def _record(name: str, world: str, apps: tuple[str, ...], clock: Clock) -> SessionRecord:
    return SessionRecord(name, name, None, world, apps, 0, clock, 0, None, durability="memory")
