"""A model with prepared answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from soundstage.models.asking import Answer, ModelError, Question, estimated_tokens


class Scripted:
    """Returns prepared answers in order; `asked` records the questions.

    Questions that a cassette answers do not use up an answer.
    """

    def __init__(self, answers: Sequence[str | Answer], name: str = "scripted") -> None:
        self.name = name
        self.questions: list[Question] = []
        self._answers = answers
        self._lock = threading.Lock()

    @classmethod
    def folder(cls, folder: Path) -> Scripted:
        """Create a model whose answers are a folder's files, sorted by name.

        Raises:
            ModelError: The folder does not exist, or a file is not text.
        """
        try:
            files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
            return cls([path.read_text(encoding="utf-8") for path in files], f"scripted:{folder.name}")
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"{folder} holds no answers ({error})") from None

    def ask(self, question: Question) -> Answer:
        """Return the next answer.

        Raises:
            ModelError: All answers are used up.
        """
        with self._lock:
            number = len(self.questions)
            self.questions.append(question)
        if number >= len(self._answers):
            raise ModelError(f"{self.name} has {len(self._answers)} answers, and one more is asked for")
        given = self._answers[number]
        if isinstance(given, Answer):
            return given
        length = estimated_tokens(len(given.encode()))
        return Answer(given, estimated_tokens(question.size), length, 0.0, estimated=True)
