"""Requests to a model endpoint over real HTTP: their content, the answers, failures, and protection of the API key."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from soundstage.models.asking import Answer, Message, ModelError, Question, Unusable, ask_for
from soundstage.models.chat import Chat
from soundstage.models.scripted import Scripted

KEY = "sk-stage-door-0123456789"
QUESTION = Question.of("Where are the lanterns?", seed=3, most_tokens=50)


def completion(text: str | None, reason: str | None = "stop", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"choices": [{"index": 0, "message": message, "finish_reason": reason}], **more}


@dataclass
class Endpoint:
    """Plays `script`, one entry per request: a completion, raw bytes, a status, (status, headers, text), "drop" or "trickle"."""

    script: list[Any] = field(default_factory=list)
    received: list[dict[str, Any]] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)
    port: int = 0

    def chat(self, **options: Any) -> Chat:
        url = f"http://127.0.0.1:{self.port}/v1"
        return Chat(**{"base_url": url, "name": "tiny", "api_key": KEY, "pause": self.pauses.append} | options)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made.received.append({"path": self.path, "key": self.headers["Authorization"], "body": body})
            step = made.script.pop(0)
            match step:
                case "drop":
                    self.close_connection = True
                case "trickle":
                    self._head(200, {"Content-Length": "1000"})
                    for _ in range(1000):
                        self.wfile.write(b" ")
                        time.sleep(0.1)
                    self.close_connection = True
                case bytes():
                    self._whole(200, {}, step)
                case int():
                    self._whole(step, {}, b"no")
                case (status, headers, text):
                    self._whole(status, headers, text.encode())
                case _:
                    self._whole(200, {}, json.dumps(step).encode())

        def _whole(self, status: int, headers: dict[str, str], content: bytes) -> None:
            self._head(status, {**headers, "Content-Length": str(len(content))})
            self.wfile.write(content)

        def _head(self, status: int, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    made.port = server.server_port
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_question_becomes_a_chat_completion_and_its_tokens_are_counted(endpoint: Endpoint) -> None:
    endpoint.script = [completion("On the pier.", usage={"prompt_tokens": 9, "completion_tokens": 4})]
    question = Question.of(
        "Where?", system="You are a stagehand.", temperature=0.2, seed=3, wants_json=True, most_tokens=50
    )
    answer = endpoint.chat().ask(question)
    assert (answer.text, answer.tokens_in, answer.tokens_out, answer.ended) == ("On the pier.", 9, 4, "stop")
    assert not answer.estimated
    (received,) = endpoint.received
    assert (received["path"], received["key"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert received["body"] == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "You are a stagehand."},
            {"role": "user", "content": "Where?"},
        ],
        "temperature": 0.2,
        "seed": 3,
        "response_format": {"type": "json_object"},
        "max_tokens": 50,
    }


def test_only_given_options_are_sent_and_missing_token_counts_are_estimated(endpoint: Endpoint) -> None:
    endpoint.script = [completion("Yes, at nine.")]
    answer = endpoint.chat(api_key="").ask(Question.of("Open?"))
    assert answer.estimated
    assert 3 <= answer.tokens_out <= 6
    assert endpoint.received[0]["key"] is None
    assert endpoint.received[0]["body"].keys() == {"model", "messages", "temperature"}


@pytest.mark.parametrize(
    ("reason", "text", "ended"),
    [("length", "On the", "length"), ("content_filter", None, "other"), (None, "Yes", "stop")],
)
def test_the_answer_has_the_reason_for_its_end(
    endpoint: Endpoint, reason: str | None, text: str | None, ended: str
) -> None:
    endpoint.script = [completion(text, reason)]
    answer = endpoint.chat().ask(QUESTION)
    assert (answer.text, answer.ended) == (text or "", ended)


@pytest.mark.parametrize(
    "fault", [500, 503, 408, "drop", b"<html>", b"{}", b'{"choices": []}', {"choices": [{"message": {"content": 3}}]}]
)
def test_temporary_failures_are_retried(endpoint: Endpoint, fault: Any) -> None:
    endpoint.script = [fault, fault, completion("Here.")]
    assert endpoint.chat().ask(QUESTION).text == "Here."
    assert endpoint.pauses == [2.0, 4.0]


def test_a_retry_waits_for_the_time_in_retry_after(endpoint: Endpoint) -> None:
    endpoint.script = [(429, {"Retry-After": "7"}, ""), (429, {"Retry-After": "soon"}, ""), completion("Here.")]
    endpoint.chat().ask(QUESTION)
    assert endpoint.pauses == [7.0, 4.0]


def test_an_answer_that_arrives_too_slowly_times_out(endpoint: Endpoint) -> None:
    endpoint.script = ["trickle", completion("Here.")]
    began = time.monotonic()
    assert endpoint.chat(timeout_s=1.0).ask(QUESTION).text == "Here."
    assert time.monotonic() - began < 60  # the whole answer takes 100 s


def test_an_endless_answer_is_not_stored_in_memory(endpoint: Endpoint) -> None:
    endpoint.script = [b" " * (9 * 2**20)]
    with pytest.raises(ModelError, match="more than 8 MiB"):
        endpoint.chat(tries=1).ask(QUESTION)


def test_the_last_problem_is_reported_after_all_retries(endpoint: Endpoint) -> None:
    endpoint.script = [500, 503, 502]
    with pytest.raises(ModelError, match=r"gave no answer in 3 tries: HTTP 502"):
        endpoint.chat(tries=3).ask(QUESTION)


def test_a_refusal_is_not_retried_and_its_message_contains_no_key(endpoint: Endpoint) -> None:
    endpoint.script = [(401, {}, f"Incorrect API key provided: {KEY}")]
    with pytest.raises(ModelError, match=r"HTTP 401: Incorrect API key provided: \*\*\*"):
        endpoint.chat().ask(QUESTION)
    assert len(endpoint.received) == 1


def test_a_redirect_is_not_followed_with_the_key(endpoint: Endpoint) -> None:
    endpoint.script = [(307, {"Location": f"http://127.0.0.1:{endpoint.port}/elsewhere"}, "")]
    with pytest.raises(ModelError, match="HTTP 307"):
        endpoint.chat().ask(QUESTION)
    assert len(endpoint.received) == 1


def test_neither_the_key_nor_credentials_in_the_address_are_shown(endpoint: Endpoint) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        chat = endpoint.chat(base_url=f"http://porter:opensesame@127.0.0.1:{taken.getsockname()[1]}/v1", tries=1)
        with pytest.raises(ModelError) as raised:
            chat.ask(QUESTION)
    texts = f"{raised.value!s} {chat!r} {raised.value.__cause__!r}"
    assert "127.0.0.1" in texts
    assert not [secret for secret in (KEY, "opensesame", "porter") if secret in texts]
    endpoint.script = [completion(f"You sent {KEY}.")]
    assert endpoint.chat().ask(QUESTION).text == "You sent ***."


@pytest.mark.parametrize("key", ["sk-\nline", "sk schlüssel", "钥匙"])
def test_an_invalid_key_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ModelError, match="the model's key has characters") as raised:
        Chat("http://127.0.0.1:9/v1", api_key=key)
    assert key not in str(raised.value)


def test_the_environment_configures_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOUNDSTAGE_LLM_BASE_URL", raising=False)
    assert Chat.from_environment() is None
    monkeypatch.setenv("SOUNDSTAGE_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SOUNDSTAGE_LLM_MODEL", "m")
    monkeypatch.setenv("SOUNDSTAGE_LLM_API_KEY", f"{KEY}\n")
    chat = Chat.from_environment()
    assert chat is not None
    assert (chat.base_url, chat.name, chat.api_key) == ("http://127.0.0.1:9/v1", "m", KEY)
    monkeypatch.setenv("SOUNDSTAGE_LLM_BASE_URL", "localhost:8000")
    with pytest.raises(ModelError, match=r"expected one such as http://127\.0\.0\.1:8000/v1"):
        Chat.from_environment()


def number(text: str) -> int:
    if not text.isdigit():
        raise Unusable(f"{text!r} is no number")
    return int(text)


def test_an_unusable_answer_is_requested_again_with_the_reason() -> None:
    model = Scripted(["seven", Answer("1", 9, 50, 0.1, "length"), "12"])
    assert ask_for(model, QUESTION, number) == 12
    first, second, third = model.questions
    assert first == QUESTION
    assert "'seven' is no number" in second.messages[-1].content
    assert "cut off after 50 tokens" in third.messages[-1].content
    assert len({question.digest for question in model.questions}) == 3


def test_the_number_of_unusable_answers_is_limited() -> None:
    with pytest.raises(ModelError, match=r"scripted gave no usable answer in 2 tries: 'b' is no number"):
        ask_for(Scripted(["a", "b", "1"]), QUESTION, number, tries=2)


def test_a_questions_digest_covers_all_its_parts() -> None:
    others = [
        Question.of("Where are the lanterns?", seed=3),
        Question.of("Where are the lanterns?", seed=4, most_tokens=50),
        Question.of("Where are the lanterns?", seed=3, most_tokens=50, temperature=0.5),
        Question.of("Where are the lanterns?", seed=3, most_tokens=50, wants_json=True),
        Question((Message("system", "Where are the lanterns?"),), seed=3, most_tokens=50),
    ]
    assert QUESTION.digest == Question.of("Where are the lanterns?", seed=3, most_tokens=50).digest
    assert len({question.digest for question in [QUESTION, *others]}) == 6
