"""Fault schedules: rules with faults, and a budget. A schedule is validated as a whole and stored with a session.

rules:
  - name: busy afternoon          # default: the fault's name; draws depend on it
    fault: rate_limit
    retry_after_s: 20             # the fault's own attributes are on the same level
    match: {app: slack, effect: [create, update]}
    when: {probability: 0.1, after: 5}
    times: 3
budget: {rate_limit: 2}           # exactly 2, on calls drawn from the seed among the first `turns`
turns: 40
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from soundstage import bounded_input
from soundstage.bounded_input import SCHEDULE_LIMITS, Refused, check_value, show_place
from soundstage.gateway.faults.condition import StateCondition
from soundstage.gateway.faults.fault import Fault
from soundstage.gateway.faults.kinds import KINDS

PRESETS = Path(__file__).parent / "presets"
OFF = "off"


def _as_tuple(value: object) -> object:
    return (value,) if isinstance(value, str | int) and not isinstance(value, bool) else value


_MOST_RULES = 200
_MOST_NAMED = 500  # names, or numbers of calls, in one list
_MOST = 2**31  # limit of calls and steps; also used for permanent faults

Names = Annotated[tuple[str, ...], Field(max_length=_MOST_NAMED), BeforeValidator(_as_tuple)]
Numbers = Annotated[
    tuple[Annotated[int, Field(ge=1, le=_MOST)], ...], Field(max_length=_MOST_NAMED), BeforeValidator(_as_tuple)
]
Share = Annotated[float, Field(gt=0, le=1)]
Scope = Literal["app", "tool"]


_Step = Annotated[int, Field(ge=0, le=_MOST)]


class Part(BaseModel):
    """A part of a schedule; unknown members are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Match(Part):
    """The calls that a rule applies to; an omitted member matches all.

    Names may contain `*`. `arguments` maps the path of an argument (`data.summary`) to its value; text may contain `*`.
    """

    app: Names = ()
    tool: Names = ()
    effect: Names = ()
    arguments: dict[str, Any] = {}


class When(Part):
    """Conditions under which the fault occurs on a matching call; without any, it always occurs.

    `call` counts the session's calls since the schedule was set, `nth` this rule's matching calls; `after` and `before` bound
    the session's calls, `steps` the journal's steps (first and last); `state` are conditions on the objects.
    """

    call: Numbers | None = None
    nth: Numbers | None = None
    probability: Share | None = None
    after: int | None = Field(default=None, ge=0, le=_MOST)
    before: int | None = Field(default=None, ge=1, le=_MOST)
    steps: tuple[_Step, _Step] | None = None
    state: list[StateCondition] = Field(default=[], max_length=20)


class Rule(Part):
    """One rule: a fault and its conditions.

    `times` is the maximum number of occurrences, `cool_down` the number of calls without one that follow each, and `lasts` the
    number of matching calls that one occurrence hits, the first included: an outage, which counts once.
    """

    name: str = Field(min_length=1, max_length=100)
    fault: str
    match: Match = Match()
    when: When = When()
    times: int | None = Field(default=None, ge=1, le=_MOST)
    cool_down: int = Field(default=0, ge=0, le=_MOST)
    lasts: int | None = Field(default=None, ge=1, le=_MOST)


@dataclass(frozen=True, slots=True)
class ArmedRule:
    """A rule with its fault."""

    rule: Rule
    fault: Fault
    place: str

    @property
    def lasts(self) -> int:
        """The number of matching calls that one occurrence hits."""
        return self.fault.lasts if self.rule.lasts is None else self.rule.lasts

    @property
    def scope(self) -> Scope:
        """The scope of an outage: its app, or its tool for faults of single tools."""
        return "tool" if self.fault.per_tool or self.rule.match.tool else "app"


@dataclass(frozen=True)
class Schedule:
    """A validated schedule. `document` is its original data, which the session also stores."""

    document: Mapping[str, Any]
    rules: tuple[ArmedRule, ...]
    budget: Mapping[str, int]
    turns: int

    def text(self) -> str:
        """Return the schedule as JSON."""
        return orjson.dumps(self.document).decode()

    def key(self) -> int:
        """A number that is the same for the same schedule, in every process."""
        digest = hashlib.blake2b(orjson.dumps(self.document, option=orjson.OPT_SORT_KEYS), digest_size=7).digest()
        return int.from_bytes(digest, "big") | 1


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in a schedule: its path (`rules[2].when.probability`), its line if it is from a file, and its message."""

    place: str
    problem: str
    line: int | None = None

    def __str__(self) -> str:
        line = "" if self.line is None else f" (line {self.line})"
        return f"{self.place}{line}: {self.problem}"


class ScheduleMistakes(ValueError):
    """A schedule that is rejected as a whole."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        lines = [str(m) for m in mistakes]
        super().__init__(
            lines[0] if len(lines) == 1 else "\n".join([f"{len(lines)} mistakes in the schedule:", *lines])
        )
        self.mistakes = mistakes


class _Document(Part):
    title: str = ""
    description: str = ""
    rules: list[dict[str, Any]] = []
    budget: dict[str, Annotated[int, Field(ge=1, le=10_000)]] = {}
    turns: int = Field(default=40, ge=1, le=1_000_000)


def parse(document: object) -> Schedule:
    """Parse a schedule whose apps, tools and states are already validated (`soundstage.gateway.faults.check`).

    Raises:
        ScheduleMistakes: lists every mistake in its form.
    """
    schedule, mistakes = read_form(document)
    if mistakes:
        raise ScheduleMistakes(mistakes)
    return schedule


