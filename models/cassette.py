"""Answers that are kept: nothing is asked twice, and what was asked once can be told again with no model at all.

A cassette is a file of JSON lines `{question, model, asked, answer}`: the question's digest, the model's name, the question
itself, and the answer. A line is on disk before its answer is given to anybody. Words for how it is used are those of VCR,
which recorded HTTP first.
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
"""`none`: only what is kept is told. `new_episodes`: what is not kept is asked. `all`: everything is asked once more."""

_LIMITS = Limits(size=32 * 2**20, values=1_000_000, depth=80)
_SHOWN = 80


class NotKept(ModelError):
    """There is no answer to the question, and none may be asked for."""


class CassetteError(ModelError):
    """The file is no cassette; the message names the line."""


class Cassette:
    """A model that remembers. An answer belongs to a question and to the name of the model that gave it; with no model (then
    nothing can be asked), any model's answer to the question will do, the latest first. One process at a time writes a file.

    Raises:
        CassetteError: when it is made.
    """

    def __init__(self, path: Path, model: Model | None = None, record: Record = "new_episodes") -> None:
        self._path = path
        self._model = model
        self._record = record
        self._kept: dict[tuple[str, str], Answer] = {}
        self._by: dict[str, str] = {}
        self._lock = threading.Lock()
        self._turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._whole = 0
        self._read()
        self._told: set[tuple[str, str]] = set() if record == "all" else set(self._kept)

    @property
    def name(self) -> str:
        return "kept answers" if self._model is None else self._model.name

    @property
    def total(self) -> Total:
        """What all answers that are kept cost when they were given."""
        with self._lock:
            return Total.of(self._kept.values())

    def ask(self, question: Question) -> Answer:
        """The kept answer, or a new one, which is kept then.

        Raises:
            NotKept: there is none, and none may be asked for.
            ModelError: the model does not answer.
        """
        digest = question.digest
        with self._lock:
            turn = self._turns[digest]
        with turn:  # the same question by two at once is asked once
            kept = self._found(digest)
            if kept is not None:
                return kept
            if self._model is None or self._record == "none":
                last = " ".join(question.messages[-1].content.split())
                raise NotKept(f"{self._path} has no answer of {self.name} to question {digest} ({last[:_SHOWN]}…)")
            answer = self._model.ask(question)
            self._keep(question, digest, self._model.name, answer)
            return answer

    def _found(self, digest: str) -> Answer | None:
        with self._lock:
            who = self._by.get(digest, "") if self._model is None else self._model.name
            return self._kept[digest, who] if (digest, who) in self._told else None

    def _keep(self, question: Question, digest: str, who: str, answer: Answer) -> None:
        line = {"question": digest, "model": who, "asked": question.line(), "answer": asdict(answer)}
        written = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode(errors="replace") + b"\n"
        with self._lock:
            with open(self._path, "r+b" if self._path.exists() else "xb") as file:
                file.truncate(self._whole)  # what a killed run left of its last line
                file.seek(self._whole)
                file.write(written)
                file.flush()
                os.fsync(file.fileno())
            self._whole += len(written)
            self._note(digest, who, answer)
            self._told.add((digest, who))

    def _note(self, digest: str, who: str, answer: Answer) -> None:
        self._kept[digest, who] = answer
        self._by[digest] = who

    def _read(self) -> None:
        """Every whole line, the later over the earlier; what stands behind the last line break was not written to its end."""
        content = self._path.read_bytes() if self._path.exists() else b""
        self._whole = content.rfind(b"\n") + 1
        for number, row in enumerate(content[: self._whole].split(b"\n")[:-1], start=1):
            try:
                line = read_json(row, _LIMITS)
                self._note(str(line["question"]), str(line["model"]), _answer(line["answer"]))
            except (Refused, LookupError, TypeError) as error:
                raise CassetteError(
                    f"{self._path}:{number} is no kept answer ({error}); mend it or take it out"
                ) from None


def _answer(line: Mapping[str, Any]) -> Answer:
    answer = Answer(**line)
    if not isinstance(answer.text, str):
        raise TypeError("text is none")
    return answer
