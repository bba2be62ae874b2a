"""Checks of a task: one model per form, and functions that handle every form.

`Check` is a discriminated union: the form of a check is the member that only this form has, such as `created`. Each function
here ends in `assert_never`, so that a new form is a type error until all of them handle it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, assert_never

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, PlainValidator, Tag, model_validator

from soundstage.grading.matcher_parser import parse_matcher
from soundstage.grading.matchers import Matcher

Written = Annotated[Matcher, PlainValidator(parse_matcher)]
Many = Annotated[tuple[str, ...], BeforeValidator(lambda v: (v,) if isinstance(v, str) else v)]
Outcome = Literal["done", "asked", "declined", "gave_up"]


class TaskModel(BaseModel):
    """Base of all models of a task file: immutable, without unknown members."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, populate_by_name=True)


class Entity(TaskModel):
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
        problem = f"{' and '.join(map(repr, apps))} are two" if apps else "no app is given"
        raise ValueError(f"expected one app and its entity, as in {{lark: message}}; {problem}")
    rest = {k: v for k, v in written.items() if k != apps[0]}
    return {**rest, "app": apps[0], "entity": written[apps[0]]}


class CommonCheck(TaskModel):
    """The members of every check; `title` is its label for people, `weight` its share of the score."""

    id: str
    title: str
    weight: float = Field(default=1, gt=0)
    class_: Literal["operate", "personalized_search", "generic_search"] = Field(default="operate", alias="class")
    after: Many = ()
    requires_check: Many = ()


class UpdatedCheck(CommonCheck):
    """A named row has the values `to` at the end, had `from` at the start, and its fields in `keeps` are unchanged."""

    updated: str
    to: dict[str, Written]
    from_: dict[str, Written] = Field(default={}, alias="from")
    keeps: tuple[str, ...]


class CreatedCheck(CommonCheck):
    """The agent created `count` rows of an entity that match `where`."""

    created: Entity
    where: dict[str, Written] = {}
    count: int = Field(default=1, ge=0)


class StateCheck(CommonCheck):
    """At the end, but not at the start, `count` rows of an entity match `where`."""

    state: Entity
    where: dict[str, Written] = {}
    count: int = Field(default=1, ge=0)


class DeletedCheck(CommonCheck):
    """The agent deleted a named row."""

    deleted: str


class AnswerCheck(CommonCheck):
    """The answer matches; if `grounded`, its values must have appeared in an earlier reply."""

    answer: Written
    grounded: bool = False


class OutcomeCheck(CommonCheck):
    """The agent ended the trial with this outcome."""

    outcome: Outcome


class AnyOfCheck(CommonCheck):
    """At least one alternative holds; an alternative is a list of checks."""

    any_of: tuple[Annotated[tuple[Check, ...], Field(min_length=1)], ...]


_FORMS = ("updated", "created", "state", "deleted", "answer", "outcome", "any_of")
_MEMBERS_OF_FORMS = (  # members of single forms, the forms that have them, and the message if they are in another one
    (("to", "from", "keeps"), ("updated",), "`to`, `from` and `keeps` belong to `updated`"),
    (("where", "count"), ("created", "state"), "`where` and `count` belong to `created` and `state`"),
    (("grounded",), ("answer",), "`grounded` belongs to `answer`: its values must appear in an earlier reply"),
)


def _validated_form(written: Any) -> Any:
    """Check that a check has exactly one form and only members of it, with one message for each mistake."""
    if not isinstance(written, Mapping):
        return written
    forms = [form for form in _FORMS if written.get(form)]
    if len(forms) != 1:
        raise ValueError(
            f"a check is one of updated, created, state, deleted, answer, outcome and any_of; "
            f"here is {' and '.join(forms) or 'nothing'}"
        )
    if forms == ["updated"] and not written.get("to"):
        raise ValueError("`updated` needs `to`: the values of the row at the end")
    if forms == ["updated"] and written.get("keeps") is None:
        raise ValueError("`updated` needs `keeps`: the fields that must not change; [] if nothing is at risk")
    present = {name: value for name, value in written.items() if value is not None or name not in (*_FORMS, "keeps")}
    for members, owners, problem in _MEMBERS_OF_FORMS:
        if forms[0] not in owners and any(member in present for member in members):
            raise ValueError(problem)
    return present