def read_form(document: object) -> tuple[Schedule, list[Mistake]]:
    """Parse a schedule and collect the mistakes in members, types, fault names and attributes; invalid parts are left out."""
    if not isinstance(document, dict):
        message = "expected an object with rules, such as {rules: [{fault: timeout}]}"
        return Schedule({}, (), {}, 1), [Mistake("schedule", message)]
    if isinstance(listed := document.get("rules"), list) and len(listed) > _MOST_RULES:
        message = f"has {len(listed)} rules; at most {_MOST_RULES} are taken"
        return Schedule({}, (), {}, 1), [Mistake("rules", message)]
    mistakes: list[Mistake] = []
    try:
        whole = _Document.model_validate(document)
    except ValidationError as error:
        mistakes += _mistakes_of(error, "", ", ".join(_Document.model_fields))
        rules = document.get("rules")
        whole = _Document(rules=[r if isinstance(r, dict) else {} for r in rules] if isinstance(rules, list) else [])
    given = [(rule, f"rules[{i}]") for i, rule in enumerate(whole.rules)]
    armed = tuple(_armed(rule, place, mistakes) for rule, place in given)
    return Schedule(document, armed, whole.budget, whole.turns), mistakes


def _armed(given: dict[str, Any], place: str, mistakes: list[Mistake]) -> ArmedRule:
    """Parse a rule. Invalid parts are reported and left out, so that the rest can be validated too."""
    kind = given.get("fault")
    model = KINDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        mistakes.append(Mistake(f"{place}.fault", f"there is no fault {kind!r}; known: {', '.join(KINDS)}"))
    wrapper = {"name": str(kind), **{n: v for n, v in given.items() if n in Rule.model_fields}, "fault": str(kind)}
    try:
        rule = Rule.model_validate(wrapper)
    except ValidationError as error:
        mistakes += _mistakes_of(error, place)
        wrong = {e["loc"][0] for e in error.errors()}
        rule = Rule.model_validate({"name": str(kind), **{n: v for n, v in wrapper.items() if n not in wrong}})
    if model is None:
        return ArmedRule(rule, Fault.model_construct(), place)
    attributes = {name: value for name, value in given.items() if name not in Rule.model_fields}
    try:
        fault = model.model_validate(attributes)
    except ValidationError as error:
        known = ", ".join([*model.model_fields, *(n for n in Rule.model_fields if n != "fault")])
        mistakes += _mistakes_of(error, place, known)
        fault = model.model_construct()
    return ArmedRule(rule, fault, place)


def _mistakes_of(error: ValidationError, place: str, known: str | None = None) -> list[Mistake]:
    mistakes: list[Mistake] = []
    for each in error.errors():
        path = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in each["loc"])
        problem = each["msg"]
        if each["type"] == "extra_forbidden":
            problem = "is not known here" + (f"; known: {known}" if known else "")
        elif each["type"] != "missing":
            problem = f"{problem}, got {_brief(each['input'])}"
        mistakes.append(Mistake((place + path).removeprefix("."), problem))
    return mistakes


def _brief(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"


# -- sources of schedules ------------------------------------------------------------------------------------------


def preset_names() -> tuple[str, ...]:
    """Return the names of the schedules that Soundstage includes."""
    return tuple(sorted(p.stem for p in PRESETS.glob("*.yaml")))


def preset(name: str) -> dict[str, Any]:
    """Return a schedule that Soundstage includes.

    Raises:
        ScheduleMistakes: the preset is unknown.
    """
    if name not in preset_names():
        raise ScheduleMistakes(
            [Mistake("preset", f"there is no preset {name!r}; known: {', '.join(preset_names())}, {OFF}")]
        )
    document: dict[str, Any] = bounded_input.read_yaml((PRESETS / f"{name}.yaml").read_bytes(), SCHEDULE_LIMITS).value
    return document


def document_of(given: object) -> object | None:
    """Resolve a requested schedule to its data: a preset by name or as {preset: name}, or a schedule; None for `off`.

    Raises:
        ScheduleMistakes: the preset is unknown, or the data exceeds `SCHEDULE_LIMITS`.
    """
    try:
        check_value(given, SCHEDULE_LIMITS)
    except Refused as refused:
        raise ScheduleMistakes([Mistake("schedule", refused.problem)]) from None
    if isinstance(given, dict) and set(given) == {"preset"}:
        given = given["preset"]
    if given is None or given in (OFF, False):
        return None
    return preset(given) if isinstance(given, str) else given


def read_yaml(text: bytes | str) -> tuple[object, dict[str, int]]:
    """Read a schedule file (YAML or JSON). Returns its data, and the line of each path.

    Raises:
        ScheduleMistakes: it is not valid YAML, has a duplicate key, or exceeds `SCHEDULE_LIMITS`.
    """
    try:
        document = bounded_input.read_yaml(text, SCHEDULE_LIMITS)
    except Refused as refused:
        raise ScheduleMistakes([Mistake("file", refused.problem, refused.line)]) from None
    if document.repeated:
        raise ScheduleMistakes([Mistake(show_place(p), "is given twice", line) for p, line in document.repeated])
    return document.value, {show_place(place): line for place, line in document.lines.items()}


def with_lines(error: ScheduleMistakes, lines: Mapping[str, int]) -> ScheduleMistakes:
    """Add to each mistake the line of its path or of the enclosing part."""
    return ScheduleMistakes([Mistake(m.place, m.problem, m.line or _line(m.place, lines)) for m in error.mistakes])


def _line(place: str, lines: Mapping[str, int]) -> int | None:
    while place and place not in lines:
        place = place[: max(place.rfind("."), place.rfind("["), 0)]
    return lines.get(place)
