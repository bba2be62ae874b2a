"""The task format, explained in `docs/tasks.md`; `read_task` reads a task's folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, model_validator

from soundstage.contexts.engine.clock import parse_moment
from soundstage.grading.matcher_parser import parse_matcher
from soundstage.grading.matchers import Matcher
from soundstage.source import Mistake, Source, SourceError, checked, read

TASK_FILE = "task.yaml"
Written = Annotated[Matcher, PlainValidator(parse_matcher)]
Many = Annotated[tuple[str, ...], BeforeValidator(lambda v: (v,) if isinstance(v, str) else v)]
Kind = Literal["ask", "operate", "clarify", "decline"]
Outcome = Literal["done", "asked", "declined", "gave_up"]
Split = Literal["public", "test"]


def _moment(text: str) -> str:
    parse_moment(text)
    return text


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, populate_by_name=True)


class Entity(_Model):
    """An entity, written `{lark: message}`."""

    app: str
    entity: str

    @model_validator(mode="before")
    @classmethod
    def _short(cls, written: Any) -> Any:
        return _named_by_app(written, cls)


def _named_by_app(written: Any, model: type[BaseModel]) -> Any:
    """Convert `{lark: message, …}` to `{app: lark, entity: message, …}`: the only unknown key is the app."""
    if not isinstance(written, Mapping) or "app" in written:
        return written
    known = {f.alias or name for name, f in model.model_fields.items()} | model.model_fields.keys()
    apps = [k for k in written if k not in known]
    if len(apps) != 1:
        told = f"{' and '.join(map(repr, apps))} are two" if apps else "none is given"
        raise ValueError(f"names one app and its entity, as in {{lark: message}}; {told}")
    rest = {k: v for k, v in written.items() if k != apps[0]}
    return {**rest, "app": apps[0], "entity": written[apps[0]]}


class Name(Entity):
    """An initial row, given by its world key or as the only one that matches `where`."""

    world: str | None = None
    where: dict[str, Written] = {}

    @model_validator(mode="after")
    def _one_way(self) -> Name:
        if (self.world is None) == (not self.where):
            raise ValueError("a name is found either by its `world` key or by `where`")
        return self


class Check(_Model):
    """One condition on the changes or on the answer; `title` is its label for people, `weight` its share of the score."""

    id: str
    title: str
    weight: float = Field(default=1, gt=0)
    class_: Literal["operate", "personalized_search", "generic_search"] = Field(default="operate", alias="class")
    after: Many = ()
    requires_check: Many = ()
    updated: str | None = None
    from_: dict[str, Written] = Field(default={}, alias="from")
    to: dict[str, Written] = {}
    keeps: tuple[str, ...] | None = None
    created: Entity | None = None
    state: Entity | None = None
    where: dict[str, Written] = {}
    count: int = Field(default=1, ge=0)
    deleted: str | None = None
    answer: Written | None = None
    grounded: bool = False
    outcome: Outcome | None = None
    any_of: tuple[tuple[Check, ...], ...] = ()

    @model_validator(mode="after")
    def _one_kind(self) -> Check:
        kinds = [
            k for k in ("updated", "created", "state", "deleted", "answer", "outcome", "any_of") if getattr(self, k)
        ]
        if len(kinds) != 1:
            told = " and ".join(kinds) or "nothing"
            raise ValueError(
                f"a check is one of updated, created, state, deleted, answer, outcome and any_of; here is {told}"
            )
        if self.updated and not self.to:
            raise ValueError("`updated` needs `to`: what the row is to hold afterwards")
        if self.updated and self.keeps is None:
            raise ValueError("`updated` needs `keeps`: what must stay as it was; [] if nothing is at risk")
        if not self.updated and (self.to or self.from_ or self.keeps is not None):
            raise ValueError("`to`, `from` and `keeps` belong to `updated`")
        if not (self.created or self.state) and (self.where or self.count != 1):
            raise ValueError("`where` and `count` belong to `created` and `state`")
        if self.grounded and self.answer is None:
            raise ValueError("`grounded` belongs to `answer`: what it says must have stood in a reply before")
        return self


class Allowed(Entity):
    """Changes that are permitted (`may`), or so serious that the score is 0 (`never`)."""

    row: str | None = None
    fields: tuple[str, ...] = ()
    op: Annotated[
        tuple[Literal["insert", "update", "delete"], ...], BeforeValidator(lambda v: (v,) if isinstance(v, str) else v)
    ] = ()
    where: dict[str, Written] = {}
    at_most: int | None = Field(default=None, ge=1)


class NothingElse(_Model):
    """The rule for changes that no check asks for: they are breaches and reduce the score once."""

    may: tuple[Allowed, ...] = ()
    never: tuple[Allowed, ...] = ()
    cost: float = Field(default=0.5, gt=0, le=1)


class OracleCall(_Model):
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
        return self.call.partition("/")[0]

    @property
    def tool(self) -> str:
        return self.call.partition("/")[2]

    @model_validator(mode="after")
    def _of_an_app(self) -> OracleCall:
        if not self.app or not self.tool:
            raise ValueError(f"call: {self.call!r} names no app and tool; right is lark/im_v1_message_create")
        return self


class DerivedRun(_Model):
    """A run derived from the oracle; one of `equivalents` solves the task in another way than the oracle."""

    name: str
    set: dict[str, dict[str, Any]] = {}
    replace: dict[str, dict[str, Any]] = {}
    drop: tuple[str, ...] = ()
    repeat: tuple[str, ...] = ()
    add: tuple[OracleCall, ...] = ()
    answer: str | None = None


class NearMiss(DerivedRun):
    """A plausible wrong run, with the checks (or `nothing_else`) that catch it."""

    fails: tuple[str, ...] = Field(min_length=1)


class MidTaskRequest(_Model):
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


class Question(_Model):
    """A question about a trial that needs a judge, concerning the answer or the rows of a check; it does not affect the score.

    `scale` is yes or no, or a number from 0 to 10.
    """

    id: str
    question: str = Field(min_length=1)
    about: str = "answer"
    scale: Literal["yes_no", "ten"] = "yes_no"


class AcceptedMutant(_Model):
    """A run that the lint generates as a wrong one but that is right, with the reason."""

    mutant: str
    because: str


class Clock(_Model):
    mode: Literal["tick", "frozen", "scaled"] = "tick"
    at: Annotated[str, BeforeValidator(_moment)] | None = None
    tick_ms: int | None = Field(default=None, ge=0)


class Limits(_Model):
    """The limits of a trial: calls, and minutes of wall time."""

    calls: int = Field(default=40, ge=1)
    minutes: float = Field(default=20, gt=0)


class Distractors(_Model):
    """Distractions for the agent.

    Attributes:
        tools: Further tools of the catalogue, by their names at the shared address or as a number drawn from the seed.
        upstreams: Real servers of the gateway whose tools are listed as well; their effects leave no receipts.
        state: Objects ({app: {entity: [objects]}}) that are inserted before the agent starts.
    """

    tools: Annotated[int, Field(ge=0)] | tuple[str, ...] = ()
    upstreams: tuple[str, ...] = ()
    state: dict[str, dict[str, list[dict[str, Any]]]] = {}


class Requires(_Model):
    """Tools (`app/tool`) that every session of the task lists, however few a run requests."""

    tools: tuple[str, ...] = ()


class NeededApps(_Model):
    """List only the tools of the apps that the oracle needs."""

    needed_apps_only: Literal[True]


class Author(_Model):
    name: str
    reviewed_by: str | None = None


class Task(_Model):
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
    variants: dict[str, str] = {}
    names: dict[str, Name] = {}
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
        result += [((kind,), f"{i!r} is given to two of them") for i in sorted({i for i in ids if ids.count(i) > 1})]
    for place, check in placed_checks(task):
        for row in (check.updated, check.deleted):
            if row is not None and row not in task.names:
                result.append((place, f"{row!r} is not among `names`: {', '.join(task.names) or 'none are given'}"))
        for other in (*check.after, *check.requires_check):
            if other not in checks:
                result.append((place, f"there is no check {other!r}; known: {', '.join(checks)}"))
            elif checks.index(other) >= checks.index(check.id):
                result.append((place, f"{other!r} stands after it; checks are judged in the order of the file"))
    result += _inconsistent_wishes(task)
    if task.distractors.upstreams and task.kind != "ask":
        problem = "what a real server does leaves no receipts to grade, so only a task of kind `ask` may have them"
        result.append((("distractors", "upstreams"), problem))
    result += [
        (("judged", i, "about"), f"{one.about!r} is neither `answer` nor a check: {', '.join(checks)}")
        for i, one in enumerate(task.judged)
        if one.about not in {"answer", *checks}
    ]
    for i, call in enumerate(task.oracle):
        result += [
            (("oracle", i, "after"), f"{other!r} is no earlier call") for other in call.after if other not in calls[:i]
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
            (("wishes", i, "replaces"), f"{other!r} is no check of the task itself: {', '.join(own)}")
            for other in wish.replaces
            if other not in own
        ]
        result += [
            (("wishes", i, "id"), f"{kind} {one!r} is given to two of them")
            for kind, one in (("the id", wish.id), ("the wish", wish.wish))
            if any(one in (other.id, other.wish) for other in task.wishes[:i])
        ]
    return result


def placed_checks(task: Task) -> list[tuple[tuple[str | int, ...], Check]]:
    """Return every check with its place in the file.

    Checks of alternatives follow the check that contains them; those of mid-task requests come last.
    """

    def below(checks: tuple[Check, ...], place: tuple[str | int, ...]) -> list[tuple[tuple[str | int, ...], Check]]:
        result: list[tuple[tuple[str | int, ...], Check]] = []
        for i, check in enumerate(checks):
            result.append(((*place, i), check))
            for j, alternative in enumerate(check.any_of):
                result += below(alternative, (*place, i, "any_of", j))
        return result

    of_wishes = [one for i, wish in enumerate(task.wishes) for one in below(wish.checks, ("wishes", i, "checks"))]
    return below(task.checks, ("checks",)) + of_wishes


def all_checks(task: Task) -> list[Check]:
    """Return every check, in the order of the file."""
    return [check for _, check in placed_checks(task)]
