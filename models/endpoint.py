"""A language model behind any OpenAI-compatible endpoint.

`SOUNDSTAGE_LLM_BASE_URL` (such as http://127.0.0.1:8000/v1), `SOUNDSTAGE_LLM_MODEL` and `SOUNDSTAGE_LLM_API_KEY` say where.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2

from soundstage.untrusted import Limits, read_json

_LIMITS = Limits(size=8 * 2**20, values=100_000, depth=60)
_RETRIED = (408, 409, 425, 429, 500, 502, 503, 504)
Answer = TypeVar("Answer")


class ModelError(RuntimeError):
    """The model gave no usable answer; the message says what it answered."""


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
        url = os.environ.get("SOUNDSTAGE_LLM_BASE_URL")
        if not url:
            return None
        return cls(url, os.environ.get("SOUNDSTAGE_LLM_MODEL", "default"), os.environ.get("SOUNDSTAGE_LLM_API_KEY", ""))

    def ask(self, prompt: str, read: Callable[[Any], Answer | None], *, seed: int) -> Answer:
        """Ask for JSON and give back what `read` makes of it; None from it means that the model should be asked again.

        Overload, dropped connections and answers that are no JSON are tried again, too.

        Raises:
            ModelError: when all tries are used up, or the endpoint refuses for good.
        """
        body = {
            "model": self.name,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0.9,
            "seed": seed,
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
            found = _read(response, read)
            if found is not None:
                return found
            problem = f"not the JSON that was asked for: {response.text[:200]}"
        raise ModelError(
            f"{self.base_url} gave no usable answer in {self.tries} tries ({problem}); run the build again to go on"
        )


def _read(response: httpx2.Response, read: Callable[[Any], Answer | None]) -> Answer | None:
    try:
        content = read_json(response.content, _LIMITS)["choices"][0]["message"]["content"]
        # Models like to wrap JSON in a code fence or in a sentence.
        return read(read_json(content[content.index("{") : content.rindex("}") + 1], _LIMITS))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return None


def _seconds(header: str | None) -> float:
    try:
        return min(max(float(header or 0), 0.0), 120.0)
    except ValueError:
        return 0.0
