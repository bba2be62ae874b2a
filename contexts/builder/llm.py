"""Texts by a language model: any OpenAI-compatible endpoint, asked once, kept beside the spec.

`BACKLOT_LLM_BASE_URL` (such as http://127.0.0.1:8000/v1), `BACKLOT_LLM_MODEL` and `BACKLOT_LLM_API_KEY` say where. What
has been written stands in `written.jsonl` of the world's folder: a rebuild needs no model, and a build that was
interrupted goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import orjson

from contexts.builder.drafts import Draft

_RETRIED = (408, 409, 425, 429, 500, 502, 503, 504)


class ModelError(RuntimeError):
    """The model did not give a usable text; the message says what it answered. What was written before is kept."""


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
        return hashlib.blake2b(orjson.dumps([*self._parts()]), digest_size=12).hexdigest()

    def _parts(self) -> list[Any]:
        return [self.kind, self.topic, self.voice, self.language, list(self.words), self.key]

    def prompt(self) -> str:
        language = {"en": "English", "zh": "Chinese (简体)"}[self.language]
        about = f" about {self.topic}" if self.topic else ""
        by = f" as {self.voice} would write it" if self.voice else ""
        return (
            f"Write one {self.kind.replace('_', ' ')}{about}{by}, in {language}, {self.words[0]} to {self.words[1]} words. "
            "Plain, specific, believable; no real companies, people, phone numbers or web addresses. "
            'Answer with JSON only: {"title": "…", "text": "…"}; the title may be empty.'
        )


class Written:
    """What a model wrote for one world. Asked for something new, it notes the request for `ask`."""

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
        """What was written for a request: (title, text)."""
        found = self._texts.get(request.id)
        if found is None and self._collect:
            self.wanted[request.id] = request
        return found

    def ask(self, model: Model, progress: Callable[[str, int, int], None], *, at_once: int = 4) -> None:
        """Have everything written that is wanted, keeping each text as it comes.

        Raises:
            ModelError: when a text cannot be had; those that came before are kept.
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
                    running[pool.submit(model.write, request)] = request
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


@dataclass(frozen=True, slots=True)
class Model:
    """An OpenAI-compatible endpoint for chat completions."""

    base_url: str
    name: str = "default"
    api_key: str = ""
    tries: int = 6
    timeout_s: float = 60.0
    pause: Callable[[float], None] = time.sleep

    @classmethod
    def from_environment(cls) -> Model | None:
        """The model that the environment names, if it names one."""
        url = os.environ.get("BACKLOT_LLM_BASE_URL")
        if not url:
            return None
        return cls(url, os.environ.get("BACKLOT_LLM_MODEL", "default"), os.environ.get("BACKLOT_LLM_API_KEY", ""))

    def write(self, request: Request) -> tuple[str, str]:
        """A text as (title, text). Overload, dropped connections and answers that are no JSON are tried again.

        Raises:
            ModelError: when all tries are used up, or the endpoint refuses for good.
        """
        body = {
            "model": self.name,
            "messages": [{"role": "user", "content": request.prompt()}],
            "temperature": 0.9,
            "seed": int(request.id[:7], 16),
            "response_format": {"type": "json_object"},
        }
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        problem, retry_after = "", 0.0
        for attempt in range(self.tries):
            if attempt:
                self.pause(retry_after or min(2.0**attempt, 30.0))
            retry_after = 0.0
            try:
                response = httpx2.post(
                    f"{self.base_url.rstrip('/')}/chat/completions", json=body, headers=headers, timeout=self.timeout_s
                )
            except httpx2.TransportError as error:
                problem = f"{type(error).__name__} {error}".strip()
                continue
            if response.status_code in _RETRIED:
                problem = f"HTTP {response.status_code}"
                retry_after = _seconds(response.headers.get("retry-after"))
                continue
            if response.status_code != 200:
                raise ModelError(f"{self.base_url} refuses with HTTP {response.status_code}: {response.text[:200]}")
            found = _text_of(response)
            if found is not None:
                return found
            problem = f"no JSON with a text in it: {response.text[:200]}"
        raise ModelError(
            f"{self.base_url} gave no text in {self.tries} tries ({problem}); run the build again to go on"
        )


def _text_of(response: httpx2.Response) -> tuple[str, str] | None:
    try:
        content = orjson.loads(response.content)["choices"][0]["message"]["content"]
        # Models like to wrap JSON in a code fence or in a sentence.
        made = orjson.loads(content[content.index("{") : content.rindex("}") + 1])
        title, text = made.get("title") or "", made["text"]
    except (orjson.JSONDecodeError, KeyError, IndexError, TypeError, ValueError, AttributeError):
        return None
    return (title, text) if isinstance(text, str) and isinstance(title, str) and text.strip() else None


def _seconds(header: str | None) -> float:
    try:
        return min(max(float(header or 0), 0.0), 120.0)
    except ValueError:
        return 0.0


def _line(request: Request, title: str, text: str) -> bytes:
    entry = {"id": request.id, "kind": request.kind, "key": request.key, "title": title, "text": text}
    return orjson.dumps(entry) + b"\n"
