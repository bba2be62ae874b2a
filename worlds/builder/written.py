"""Texts that a language model wrote for a world; each is requested once and stored next to the spec.

Texts are stored in `written.jsonl` of the world's folder: a rebuild needs no model, and an interrupted build continues where it
stopped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from soundstage.models.asking import Model, ModelError, Question, Unusable, ask_for
from soundstage.models.reading import json_in
from soundstage.worlds.builder.drafts import Draft


@dataclass(frozen=True, slots=True)
class Request:
    """One text that is wanted: its kind, topic and length, and who would write it."""

    kind: str
    topic: str
    voice: str
    language: str
    words: tuple[int, int]
    key: str

    @classmethod
    def about(cls, kind: str, topic: str | None, person: Draft | None, words: tuple[int, int], key: str) -> Request:
        """Return the request for a text in the voice of a person."""
        if person is None:
            return cls(kind, topic or "", "", "en", words, key)
        values = person.values
        voice = "; ".join(
            part for part in (values["role"], values["about"], ", ".join(values["traits"]), ", ".join(values["interests"]))
            if part
        )  # fmt: skip
        return cls(kind, topic or "", f"{values['name']}: {voice}", str(values["languages"][0]), words, key)

    @property
    def id(self) -> str:
        """Return a hash of the request, under which its text is stored."""
        return hashlib.blake2b(orjson.dumps([*self._parts()]), digest_size=12).hexdigest()

    def _parts(self) -> list[Any]:
        return [self.kind, self.topic, self.voice, self.language, list(self.words), self.key]

    def prompt(self) -> str:
        """Return the prompt that asks a language model for the text."""
        language = {"en": "English", "zh": "Chinese (简体)"}[self.language]
        about = f" about {self.topic}" if self.topic else ""
        by = f" as {self.voice} would write it" if self.voice else ""
        return (
            f"Write one {self.kind.replace('_', ' ')}{about}{by}, in {language}, {self.words[0]} to {self.words[1]} words. "
            "Plain, specific, believable; no real companies, people, phone numbers or web addresses. "
            'Answer with JSON only: {"title": "…", "text": "…"}; the title may be empty.'
        )


class Written:
    """A model's texts for one world. A lookup of a missing text records the request for `ask`."""

    def __init__(self, path: Path | None, *, collect: bool = False) -> None:
        self._path = path
        self._collect = collect
        self.wanted: dict[str, Request] = {}
        self._texts: dict[str, tuple[str, str]] = {}
        if path is not None and path.exists():
            for line in path.read_bytes().splitlines():
                try:
                    entry = orjson.loads(line)
                    self._texts[entry["id"]] = (entry["title"], entry["text"])
                except (orjson.JSONDecodeError, KeyError, TypeError):
                    continue  # the line at which an earlier build was interrupted

    def text(self, request: Request) -> tuple[str, str] | None:
        """Return the text for a request as (title, text), or None if it is not written yet."""
        text = self._texts.get(request.id)
        if text is None and self._collect:
            self.wanted[request.id] = request
        return text

    def ask(self, model: Model, progress: Callable[[str, int, int], None], *, at_once: int = 4) -> None:
        """Have the model write all requested texts, storing each as it arrives.

        Raises:
            ModelError: the model fails; texts received before are stored.
        """
        if not self.wanted or self._path is None:
            return
        waiting = list(self.wanted.values())
        total, failed = len(waiting), None
        with ThreadPoolExecutor(at_once) as pool, self._path.open("ab") as file:
            if file.tell() and not self._path.read_bytes().endswith(b"\n"):
                file.write(b"\n")
            running: dict[Future[tuple[str, str]], Request] = {}
            while (waiting and failed is None) or running:
                while waiting and failed is None and len(running) < at_once:
                    request = waiting.pop(0)
                    running[pool.submit(write, model, request)] = request
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    request = running.pop(future)
                    try:
                        title, text = future.result()
                    except ModelError as error:
                        failed = error
                        continue
                    self._texts[request.id] = (title, text)
                    file.write(_line(request, title, text))
                    file.flush()
                progress("texts by the model", total - len(waiting) - len(running), total)
        if failed is not None:
            raise failed
        self._sort()

    def _sort(self) -> None:
        """The same texts in the same bytes, whatever order they came in."""
        assert self._path is not None
        lines: dict[str, bytes] = {}
        for line in self._path.read_bytes().splitlines(keepends=True):
            try:
                lines[orjson.loads(line)["id"]] = line
            except (orjson.JSONDecodeError, KeyError, TypeError):
                continue
        whole = self._path.with_suffix(".partial")
        whole.write_bytes(b"".join(lines[name] for name in sorted(lines)))
        whole.replace(self._path)


def write(model: Model, request: Request) -> tuple[str, str]:
    """Have a text written, as (title, text).

    Raises:
        ModelError: when the model gives none.
    """
    question = Question.of(request.prompt(), temperature=0.9, seed=int(request.id[:7], 16), wants_json=True)
    return ask_for(model, question, _title_and_text)


def _title_and_text(answer: str) -> tuple[str, str]:
    made = json_in(answer)
    title, text = (made.get("title") or "", made.get("text")) if isinstance(made, dict) else (None, None)
    if not isinstance(title, str) or not isinstance(text, str) or not text.strip():
        raise Unusable('it is not {"title": "…", "text": "…"} with a text that says something')
    return title, text


def _line(request: Request, title: str, text: str) -> bytes:
    entry = {"id": request.id, "kind": request.kind, "key": request.key, "title": title, "text": text}
    return orjson.dumps(entry) + b"\n"
