"""Store answers, so that no question is asked twice and runs can be repeated without a model.

A cassette is a file of JSON lines `{question, model, asked, answer}`: the question's digest, the model's name, the question
itself, and the answer. A line is on disk before its answer is returned. The record modes are named as in VCR, which introduced
them for HTTP.
"""

from __future__ import annotations

import json
import os
import threading
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from soundstage.bounded_input import Limits, Refused, read_json
from soundstage.models.asking import Answer, Model, ModelError, Question
from soundstage.models.spend import Total

Record = Literal["none", "new_episodes", "all"]
"""`none`: return only stored answers. `new_episodes`: ask only questions that are not stored. `all`: ask everything again."""

_LIMITS = Limits(size=32 * 2**20, values=1_000_000, depth=80)
_SHOWN = 80


class NotStored(ModelError):
    """The question has no stored answer, and the mode does not allow asking."""


class CassetteError(ModelError):
    """The file is not a cassette; the message names the line."""


class Cassette:
    """A model that stores its answers, by question and model name.

    Without a model nothing can be asked, and the latest stored answer of any model is returned. Only one process at a time may
    write a file.

    Raises:
        CassetteError: The file is invalid (raised by the constructor).
    """

    def __init__(self, path: Path, model: Model | None = None, record: Record = "new_episodes") -> None:
        self._path = path
        self._model = model
        self._record = record
        self._answers: dict[tuple[str, str], Answer] = {}
        self._by: dict[str, str] = {}
        self._lock = threading.Lock()
        self._turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._whole = 0
        self._read()
        self._current: set[tuple[str, str]] = set() if record == "all" else set(self._answers)

    @property
    def name(self) -> str:
        """The model's name, or a placeholder if only stored answers are returned."""
        return "stored answers" if self._model is None else self._model.name

    @property
    def total(self) -> Total:
        """The cost of all stored answers when they were given."""
        with self._lock:
            return Total.of(self._answers.values())

    def ask(self, question: Question) -> Answer:
        """Return the stored answer, or ask and store a new one.

        Raises:
            NotStored: No answer is stored, and the mode does not allow asking.
            ModelError: The model does not answer.
        """
        digest = question.digest
        with self._lock:
            turn = self._turns[digest]
        with turn:  # concurrent equal questions are asked once
            stored = self._stored(digest)
            if stored is not None:
                return stored
            if self._model is None or self._record == "none":
                last = " ".join(question.messages[-1].content.split())
                raise NotStored(f"{self._path} has no answer of {self.name} to question {digest} ({last[:_SHOWN]}…)")
            answer = self._model.ask(question)
            self._keep(question, digest, self._model.name, answer)
            return answer

    def _stored(self, digest: str) -> Answer | None:
        with self._lock:
            who = self._by.get(digest, "") if self._model is None else self._model.name
            return self._answers[digest, who] if (digest, who) in self._current else None

    def _keep(self, question: Question, digest: str, who: str, answer: Answer) -> None:
        line = {"question": digest, "model": who, "asked": question.line(), "answer": asdict(answer)}
        written = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode(errors="replace") + b"\n"
        with self._lock:
            with open(self._path, "r+b" if self._path.exists() else "xb") as file:
                file.truncate(self._whole)  # the incomplete last line of a killed run
                file.seek(self._whole)
                file.write(written)
                file.flush()
                os.fsync(file.fileno())
            self._whole += len(written)
            self._note(digest, who, answer)
            self._current.add((digest, who))

    def _note(self, digest: str, who: str, answer: Answer) -> None:
        self._answers[digest, who] = answer
        self._by[digest] = who

    def _read(self) -> None:
        """Read every complete line; later lines take precedence, and an incomplete last line is skipped."""
        content = self._path.read_bytes() if self._path.exists() else b""
        self._whole = content.rfind(b"\n") + 1
        for number, row in enumerate(content[: self._whole].split(b"\n")[:-1], start=1):
            try:
                line = read_json(row, _LIMITS)
                self._note(str(line["question"]), str(line["model"]), _answer(line["answer"]))
            except (Refused, LookupError, TypeError) as error:
                raise CassetteError(
                    f"{self._path}:{number} is not a stored answer ({error}); fix the line or remove it"
                ) from None


def _answer(line: Mapping[str, Any]) -> Answer:
    answer = Answer(**line)
    if not isinstance(answer.text, str):
        raise TypeError("text is none")
    return answer
