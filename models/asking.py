"""The interface of language models: a question and its answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Protocol, TypeVar

Role = Literal["system", "user", "assistant"]
FinishReason = Literal["stop", "length", "other"]
"""Why an answer ended: the model was done; it reached the token limit; anything else."""

Made = TypeVar("Made")


class ModelError(RuntimeError):
    """A model gave no answer, or an unusable one; the message has the reason and contains no secret."""


class NoUsableAnswer(ModelError):
    """A model answered repeatedly, but never with a usable answer."""


class Unusable(ValueError):
    """The problem of an answer, worded for the model."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Question:
    """A request to a model; `wants_json` requests JSON alone, `most_tokens` limits the answer."""

    messages: tuple[Message, ...]
    temperature: float = 0.0
    seed: int | None = None
    wants_json: bool = False
    most_tokens: int | None = None

    @classmethod
    def of(
        cls,
        prompt: str,
        *,
        system: str | None = None,
        temperature: float = 0.0,
        seed: int | None = None,
        wants_json: bool = False,
        most_tokens: int | None = None,
    ) -> Question:
        """Create a question with one message and an optional system message."""
        before = () if system is None else (Message("system", system),)
        return cls((*before, Message("user", prompt)), temperature, seed, wants_json, most_tokens)

    @property
    def digest(self) -> str:
        """Return a digest that identifies the question."""
        written = json.dumps(self.line(), ensure_ascii=True, sort_keys=True).encode()
        return hashlib.blake2b(written, digest_size=16).hexdigest()

    @property
    def size(self) -> int:
        """The size of the messages in bytes."""
        return sum(len(message.content.encode(errors="surrogatepass")) for message in self.messages)

    def line(self) -> dict[str, Any]:
        """Return the question as JSON data."""
        return asdict(self)

    def again(self, problem: str, number: int) -> Question:
        """Return the question for a retry after answer number `number` was unusable."""
        *before, last = self.messages
        content = f"{last.content}\n\nAnswer {number} to this could not be used: {problem}. Give a complete new answer."
        seed = None if self.seed is None else self.seed + number
        return replace(self, messages=(*before, replace(last, content=content)), seed=seed)


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer with its token counts, duration and reason for ending.

    `estimated` tokens were computed from the length of the texts rather than counted by the model.
    """

    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    ended: FinishReason = "stop"
    estimated: bool = False


class Model(Protocol):
    """A provider of answers; it must be thread-safe."""

    @property
    def name(self) -> str:
        """The model's name, stored with its answers."""

    def ask(self, question: Question) -> Answer:
        """Answer a question.

        Raises:
            ModelError: There is no answer.
        """


def ask_for(model: Model, question: Question, read: Callable[[str], Made], *, tries: int = 4) -> Made:
    """Ask until `read` accepts an answer.

    `read` raises `Unusable` with the problem, which is sent to the model with the next try. A truncated answer is never read.

    Raises:
        NoUsableAnswer: None of the `tries` answers was usable.
        ModelError: There is no answer.
    """
    current, problem = question, ""
    for number in range(1, tries + 1):
        answer = model.ask(current)
        if answer.ended == "length":
            problem = f"it was cut off after {answer.tokens_out} tokens; it has to be shorter"
        else:
            try:
                return read(answer.text)
            except Unusable as unusable:
                problem = str(unusable)
        current = question.again(problem, number)
    raise NoUsableAnswer(f"{model.name} gave no usable answer in {tries} tries: {problem}")


def estimated_tokens(size: int) -> int:
    """Estimate the tokens of a text by its bytes: a token has about four bytes of English, or three of Chinese."""
    return -(-size // 3)
