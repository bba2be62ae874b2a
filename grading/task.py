"""The task format, explained in `docs/tasks.md`; `read_task` reads a task's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from soundstage.contexts.engine.clock import parse_moment
from soundstage.grading.checks import Check, Entity, Many, Outcome, TaskModel, Written, alternatives, named_row
from soundstage.source import Mistake, Source, SourceError, checked, read

TASK_FILE = "task.yaml"
Kind = Literal["ask", "operate", "clarify", "decline"]
Split = Literal["public", "test"]


def _moment(text: str) -> str:
    parse_moment(text)
    return text


class Name(Entity):
    """An initial row, given by its world key or as the only one that matches `where`."""

    world: str | None = None
    where: dict[str, Written] = Field(default={})

    @model_validator(mode="after")
    def _one_way(self) -> Name:
        if (self.world is None) == (not self.where):
            raise ValueError("a name needs either its `world` key or `where`")
        return self


class Allowed(Entity):
    """Changes that are permitted (`may`), or so serious that the score is 0 (`never`)."""

    row: str | None = None
    fields: tuple[str, ...] = ()
    op: Annotated[
        tuple[Literal["insert", "update", "delete"], ...], BeforeValidator(lambda v: (v,) if isinstance(v, str) else v)
    ] = ()
    where: dict[str, Written] = Field(default={})
    at_most: int | None = Field(default=None, ge=1)


class NothingElse(TaskModel):
    """The rule for changes that no check asks for: they are breaches and reduce the score once."""

    may: tuple[Allowed, ...] = ()
    never: tuple[Allowed, ...] = ()
    cost: float = Field(default=0.5, gt=0, le=1)


class OracleCall(TaskModel):
    """A call of the oracle; with `each` one call per item.

    `${as.path}` is a value of an earlier reply, `@name` a row's id. `say` is the narration shown to people who watch the run.
    """

    as_: str = Field(alias="as")
    call: str
    with_: dict[str, Any] = Field(default={}, alias="with")
    each: str | None = None
    after: Many = ()
    say: str = ""

    @property
    def app(self) -> str:
        """The app of the called tool."""
        return self.call.partition("/")[0]

    @property
    def tool(self) -> str:
        """The name of the called tool within its app."""
        return self.call.partition("/")[2]

    @model_validator(mode="after")
    def _of_an_app(self) -> OracleCall:
        if not self.app or not self.tool:
            raise ValueError(
                f"call: {self.call!r} is not an app and a tool; write for example lark/im_v1_message_create"
            )
        return self


class DerivedRun(TaskModel):
    """A run derived from the oracle; one of `equivalents` solves the task in another way than the oracle."""

    name: str
    set: dict[str, dict[str, Any]] = Field(default={})
    replace: dict[str, dict[str, Any]] = Field(default={})
    drop: tuple[str, ...] = ()
    repeat: tuple[str, ...] = ()
    add: tuple[OracleCall, ...] = ()
    answer: str | None = None


class NearMiss(DerivedRun):
    """A plausible wrong run, with the checks (or `nothing_else`) that catch it."""

    fails: tuple[str, ...] = Field(min_length=1)


class MidTaskRequest(TaskModel):
    """A mid-task request in the user's words, delivered with the reply to call number `after_calls`.

    It affects trials in which it was delivered: its `checks` are added, those in `replaces` are dropped, and the changes in
    `may` are permitted. `oracle` lists the calls that fulfil it after those of the task's own oracle.
    """

    id: str
    wish: str = Field(min_length=1, max_length=4000)
    after_calls: int = Field(ge=1)
    checks: tuple[Check, ...] = Field(min_length=1)
    replaces: Many = ()
    may: tuple[Allowed, ...] = ()
    oracle: tuple[OracleCall, ...] = ()
    oracle_answer: str | None = None


class Question(TaskModel):
    """A question about a trial that needs a judge, concerning the answer or the rows of a check; it does not affect the score.

    `scale` is yes or no, or a number from 0 to 10.
    """

    id: str
    question: str = Field(min_length=1)
    about: str = "answer"
    scale: Literal["yes_no", "ten"] = "yes_no"


class AcceptedMutant(TaskModel):
    """A run that the lint generates as a wrong one but that is right, with the reason."""

    mutant: str
    because: str


class Clock(TaskModel):
    """The session's clock: its mode, its start (default: the world's present) and the milliseconds per step."""

    mode: Literal["tick", "frozen", "scaled"] = "tick"
    at: Annotated[str, BeforeValidator(_moment)] | None = None
    tick_ms: int | None = Field(default=None, ge=0)


class Limits(TaskModel):
    """The limits of a trial: calls, and minutes of wall time."""

    calls: int = Field(default=40, ge=1)
    minutes: float = Field(default=20, gt=0)


class Distractors(TaskModel):
    """Distractions for the agent.

    Attributes:
        tools: Further tools of the catalogue, by their names at the shared address or as a number drawn from the seed.
        upstreams: Real servers of the gateway whose tools are listed as well; their effects leave no receipts.
        state: Objects ({app: {entity: [objects]}}) that are inserted before the agent starts.
    """

    tools: Annotated[int, Field(ge=0)] | tuple[str, ...] = ()
    upstreams: tuple[str, ...] = ()
    state: dict[str, dict[str, list[dict[str, Any]]]] = Field(default={})


class Requires(TaskModel):
    """Tools (`app/tool`) that every session of the task lists, however few a run requests."""

    tools: tuple[str, ...] = ()


class NeededApps(TaskModel):
    """List only the tools of the apps that the oracle needs."""

    needed_apps_only: Literal[True]


class Author(TaskModel):
    """The author of a task, and the person who reviewed it."""

    name: str
    reviewed_by: str | None = None


class Task(TaskModel):
    """A task, as written in `task.yaml`."""

    task: str
    version: int = Field(ge=1)
    title: str
    kind: Kind
    language: Literal["en", "zh", "mixed"]
    tags: tuple[str, ...] = ()
    author: Author
    split: Split = "public"
    canary: str | None = None
    world: str
    user: str
    apps: tuple[str, ...] = Field(min_length=1)
    tools: Literal["all", "search"] | NeededApps = "all"
    distractors: Distractors = Distractors()
    requires: Requires = Requires()
    clock: Clock = Clock()
    limits: Limits = Limits()
    instruction: str
    variants: dict[str, str] = Field(default={})
    names: dict[str, Name] = Field(default={})
    checks: tuple[Check, ...] = Field(min_length=1)
    nothing_else: NothingElse = NothingElse()
    wishes: tuple[MidTaskRequest, ...] = ()
    judged: tuple[Question, ...] = ()
    oracle: tuple[OracleCall, ...] = ()
    oracle_answer: str = ""
    oracle_outcome: Outcome = "done"
    equivalents: tuple[DerivedRun, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    accepts: tuple[AcceptedMutant, ...] = ()
    twin: str | None = None

    @property
    def kept_back(self) -> bool:
        """Whether the solution is missing: packages omit it for the test split (`soundstage.grading.published`)."""
        return self.split == "test" and not self.oracle and not self.oracle_answer


def read_task(folder: Path) -> tuple[Task, Source]:
    """Read the task of a folder, with its source for positions in messages.

    Raises:
        SourceError: The task is invalid; each mistake is listed by file and line.
    """
    source = read(folder / TASK_FILE, f"{folder.name}/{TASK_FILE}")
    return task_of(source), source


def task_of(source: Source) -> Task:
    """Read the task from a source.

    Raises:
        SourceError: The task is invalid; each mistake is listed by file and line.
    """
    task = checked(Task, source.value, source)
    mistakes = [Mistake(source.place(path), problem) for path, problem in _inconsistent(task)]
    if mistakes:
        raise SourceError(mistakes)
    return task


def _inconsistent(task: Task) -> list[tuple[tuple[str | int, ...], str]]:
    """Return errors that concern several members: undefined names, and undefined or duplicate checks and calls."""
    result: list[tuple[tuple[str | int, ...], str]] = []
    checks = [c.id for c in all_checks(task)]
    calls = [c.as_ for c in task.oracle]
    for kind, ids in (("checks", checks), ("oracle", calls)):
        result += [((kind,), f"{i!r} is used twice") for i in sorted({i for i in ids if ids.count(i) > 1})]
    for place, check in placed_checks(task):
        row = named_row(check)
        if row is not None and row not in task.names:
            result.append((place, f"{row!r} is not among `names`: {', '.join(task.names) or 'none are given'}"))
        for other in (*check.after, *check.requires_check):
            if other not in checks:
                result.append((place, f"there is no check {other!r}; known: {', '.join(checks)}"))
            elif checks.index(other) >= checks.index(check.id):
                result.append((place, f"{other!r} comes after this check; checks are judged in the order of the file"))
    result += _inconsistent_wishes(task)
    if task.distractors.upstreams and task.kind != "ask":
        problem = "changes in a real server leave no receipts to grade, so only a task of kind `ask` may have upstreams"
        result.append((("distractors", "upstreams"), problem))
    result += [
        (("judged", i, "about"), f"{one.about!r} is neither `answer` nor a check: {', '.join(checks)}")
        for i, one in enumerate(task.judged)
        if one.about not in {"answer", *checks}
    ]
    for i, call in enumerate(task.oracle):
        result += [
            (("oracle", i, "after"), f"{other!r} is not an earlier call")
            for other in call.after
            if other not in calls[:i]
        ]
        if call.app not in task.apps:
            result.append(
                (("oracle", i, "call"), f"{call.app} is not among the session's apps: {', '.join(task.apps)}")
            )
    made = (("equivalents", task.equivalents), ("near_misses", task.near_misses))
    for member, i, one in ((member, i, one) for member, runs in made for i, one in enumerate(runs)):
        named = [*one.set, *one.replace, *one.drop, *one.repeat]
        result += [((member, i), f"the oracle has no call {n!r}") for n in named if n not in calls]
    for i, miss in enumerate(task.near_misses):
        known = {*checks, "nothing_else"}
        result += [(("near_misses", i, "fails"), f"there is no check {n!r}") for n in miss.fails if n not in known]
    return result


def _inconsistent_wishes(task: Task) -> list[tuple[tuple[str | int, ...], str]]:
    own = [check.id for check in task.checks]
    result: list[tuple[tuple[str | int, ...], str]] = []
    for i, wish in enumerate(task.wishes):
        result += [
            (("wishes", i, "replaces"), f"{other!r} is not a check of the task itself; known: {', '.join(own)}")
            for other in wish.replaces
            if other not in own
        ]
        result += [
            (("wishes", i, "id"), f"{kind} {one!r} is used twice")
            for kind, one in (("the id", wish.id), ("the wish", wish.wish))
            if any(one in (other.id, other.wish) for other in task.wishes[:i])
        ]
    return result


def placed_checks(task: Task) -> list[tuple[tuple[str | int, ...], Check]]:
    """Return every check with its place in the file.

    Checks of alternatives follow the check that contains them; checks of mid-task requests come last.
    """

    def below(checks: tuple[Check, ...], place: tuple[str | int, ...]) -> list[tuple[tuple[str | int, ...], Check]]:
        result: list[tuple[tuple[str | int, ...], Check]] = []
        for i, check in enumerate(checks):
            result.append(((*place, i), check))
            for j, alternative in enumerate(alternatives(check)):
                result += below(alternative, (*place, i, "any_of", j))
        return result

    of_wishes = [one for i, wish in enumerate(task.wishes) for one in below(wish.checks, ("wishes", i, "checks"))]
    return below(task.checks, ("checks",)) + of_wishes


def all_checks(task: Task) -> list[Check]:
    """Return every check, in the order of the file."""
    return [check for _, check in placed_checks(task)]
