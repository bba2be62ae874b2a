"""Experiments for the lint's operators: equivalent tools, rejected arguments, undoing calls, and further reads and writes."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from soundstage.contexts.apps import meaning_of
from soundstage.contexts.engine.journal import Change
from soundstage.grading.declarations import declaration_of
from soundstage.grading.leaves import changed_leaves
from soundstage.grading.lint.arguments import Path, Pool, drawn_up, leaves, pool_of, put, swapped
from soundstage.grading.lint.oracle_run import Confusion, PlayedCall, Substitute
from soundstage.grading.task import OracleCall
from soundstage.runs.dry_run import CallOutcome, DryRun, Stage, Trial, read_reply
from soundstage.runs.lint.world_index import WorldIndex
from soundstage.servers.catalogue import load_app
from soundstage.servers.tool import Tool

RANDOM_WRITES = 20
DRAWS = 3
_TEXTS = ("text", "content", "markdown", "payload", "desc", "description")
_QUOTED = re.compile(r"(?:the word |[`'\"“])([a-z_]{3,20})(?=[`'\"”]|\b)")
_MOST_SPELLINGS = 60


def played_calls(trial: Trial) -> tuple[PlayedCall, ...]:
    """Return the calls of a trial, each with its label and its changes."""
    result: list[PlayedCall] = []
    for label, step in zip(trial.labels, trial.evidence.calls, strict=True):
        assert step.app is not None
        tool = load_app(step.app).tools[step.tool]
        result.append(
            PlayedCall(
                label,
                step.app,
                step.tool,
                tool.effect,
                tool.input_schema,
                step.arguments or {},
                read_reply(step.reply),
                tuple(step.changes),
            )
        )
    return tuple(result)


class Experiments:
    """Plays a task's oracle once, call by call, and tries alternatives to each call."""

    def __init__(self, dry_run: DryRun, made: Sequence[PlayedCall], world_index: WorldIndex) -> None:
        self._made = made
        self._world_index = world_index
        self.others: list[Substitute] = []
        self.refused: dict[str, dict[str, Any]] = {}
        self.undone: dict[str, OracleCall] = {}
        self.mistaken = list(world_index.mistaken(made))
        self.reads = list(_reads(dry_run.task.apps, world_index.pool(made)))
        with dry_run.stage() as stage:
            self.writes, self.besides = _random_writes(dry_run.task.apps, world_index, made, stage)
            for call in made:
                if (broken := _refused(stage, call)) is not None:
                    self.refused[call.label] = broken
                if call.writes and call.changes:
                    self.others += self._other_tools(stage, call)
                    self.others += self._other_spellings(stage, call)
                done = stage.make(call.app, call.tool, call.arguments)
                if call.effect == "create" and not call.outward and (undo := self._undo(stage, call, done)) is not None:
                    self.undone[call.label] = undo
            self.elsewhere = {m.label: mistaken for m in made if (mistaken := self._elsewhere(stage, m)) is not None}

    def _elsewhere(self, stage: Stage, made: PlayedCall) -> Confusion | None:
        """Return another target at which a writing call changes something."""
        for mistaken in self.mistaken if made.writes else ():
            wrong = swapped(made.arguments, mistaken.texts)
            if wrong != made.arguments and _counts(stage.make_on_copy(made.app, made.tool, wrong)):
                return mistaken
        return None

    def _other_tools(self, stage: Stage, made: PlayedCall) -> Iterator[Substitute]:
        app = load_app(made.app)
        entity = app.tools[made.tool].entity
        for tool in app.tools.values():
            if tool.name == made.tool or tool.effect != made.effect or tool.entity != entity:
                continue
            for arguments in _translated(made, tool):
                if _same(stage.make_on_copy(made.app, tool.name, arguments), made):
                    call = made.call(label=f"{made.label}_other", tool=tool.name, arguments=arguments)
                    yield Substitute(made.label, call, f"by {tool.name}")
                    break

    def _other_spellings(self, stage: Stage, made: PlayedCall) -> Iterator[Substitute]:
        """Yield the call with another spelling of a person or thing: an address for an id, `primary` for a calendar's id."""
        tried = 0
        seen: set[str] = set()
        for path, leaf in list(leaves(made.arguments)):
            if not isinstance(leaf, str):
                continue
            for spelling in self._world_index.spellings(made.app, leaf) + _words_for(made, path):
                for kinds in _kinds(made, path):
                    arguments = put(made.arguments, path, spelling)
                    for kind_path, kind in kinds:
                        arguments = put(arguments, kind_path, kind)
                    tried += 1
                    if tried > _MOST_SPELLINGS or spelling == leaf or f"{path}{spelling}" in seen:
                        continue
                    if _same(stage.make_on_copy(made.app, made.tool, arguments), made):
                        seen.add(f"{path}{spelling}")
                        call = made.call(label=f"{made.label}_other", arguments=arguments)
                        yield Substitute(made.label, call, f"with {spelling} for {leaf}")

    def _undo(self, stage: Stage, made: PlayedCall, done: CallOutcome) -> OracleCall | None:
        rows = [c for c in done.changes if c["op"] == "insert" and c["entity"] not in meaning_of(made.app).bookkeeping]
        keys = {f"{c['entity']}_id": c["id"] for c in rows}
        pool = pool_of(made.arguments, done.reply, *(c["after"] for c in rows), keys)
        for tool in load_app(made.app).tools.values():
            if tool.effect != "delete" or (arguments := _drawn(tool, pool)) is None:
                continue
            tried = stage.make_on_copy(made.app, tool.name, arguments)
            gone = {(c["entity"], str(c["id"])) for c in tried.changes if c["op"] == "delete"}
            if rows and {(c["entity"], str(c["id"])) for c in rows} <= gone:
                return made.call(label=f"{made.label}_undone", tool=tool.name, arguments=arguments)
        return None