def _form_of(check: Any) -> str | None:
    """Return the form of a check, as written in a task file or as a model; None if it is neither."""
    has = check.__contains__ if isinstance(check, Mapping) else lambda form: hasattr(check, form)
    return next((form for form in _FORMS if has(form)), None)


Check = Annotated[
    Annotated[UpdatedCheck, Tag("updated")]
    | Annotated[CreatedCheck, Tag("created")]
    | Annotated[StateCheck, Tag("state")]
    | Annotated[DeletedCheck, Tag("deleted")]
    | Annotated[AnswerCheck, Tag("answer")]
    | Annotated[OutcomeCheck, Tag("outcome")]
    | Annotated[AnyOfCheck, Tag("any_of")],
    Discriminator(_form_of),
    BeforeValidator(_validated_form),
]
"""One condition on the changes, on the answer or on the outcome."""

AnyOfCheck.model_rebuild()


def named_row(check: Check) -> str | None:
    """Return the name of the row that a check concerns; None if it concerns no named row."""
    match check:
        case UpdatedCheck():
            return check.updated
        case DeletedCheck():
            return check.deleted
        case CreatedCheck() | StateCheck() | AnswerCheck() | OutcomeCheck() | AnyOfCheck():
            return None
    assert_never(check)


def searched_entity(check: Check) -> Entity | None:
    """Return the entity whose rows a check searches; None if it searches none."""
    match check:
        case CreatedCheck():
            return check.created
        case StateCheck():
            return check.state
        case UpdatedCheck() | DeletedCheck() | AnswerCheck() | OutcomeCheck() | AnyOfCheck():
            return None
    assert_never(check)


def conditions(check: Check) -> dict[str, dict[str, Matcher]]:
    """Return a check's conditions on rows: member (`to`, `from_`, `where`) → path → matcher."""
    match check:
        case UpdatedCheck():
            return {"to": check.to, "from_": check.from_}
        case CreatedCheck() | StateCheck():
            return {"where": check.where}
        case DeletedCheck() | AnswerCheck() | OutcomeCheck() | AnyOfCheck():
            return {}
    assert_never(check)


def answer_matcher(check: Check) -> Matcher | None:
    """Return a check's condition on the answer; None if it has none."""
    match check:
        case AnswerCheck():
            return check.answer
        case UpdatedCheck() | CreatedCheck() | StateCheck() | DeletedCheck() | OutcomeCheck() | AnyOfCheck():
            return None
    assert_never(check)


def final_conditions(check: Check) -> Mapping[str, Matcher]:
    """Return a check's conditions on a row at the end: path → matcher."""
    of_rows = conditions(check)
    return {**of_rows.get("to", {}), **of_rows.get("where", {})}


def matchers_of(check: Check) -> list[Matcher]:
    """Return every top-level matcher of a check."""
    answer = answer_matcher(check)
    of_rows = [matcher for group in conditions(check).values() for matcher in group.values()]
    return of_rows if answer is None else [*of_rows, answer]


def alternatives(check: Check) -> tuple[tuple[Check, ...], ...]:
    """Return the alternatives of a check; empty unless it is an `any_of`."""
    match check:
        case AnyOfCheck():
            return check.any_of
        case UpdatedCheck() | CreatedCheck() | StateCheck() | DeletedCheck() | AnswerCheck() | OutcomeCheck():
            return ()
    assert_never(check)


def inner_checks(check: Check) -> Iterator[Check]:
    """Yield the checks directly inside a check."""
    return (inner for alternative in alternatives(check) for inner in alternative)
