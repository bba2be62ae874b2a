"""A model behind any OpenAI-compatible endpoint for chat completions.

It is configured by `SOUNDSTAGE_LLM_BASE_URL` (such as http://127.0.0.1:8000/v1), `SOUNDSTAGE_LLM_MODEL` and
`SOUNDSTAGE_LLM_API_KEY`.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx2

from soundstage.bounded_input import Limits, Refused, read_json
from soundstage.models.asking import Answer, Ended, ModelError, Question, estimated_tokens

BASE_URL, MODEL, API_KEY = "SOUNDSTAGE_LLM_BASE_URL", "SOUNDSTAGE_LLM_MODEL", "SOUNDSTAGE_LLM_API_KEY"

_LIMITS = Limits(size=8 * 2**20, values=100_000, depth=60)
_RETRIED = (408, 409, 425, 429, 500, 502, 503, 504)
_ENDED: Mapping[Any, Ended] = {"stop": "stop", "length": "length", None: "stop"}
_CONNECT_S = 10.0
_LONGEST_PAUSE_S = 30.0
_LONGEST_RETRY_AFTER_S = 120.0
_SHOWN = 200


class _Passing(Exception):
    """A temporary error, with the server's retry delay in seconds if it sent one."""

    def __init__(self, problem: str, after_s: float = 0.0) -> None:
        super().__init__(problem)
        self.after_s = after_s


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat completions endpoint.

    Overload, dropped connections and invalid replies are retried, up to `tries` attempts in total; one answer may take
    `timeout_s` seconds.

    Raises:
        ModelError: The address or the key is invalid (raised by the constructor).
    """

    base_url: str = field(repr=False)
    name: str = "default"
    api_key: str = field(default="", repr=False)
    tries: int = 6
    timeout_s: float = 300.0
    pause: Callable[[float], None] = field(default=time.sleep, repr=False)

    def __post_init__(self) -> None:
        if urlsplit(self.base_url).scheme not in ("http", "https"):
            raise ModelError(f"{self.shown!r} is no address of a model: expected such as http://127.0.0.1:8000/v1")
        if not self.api_key.isascii() or not self.api_key.isprintable() or " " in self.api_key:
            raise ModelError("the model's key has characters that cannot be sent; it is one word of plain letters")

    @classmethod
    def from_environment(cls) -> Chat | None:
        """Create the endpoint that the environment configures, or return None.

        Raises:
            ModelError: The address or the key is invalid.
        """
        url = os.environ.get(BASE_URL)
        if not url:
            return None
        return cls(url, os.environ.get(MODEL, "default"), os.environ.get(API_KEY, "").strip())

    @property
    def shown(self) -> str:
        """The address without parts that may be secret."""
        return re.sub(r"[^/@]*@", "", self.base_url.partition("?")[0])

    def ask(self, question: Question) -> Answer:
        """Ask the endpoint.

        Raises:
            ModelError: All tries failed, or the endpoint rejected the request permanently.
        """
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": m.role, "content": m.content} for m in question.messages],
            "temperature": question.temperature,
        }
        if question.seed is not None:
            body["seed"] = question.seed
        if question.wants_json:
            body["response_format"] = {"type": "json_object"}
        if question.most_tokens is not None:
            body["max_tokens"] = question.most_tokens
        problem, after_s = "", 0.0
        for attempt in range(self.tries):
            if attempt:
                self.pause(after_s or min(2.0**attempt, _LONGEST_PAUSE_S))
            try:
                return self._once(question, body)
            except _Passing as passing:
                problem, after_s = str(passing), passing.after_s
        raise ModelError(f"{self.shown} gave no answer in {self.tries} tries: {problem}")

    def _once(self, question: Question, body: Mapping[str, Any]) -> Answer:
        began = time.monotonic()
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        try:
            url = f"{self.base_url.rstrip('/')}/chat/completions"
            timeout = httpx2.Timeout(self.timeout_s, connect=min(_CONNECT_S, self.timeout_s))
            with httpx2.stream("POST", url, json=body, headers=headers, timeout=timeout) as response:
                content = self._content(response, began + self.timeout_s)
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise _Passing(self._hidden(f"{type(error).__name__} {error}".strip())) from None
        except (httpx2.InvalidURL, UnicodeError) as error:
            raise ModelError(f"{self.shown} cannot be asked ({type(error).__name__})") from None
        said = self._hidden(content.decode(errors="replace"))[:_SHOWN]
        if response.status_code in _RETRIED:
            raise _Passing(f"HTTP {response.status_code}", _seconds(response.headers.get("retry-after")))
        if response.status_code != 200:
            raise ModelError(f"{self.shown} refuses with HTTP {response.status_code}: {said}")
        try:
            told = read_json(content, _LIMITS)
            choice = told["choices"][0]
            text = choice["message"]["content"]
            ended = _ENDED.get(choice.get("finish_reason"), "other")
        except (Refused, LookupError, TypeError, AttributeError):
            raise _Passing(f"no chat completion: {said}") from None
        if not isinstance(text, str | None):
            raise _Passing(f"no text: {said}")
        text, seconds = self._hidden(text or ""), round(time.monotonic() - began, 3)
        match told.get("usage"):
            case {"prompt_tokens": int(read), "completion_tokens": int(written)} if read >= 0 and written >= 0:
                return Answer(text, read, written, seconds, ended)
        written = estimated_tokens(len(text.encode()))
        return Answer(text, estimated_tokens(question.size), written, seconds, ended, estimated=True)

    def _content(self, response: httpx2.Response, until: float) -> bytes:
        """Read the body within the size limit and the deadline."""
        content = b""
        for part in response.iter_bytes():
            content += part
            if len(content) > _LIMITS.size:
                raise _Passing(f"an answer of more than {_LIMITS.size // 2**20} MiB")
            if time.monotonic() > until:
                raise _Passing(f"an answer that took longer than {self.timeout_s:g} s")
        return content

    def _hidden(self, text: str) -> str:
        """Remove the key and the address's credentials from a text, in case the endpoint repeats them."""
        told_before = urlsplit(self.base_url).netloc.rpartition("@")[0]
        for secret in (self.api_key, told_before, told_before.partition(":")[2]):
            if secret:
                text = text.replace(secret, "***")
        return text


def _seconds(header: str | None) -> float:
    try:
        return min(max(float(header or 0), 0.0), _LONGEST_RETRY_AFTER_S)
    except ValueError:
        return 0.0
