"""Questions of kernels to a language model: each is asked before the step, and its answer is a separate step.

A kernel does no I/O. It states its question (`AppContext.ask_model`); if the session has no answer yet, the step is rolled back.
The caller then asks the model, stores the answer here and repeats the call. Within a session a question always has its first
answer, so a replay reads the answers from the journal and asks no model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

import orjson

from soundstage.contexts.engine.journal import SESSION_USER, Caller

if TYPE_CHECKING:
    from soundstage.contexts.engine.store import Context

ANSWERS = "_model"
"""The counter of stored answers. Sessions without it have none, and skip the query."""

_LOOK = "SELECT reply FROM _journal WHERE kind = 'model' AND app = ? AND arguments = ? ORDER BY step LIMIT 1"


class Message(TypedDict):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class Question(TypedDict):
    """A question: the messages of a conversation, and how many tokens the answer may have."""

    messages: list[Message]
    most_tokens: int | None


class ModelAnswer(TypedDict):
    """The outcome of a question: the text, or why there is none, and the model's name."""

    text: str | None
    error: str | None
    model: str


class NeedsModelAnswer(BaseException):
    """Raised if a kernel needs a language model's answer. Not an error, and error handlers must not catch it."""

    def __init__(self, question: Question) -> None:
        super().__init__("a model is to be asked")
        self.question = question


def stored_answer(context: Context, app: str, question: Question) -> ModelAnswer | None:
    """Return the session's stored answer to a question of an app, or None."""
    if ANSWERS not in (context.meta or context.read_meta()).counters:
        return None
    rows: Any = context.ask(_LOOK, (app, orjson.dumps(_arguments(question)).decode())).fetchall()
    answer: ModelAnswer | None = orjson.loads(rows[0][0]) if rows else None
    return answer


def store_answer(
    context: Context,
    app: str,
    tool: str,
    question: Question,
    answer: ModelAnswer,
    *,
    caller: Caller = SESSION_USER,
    at_ms: int | None = None,
) -> None:
    """Make the answer a step of the session, before the call that wanted it. A replay sets the time (`at_ms`)."""
    with context.step("model", tool, _arguments(question), app=app, caller=caller, at_ms=at_ms) as step:
        step.meta.counters[ANSWERS] = step.meta.counters.get(ANSWERS, 0) + 1
        step.ok, step.reply = answer["text"] is not None, dict(answer)


def _arguments(question: Question) -> dict[str, Any]:
    """The question as a step has it, its members always in the same order."""
    return {"messages": question["messages"], "most_tokens": question["most_tokens"]}
