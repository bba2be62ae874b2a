"""Questions about a trial that need a judge: the task's questions, the judge's input, and parsing of the answer.

Judgements are stored separately in `judged.jsonl` and never affect a score.
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
from soundstage.grading.checks import Check, inner_checks, named_row, searched_entity
from soundstage.grading.evidence import Evidence
from soundstage.grading.task import Question, Task, all_checks


class Row(TypedDict):
    """A row that the agent touched, before and after; None if it did not exist."""

    app: str
    entity: str
    before: Object | None
    after: Object | None


class JudgeInput(TypedDict):
    """A judge's input: rows from receipts and the answer, but not the agent's own account; `digest` covers all of it."""

    id: str
    question: str
    instruction: str
    rows: list[Row]
    answer: str
    digest: str


class Judgement(TypedDict):
    """A line of `judged.jsonl`; without a `value`, the judge's answer was unreadable and counts as missing."""

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
class JudgeAnswer:
    """A judge's answer."""

    value: bool | int
    reason: str


def shown(task: Task, evidence: Evidence) -> list[JudgeInput]:
    """Return each question of a task with the data to judge it by."""
    return [_judge_input(task, question, evidence) for question in task.judged]


def _judge_input(task: Task, question: Question, evidence: Evidence) -> JudgeInput:
    about = [c for c in all_checks(task) if c.id == question.about]
    rows = [row for check in about for row in _rows(check, evidence)]
    content = {"question": question.question, "instruction": task.instruction, "rows": rows, "answer": evidence.answer}
    digest = hashlib.blake2b(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()
    return JudgeInput(
        id=question.id,
        question=question.question,
        instruction=task.instruction,
        rows=rows,
        answer=evidence.answer,
        digest=digest,
    )


def _rows(check: Check, evidence: Evidence) -> Iterable[Row]:
    """Yield the rows that a check concerns and the agent touched."""
    named = evidence.names.get(named_row(check) or "")
    entity = searched_entity(check)
    for inner in inner_checks(check):
        yield from _rows(inner, evidence)
    for key, history in evidence.touched.items():
        of_entity = entity is not None and key[:2] == (entity.app, entity.entity)
        if history.own_steps and (key == named or of_entity):
            yield Row(app=key[0], entity=key[1], before=history.start, after=history.end)


def answer_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of a judge's answer."""
    yes_no = {"type": "boolean"}
    ten = {"type": "integer", "minimum": 0, "maximum": 10}
    value = yes_no if question.scale == "yes_no" else ten
    return {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "value": value},
        "required": ["reason", "value"],
        "additionalProperties": False,
    }


def read_answer(question: Question, text: str) -> JudgeAnswer | None:
    """Parse a judge's answer; None if it does not match the schema, without guessing."""
    try:
        reply = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not jsonschema_rs.is_valid(answer_schema(question), reply):
        return None
    return JudgeAnswer(reply["value"], reply["reason"])