def _drawn(tool: Tool, pool: Pool) -> dict[str, Any] | None:
    try:
        arguments: dict[str, Any] = drawn_up(tool.input_schema, pool, lambda values: values[0])
    except LookupError:
        return None
    return arguments


def _reads(apps: Sequence[str], pool: Pool) -> Iterator[OracleCall]:
    """Yield a call of every read tool of the apps whose arguments can be generated."""
    for app in apps:
        for tool in load_app(app).tools.values():
            if tool.effect == "read" and (arguments := _drawn(tool, pool)) is not None:
                yield OracleCall.model_validate(
                    {"as": f"look_{tool.name}", "call": f"{app}/{tool.name}", "with": _inert(arguments)}
                )


def _inert(value: Any) -> Any:
    """Escape arguments that a script would treat as references."""
    if isinstance(value, dict):
        return {k: _inert(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_inert(v) for v in value]
    return value.lstrip("@").replace("${", "{").replace("@{", "{") if isinstance(value, str) else value


def _random_writes(
    apps: Sequence[str], world_index: WorldIndex, made: Sequence[PlayedCall], stage: Stage
) -> tuple[list[tuple[OracleCall, ...]], list[OracleCall]]:
    """Return series of writing calls with random arguments from the world, and one changing call for each app."""
    tools = [(app, t) for app in apps for t in load_app(app).tools.values() if t.effect not in ("read", "other")]
    pool = world_index.wide_pool(made)
    series: list[tuple[OracleCall, ...]] = []
    besides: dict[str, OracleCall] = {}
    for draw in range(DRAWS if tools else 0):
        chance = random.Random(draw)  # noqa: S311
        calls: list[OracleCall] = []
        for number in range(RANDOM_WRITES):
            app, tool = chance.choice(tools)
            try:
                arguments = _inert(drawn_up(tool.input_schema, pool, chance.choice))
            except LookupError:
                continue
            call = OracleCall.model_validate({"as": f"draw_{number}", "call": f"{app}/{tool.name}", "with": arguments})
            calls.append(call)
            if app not in besides and _counts(stage.make_on_copy(app, tool.name, arguments)):
                besides[app] = call
        series.append(tuple(calls))
    return series, list(besides.values())


def _counts(tried: CallOutcome) -> bool:
    """Whether a call changed anything other than automatic values."""
    return tried.ok and any(_effect(change) for change in tried.changes)


def _refused(stage: Stage, made: PlayedCall) -> dict[str, Any] | None:
    """Return slightly changed arguments with which the call fails."""
    for arguments in _broken(made):
        tried = stage.make_on_copy(made.app, made.tool, arguments)
        if not tried.ok and not tried.changes:
            return arguments
    return None


def _broken(made: PlayedCall) -> Iterator[dict[str, Any]]:
    whole = made.arguments
    for path, leaf in leaves(whole):
        if isinstance(leaf, str) and len(leaf) >= 8:
            yield put(whole, path, "no-such-thing")
    yield {**whole, "no_such_argument": [None]}
    for name in whole:
        yield {k: v for k, v in whole.items() if k != name}
    for path, _ in leaves(whole):
        yield put(whole, path, [None])


def _translated(made: PlayedCall, tool: Tool) -> Iterator[dict[str, Any]]:
    """Yield the oracle's arguments adapted to another tool, matched by name or else by elimination."""
    pool = pool_of(made.arguments)
    properties: Mapping[str, Any] = tool.input_schema.get("properties", {})
    left = [v for p, v in leaves(made.arguments) if isinstance(v, str) and not (p and p[-1] in properties)]
    missing = [n for n in tool.input_schema.get("required", ()) if n not in pool] or [
        n for n in _TEXTS if n in properties and n not in pool
    ]
    for values in product(left, repeat=len(missing)) if 0 < len(missing) <= 2 else [()]:
        for given in ({**pool, **{n: [v] for n, v in zip(missing, values, strict=False)}}, pool):
            if (arguments := _drawn(tool, given)) is None:
                continue
            further = {n: given[n][0] for n in properties if n not in arguments and n in given}
            yield {**arguments, **{n: v for n, v in further.items() if n in missing or n in made.arguments}}


def _words_for(made: PlayedCall, path: Path) -> list[str]:
    """Return words that a tool's documentation gives for an argument, such as `primary` for a calendar's id."""
    documented = load_app(made.app).tools[made.tool].parameters.get(".".join(str(p) for p in path), "")
    return list(dict.fromkeys(_QUOTED.findall(f"{documented} {_schema_at(made.schema, path).get('description', '')}")))


def _schema_at(schema: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    for part in path:
        inner = schema.get("properties", {}).get(part) if isinstance(part, str) else schema.get("items")
        schema = inner if isinstance(inner, Mapping) else {}
    return schema


def _kinds(made: PlayedCall, path: Path) -> list[list[tuple[Path, str]]]:
    """Return possible changes of a related type argument: none, or each value of an enumeration, as in receive_id_type."""
    result: list[list[tuple[Path, str]]] = [[]]
    for other, leaf in leaves(made.arguments):
        allowed = _schema_at(made.schema, other).get("enum", ())
        if other != path and leaf in allowed and str(other[-1]).endswith("_type"):
            result += [[(other, kind)] for kind in allowed if kind != leaf]
    return result


def _same(tried: CallOutcome, made: PlayedCall) -> bool:
    """Whether a call had the same effect as the oracle's; purely automatic effects, such as browser caches, do not count."""
    meant = [effect for c in made.changes if (effect := _effect(c))]
    return tried.ok and bool(meant) and [effect for c in tried.changes if (effect := _effect(c))] == meant


def _effect(change: Change) -> tuple[Any, ...] | None:
    """Return a change without automatic values; None if nothing remains.

    A new row with readable text is reduced to its words and parents, so that it does not matter whether the person or the
    assistant wrote it.
    """
    app, entity = change["app"], change["entity"]
    known = declaration_of(app, entity)
    if known.bookkeeping:
        return None
    if change["op"] == "insert" and known.text is not None:
        row = change["after"] or {}
        return app, entity, sorted(known.parent_keys(row).items()), known.text(row)
    drawn = known.key if change["op"] == "insert" else ()
    changed = changed_leaves(change["before"], change["after"])
    own = sorted(leaf for leaf in changed if leaf[0] not in drawn and not known.sets_itself(leaf))
    if not own and change["op"] == "update":
        return None
    key = None if change["op"] == "insert" else str(change["id"])
    return app, entity, change["op"], key, [(leaf, _at(change["after"], leaf)) for leaf in own]


def _at(value: Any, leaf: Sequence[str]) -> Any:
    for part in leaf:
        value = value[int(part)] if isinstance(value, list) else (value or {}).get(part)
    return value
