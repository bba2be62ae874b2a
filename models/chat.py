"""A model behind any OpenAI-compatible endpoint for chat completions.

It is configured by `SOUNDSTAGE_LLM_BASE_URL` (such as http://127.0.0.1:8000/v1), `SOUNDSTAGE_LLM_MODEL` and
`SOUNDSTAGE_LLM_API_KEY`.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
from anyio.from_thread import start_blocking_portal

from soundstage.bounded_input import Limits, Refused, read_json
from soundstage.models.asking import Answer, FinishReason, ModelError, Question, estimated_tokens

BASE_URL, MODEL, API_KEY = "SOUNDSTAGE_LLM_BASE_URL", "SOUNDSTAGE_LLM_MODEL", "SOUNDSTAGE_LLM_API_KEY"

_LIMITS = Limits(size=8 * 2**20, values=100_000, depth=60)
_RETRIED = (408, 409, 425, 429, 500, 502, 503, 504)
_ENDED: Mapping[Any, FinishReason] = {"stop": "stop", "length": "length", None: "stop"}
_CONNECT_S = 10.0
_LONGEST_PAUSE_S = 30.0
_LONGEST_RETRY_AFTER_S = 120.0
_SHOWN = 200
_MOST_TOKENS = 2**31 - 1  # a larger count is not credible, and larger integers do not fit into the databases of results


class _Passing(Exception):
    """A temporary error, with the server's retry delay in seconds if it sent one."""

    def __init__(self, problem: str, after_s: float = 0.0) -> None:
        super().__init__(problem)
        self.after_s = after_s


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat completions endpoint.

    Overload, dropped connections and invalid replies are retried, up to `tries` attempts in total. An attempt may take
    `timeout_s` seconds from connecting to the last byte of its reply, and a question `total_s` seconds with all attempts and
    the pauses between them. A reply may have 8 MiB, uncompressed. Redirects are not followed.

    Raises:
        ModelError: The address or the key is invalid (raised by the constructor).
    """

    base_url: str = field(repr=False)
    name: str = "default"
    api_key: str = field(default="", repr=False)
    tries: int = 6
    timeout_s: float = 300.0
    total_s: float = math.inf
    pause: Callable[[float], None] = field(default=time.sleep, repr=False)

    def __post_init__(self) -> None:
        if urlsplit(self.base_url).scheme not in ("http", "https"):
            raise ModelError(f"{self.shown!r} is not a model address: expected one such as http://127.0.0.1:8000/v1")
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
        problem, after_s, until = "", 0.0, time.monotonic() + self.total_s
        for attempt in range(self.tries):
            if attempt:
                pause_s = after_s or min(2.0**attempt, _LONGEST_PAUSE_S)
                if time.monotonic() + pause_s >= until:
                    raise ModelError(f"{self.shown} gave no answer in {self.total_s:g} s: {problem}")
                self.pause(pause_s)
            try:
                return self._once(question, body, min(self.timeout_s, until - time.monotonic()))
            except _Passing as passing:
                problem, after_s = str(passing), passing.after_s
        raise ModelError(f"{self.shown} gave no answer in {self.tries} tries: {problem}")

    def _once(self, question: Question, body: Mapping[str, Any], timeout_s: float) -> Answer:
        began = time.monotonic()
        try:
            with start_blocking_portal() as portal:
                status, retry_after, content = portal.call(self._exchange, body, timeout_s)
        except TimeoutError:
            raise _Passing(f"the reply was not complete after {timeout_s:g} s") from None
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise _Passing(_printable(self._hidden(f"{type(error).__name__} {error}".strip()))[:_SHOWN]) from None
        except (httpx2.InvalidURL, UnicodeError) as error:
            raise ModelError(f"{self.shown} cannot be asked ({type(error).__name__})") from None
        excerpt = _printable(self._hidden(content.decode(errors="replace"))[:_SHOWN])
        if status in _RETRIED:
            raise _Passing(f"HTTP {status}", _seconds(retry_after))
        if status != 200:
            raise ModelError(f"{self.shown} refuses with HTTP {status}: {excerpt}")
        try:
            completion = read_json(content, _LIMITS)
            choice = completion["choices"][0]
            text = choice["message"]["content"]
            ended = _ENDED.get(choice.get("finish_reason"), "other")
        except (Refused, LookupError, TypeError, AttributeError):
            raise _Passing(f"the reply is not a chat completion: {excerpt}") from None
        if not isinstance(text, str | None):
            raise _Passing(f"the reply has no text: {excerpt}")
        text, seconds = self._hidden(text or ""), round(time.monotonic() - began, 3)
        match completion.get("usage"):
            case {"prompt_tokens": int(read), "completion_tokens": int(written)} if (
                0 <= read <= _MOST_TOKENS and 0 <= written <= _MOST_TOKENS
            ):
                return Answer(text, read, written, seconds, ended)
        written = estimated_tokens(len(text.encode()))
        return Answer(text, estimated_tokens(question.size), written, seconds, ended, estimated=True)

    async def _exchange(self, body: Mapping[str, Any], timeout_s: float) -> tuple[int, str | None, bytes]:
        """Send the request; return the status, the Retry-After header and the body of the response.

        One deadline covers the whole exchange, because a timeout of each read never ends if the endpoint sends slowly.
        """
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        url = f"{self.base_url.rstrip('/')}/chat/completions"
        timeout = httpx2.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s))
        with anyio.fail_after(timeout_s):
            async with (
                httpx2.AsyncClient(timeout=timeout, follow_redirects=False) as client,
                client.stream("POST", url, json=body, headers=headers) as response,
            ):
                content = bytearray()
                async for part in response.aiter_bytes():
                    content += part
                    if len(content) > _LIMITS.size:
                        raise _Passing(f"the reply has more than {_LIMITS.size // 2**20} MiB")
                return response.status_code, response.headers.get("retry-after"), bytes(content)

    def _hidden(self, text: str) -> str:
        """Remove the key and the address's credentials from a text, in case the endpoint repeats them."""
        credentials = urlsplit(self.base_url).netloc.rpartition("@")[0]
        for secret in (self.api_key, credentials, credentials.partition(":")[2]):
            if secret:
                text = text.replace(secret, "***")
        return text


def _seconds(header: str | None) -> float:
    try:
        return min(max(float(header or 0), 0.0), _LONGEST_RETRY_AFTER_S)
    except ValueError:
        return 0.0


def _printable(text: str) -> str:
    """Return a text as one line without control characters, which a terminal would execute."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text)
