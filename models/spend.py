"""Limit the number of questions and tokens sent to a model."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

from soundstage.models.asking import Answer, Model, ModelError, Question, estimated_tokens


class BudgetSpent(ModelError):
    """The budget does not allow the question; nothing was sent."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a budget; None means unlimited."""

    tokens: int | None = None
    questions: int | None = None


@dataclass(frozen=True, slots=True)
class Total:
    """The cost of answers; `estimated` counts answers without token counts from the model."""

    questions: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    estimated: int = 0

    @property
    def tokens(self) -> int:
        """Input and output tokens together."""
        return self.tokens_in + self.tokens_out

    @classmethod
    def of(cls, answers: Iterable[Answer]) -> Total:
        """Return the sum over answers."""
        made = cls()
        for answer in answers:
            made = cls(
                made.questions + 1,
                made.tokens_in + answer.tokens_in,
                made.tokens_out + answer.tokens_out,
                round(made.seconds + answer.seconds, 3),
                made.estimated + answer.estimated,
            )
        return made

    def __str__(self) -> str:
        about = "about " if self.estimated else ""
        return f"{self.questions} questions, {about}{self.tokens_in} tokens in and {self.tokens_out} out, {self.seconds:.1f} s"


class Spend:
    """A model with a budget; place it behind a cassette, so that stored answers cost nothing.

    A question counts once it is sent, whatever its result. Its own tokens and its `most_tokens` are reserved in advance, so
    that the budget holds for concurrent questions. The answer to a question without `most_tokens` may exceed the budget and is
    then the last.
    """

    def __init__(self, model: Model, budget: Budget) -> None:
        self._model = model
        self._budget = budget
        self._answers: list[Answer] = []
        self._failed = 0
        self._asking: list[int] = []
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The wrapped model's name."""
        return self._model.name

    @property
    def total(self) -> Total:
        """The cost so far, without questions that were not answered."""
        with self._lock:
            return Total.of(self._answers)

    def ask(self, question: Question) -> Answer:
        """Ask the model if the budget allows it.

        Raises:
            BudgetSpent: The budget does not allow it.
            ModelError: The model does not answer.
        """
        wanted = estimated_tokens(question.size) + (question.most_tokens or 0)
        with self._lock:
            self._check(wanted)
            self._asking.append(wanted)
        answer = None
        try:
            answer = self._model.ask(question)
        finally:
            with self._lock:
                self._asking.remove(wanted)
                if answer is None:
                    self._failed += 1
                else:
                    self._answers.append(answer)
        return answer

    def _check(self, wanted: int) -> None:
        count, most = len(self._answers) + self._failed + len(self._asking), self._budget.questions
        if most is not None and count >= most:
            raise BudgetSpent(f"the budget of {most} questions is used up")
        spent = Total.of(self._answers).tokens
        if self._budget.tokens is not None and spent + sum(self._asking) + wanted > self._budget.tokens:
            raise BudgetSpent(
                f"the budget of {self._budget.tokens} tokens does not allow a question of up to {wanted}: {spent} are spent"
            )
