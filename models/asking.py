"""A question to a language model and its answer, whoever gives it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Protocol, TypeVar

Role = Literal["system", "user", "assistant"]
Ended = Literal["stop", "length", "other"]
"""Why an answer ended: the model was done; it was cut off at the most tokens that it may have; anything else."""

Made = TypeVar("Made")


class ModelError(RuntimeError):
    """A model gave no answer, or none that can be used; the message says why, and holds no secret."""


class NoUse(ModelError):
    """A model answered, and so many times nothing that can be used."""


class Unusable(ValueError):
    """What is wrong with an answer, in words that the model can be told."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked. `wants_json`: it is to answer with JSON alone; `most_tokens` is how long the answer may be."""

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
        """A question of one message, with what the model is told beforehand, if anything."""
        before = () if system is None else (Message("system", system),)
        return cls((*before, Message("user", prompt)), temperature, seed, wants_json, most_tokens)

    @property
    def digest(self) -> str:
        """The same for the same question; another one for any other."""
        written = json.dumps(self.line(), ensure_ascii=True, sort_keys=True).encode()
        return hashlib.blake2b(written, digest_size=16).hexdigest()

    @property
    def size(self) -> int:
        """How long the messages are, in bytes."""
        return sum(len(message.content.encode(errors="surrogatepass")) for message in self.messages)

    def line(self) -> dict[str, Any]:
        """The question as JSON."""
        return asdict(self)

    def again(self, problem: str, number: int) -> Question:
        """The question once more, after an answer, the `number`th, that could not be used."""
        *before, last = self.messages
        told = f"{last.content}\n\nAnswer {number} to this could not be used: {problem}. Answer anew, whole."
        seed = None if self.seed is None else self.seed + number
        return replace(self, messages=(*before, replace(last, content=told)), seed=seed)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said: tokens that it read and wrote, how long it took, why it ended. `estimated` tokens were not counted by
    the model but told from the length of the texts.
    """

    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    ended: Ended = "stop"
    estimated: bool = False


class Model(Protocol):
    """Whoever answers questions. Several threads may ask at once."""

    @property
    def name(self) -> str:
        """What the model is called; kept beside its answers."""

    def ask(self, question: Question) -> Answer:
        """Answer a question.

        Raises:
            ModelError: there is no answer.
        """


def ask_for(model: Model, question: Question, read: Callable[[str], Made], *, tries: int = 4) -> Made:
    """Ask until `read` can make something of the answer's text; `read` raises `Unusable` with what is wrong, which the model is
    then told. An answer that was cut off is never read.

    Raises:
        NoUse: none of so many answers could be used.
        ModelError: there is no answer.
    """
    asked, problem = question, ""
    for number in range(1, tries + 1):
        answer = model.ask(asked)
        if answer.ended == "length":
            problem = f"it was cut off after {answer.tokens_out} tokens; it has to be shorter"
        else:
            try:
                return read(answer.text)
            except Unusable as unusable:
                problem = str(unusable)
        asked = question.again(problem, number)
    raise NoUse(f"{model.name} gave no usable answer in {tries} tries: {problem}")


def estimated_tokens(size: int) -> int:
    """About how many tokens a text of so many bytes has: a token is some four bytes of English, and three of Chinese."""
    return -(-size // 3)
