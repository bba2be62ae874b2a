"""What only a judge can say about a trial: the questions of its task, what a judge is shown, and how an answer is read.

Judgements are kept in a file of their own, `judged.jsonl`; nothing here touches a score.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import jsonschema_rs
import orjson
from typing_extensions import TypedDict

from soundstage.contexts.engine.schema import Object
from soundstage.grading.evidence import Evidence
from soundstage.grading.task import Check, Question, Task, all_checks


class Row(TypedDict):
    """A row that the agent touched: as it was and as it is. None: it was not there, it is gone."""

    app: str
    entity: str
    before: Object | None
    after: Object | None


class Shown(TypedDict):
    """What a judge sees: rows from receipts and the answer, never what the agent told of its work. `digest` is of all of it."""

    id: str
    question: str
    instruction: str
    rows: list[Row]
    answer: str
    digest: str


class Judgement(TypedDict):
    """A line of `judged.jsonl`. `value` is None where the judge's answer could not be read: it is missing then, and counted."""

    run: str
    trial: str
    task: str
    question: str
    model: str
    prompt_digest: str
    evidence_digest: str
    value: bool | int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a judge said."""

    value: bool | int
    reason: str


def shown(task: Task, evidence: Evidence) -> list[Shown]:
    """Each question of a task, with what there is to judge it by."""
    return [_shown(task, question, evidence) for question in task.judged]


def _shown(task: Task, question: Question, evidence: Evidence) -> Shown:
    about = [c for c in all_checks(task) if c.id == question.about]
    rows = [row for check in about for row in _rows(check, evidence)]
    told = {"question": question.question, "instruction": task.instruction, "rows": rows, "answer": evidence.answer}
    digest = hashlib.blake2b(orjson.dumps(told, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()
    return Shown(
        id=question.id,
        question=question.question,
        instruction=task.instruction,
        rows=rows,
        answer=evidence.answer,
        digest=digest,
    )


def _rows(check: Check, evidence: Evidence) -> Iterable[Row]:
    """The rows that a check is about, as far as the agent touched them."""
    named = evidence.names.get(check.updated or check.deleted or "")
    entity = check.created or check.state
    for inner in (c for alternative in check.any_of for c in alternative):
        yield from _rows(inner, evidence)
    for key, history in evidence.touched.items():
        of_entity = entity is not None and key[:2] == (entity.app, entity.entity)
        if history.own_steps and (key == named or of_entity):
            yield Row(app=key[0], entity=key[1], before=history.start, after=history.end)


def answer_schema(question: Question) -> dict[str, Any]:
    """The JSON schema that a judge's answer has to fit."""
    yes_no = {"type": "boolean"}
    ten = {"type": "integer", "minimum": 0, "maximum": 10}
    value = yes_no if question.scale == "yes_no" else ten
    return {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "value": value},
        "required": ["reason", "value"],
        "additionalProperties": False,
    }


def read_answer(question: Question, text: str) -> Answer | None:
    """A judge's answer, None where it does not fit: nothing is guessed from its words."""
    try:
        told = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not jsonschema_rs.is_valid(answer_schema(question), told):
        return None
    return Answer(told["value"], told["reason"])
