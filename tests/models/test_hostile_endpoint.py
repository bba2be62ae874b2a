"""A model endpoint that attacks its client: the question ends within its deadline, in little memory, with a harmless message."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from soundstage.models.asking import ModelError, Question
from soundstage.models.chat import Chat

KEY = "sk-stage-door-0123456789"
QUESTION = Question.of("Where are the lanterns?", seed=3)
LIMIT_S = 1.0
"""The deadline of a question. The endpoints below would send for many times as long."""
AT_MOST_S = 20.0
"""The patience of these tests with a busy machine."""

Attack = Callable[[socket.socket, threading.Event], None]


class Hostile:
    """A server that answers each connection with `attack`; `ended` is set when the test is over."""

    def __init__(self, attack: Attack) -> None:
        self.connections = 0
        self._attack = attack
        self._ended = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                self._threads.append(threading.Thread(target=self._serve, args=[connection]))
                self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            received = b""
            while b"}]" not in received:  # the end of the question's messages
                received += connection.recv(65536)
            self._attack(connection, self._ended)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass

    def close(self) -> None:
        self._ended.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def chat(self, **options: Any) -> Chat:
        url = f"http://127.0.0.1:{self.port}/v1"
        return Chat(**{"base_url": url, "api_key": KEY, "tries": 1, "timeout_s": LIMIT_S} | options)


@pytest.fixture
def hostile() -> Iterator[Callable[[Attack], Hostile]]:
    made: list[Hostile] = []

    def start(attack: Attack) -> Hostile:
        made.append(Hostile(attack))
        return made[-1]

    yield start
    for each in made:
        each.close()


def _response(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def sending(whole: bytes) -> Attack:
    return lambda connection, ended: connection.sendall(whole)


def _slowly(start: bytes, piece: bytes) -> Attack:
    """Send `start`, and then a piece ten times a second until the client disconnects."""

    def attack(connection: socket.socket, ended: threading.Event) -> None:
        connection.sendall(start)
        while not ended.wait(0.1):
            connection.sendall(piece)

    return attack


def _endless(start: bytes, piece: bytes) -> Attack:
    """Send `start`, and then pieces as fast as the client reads them."""

    def attack(connection: socket.socket, ended: threading.Event) -> None:
        connection.sendall(start)
        while not ended.is_set():
            connection.sendall(piece)

    return attack


_HEAD = b"HTTP/1.1 200 OK\r\n"
_SLOW = {
    "silence": lambda connection, ended: ended.wait(),
    "status line": _slowly(b"HTTP/1.1 200 ", b"O"),
    "headers": _slowly(_HEAD, b"X-More: 1\r\n"),
    "interim responses": _slowly(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "body": _slowly(_HEAD + b"Content-Length: 100000\r\n\r\n", b" "),
    "chunks": _slowly(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "body of an error": _slowly(b"HTTP/1.1 401 No\r\nContent-Length: 100000\r\n\r\n", b" "),
}


@pytest.mark.parametrize("attack", _SLOW.values(), ids=_SLOW)
def test_one_deadline_covers_connecting_sending_headers_and_body(
    hostile: Callable[[Attack], Hostile], attack: Attack
) -> None:
    chat = hostile(attack).chat()
    began = time.monotonic()
    with pytest.raises(ModelError, match="1 tries"):
        chat.ask(QUESTION)
    assert time.monotonic() - began < AT_MOST_S


def test_all_tries_and_pauses_end_within_the_total(hostile: Callable[[Attack], Hostile]) -> None:
    slow, pauses = hostile(_SLOW["headers"]), []
    began = time.monotonic()
    with pytest.raises(ModelError, match=r"gave no answer in 3 s: the reply was not complete after 1 s"):
        slow.chat(tries=50, total_s=3.0, pause=pauses.append).ask(QUESTION)
    assert time.monotonic() - began < AT_MOST_S
    assert slow.connections <= 3
    later = hostile(sending(_response(b"", "Retry-After: 60", status="429 Busy")))
    with pytest.raises(ModelError, match="gave no answer in 3 s: HTTP 429"):
        later.chat(tries=50, total_s=3.0).ask(QUESTION)
    assert later.connections == 1


_GZIP = ("Content-Encoding: gzip", "Content-Type: application/json")
_LARGE = {
    "endless body": _endless(_HEAD + b"\r\n", b" " * 65536),
    "1 GB announced": _endless(_HEAD + b"Content-Length: 1073741824\r\n\r\n", b" " * 65536),
    "gzip bomb": sending(_response(gzip.compress(bytes(300 * 2**20), 9), *_GZIP)),
    "gzip in gzip": sending(
        _response(gzip.compress(gzip.compress(bytes(300 * 2**20), 9), 9), "Content-Encoding: gzip, gzip")
    ),
}


@pytest.mark.parametrize("attack", _LARGE.values(), ids=_LARGE)
def test_a_large_reply_is_not_stored(hostile: Callable[[Attack], Hostile], attack: Attack) -> None:
    chat = hostile(attack).chat(timeout_s=AT_MOST_S)
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match="the reply has more than 8 MiB"):
            chat.ask(QUESTION)
        assert tracemalloc.get_traced_memory()[1] < 48 * 2**20
    finally:
        tracemalloc.stop()


def test_endless_headers_are_not_stored(hostile: Callable[[Attack], Hostile]) -> None:
    chat = hostile(_endless(_HEAD, b"X-More: 1\r\n" * 1000)).chat(timeout_s=AT_MOST_S)
    with pytest.raises(ModelError, match="gave no answer"):
        chat.ask(QUESTION)


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
@pytest.mark.parametrize("elsewhere", ["file:///etc/passwd", "/api/sessions", "control"])
def test_a_redirect_is_not_followed(hostile: Callable[[Attack], Hostile], status: str, elsewhere: str) -> None:
    control = hostile(sending(_response(b"{}")))
    target = f"http://127.0.0.1:{control.port}/api/sessions" if elsewhere == "control" else elsewhere
    first = hostile(sending(_response(b"", f"Location: {target}", status=status)))
    with pytest.raises(ModelError, match=f"HTTP {status[:3]}"):
        first.chat(tries=3).ask(QUESTION)
    assert (first.connections, control.connections) == (1, 0)


def _choice(content: Any, **more: Any) -> bytes:
    return json.dumps({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]} | more).encode()


_WRONG = {
    "not JSON": b"{",
    "not UTF-8": b'{"choices": "\xff\xfe"}',
    "null": b"null",
    "a number": b"17",
    "a list": b"[]",
    "choices of text": b'{"choices": "abc"}',
    "choices by name": b'{"choices": {"0": 1}}',
    "message of text": b'{"choices": [{"message": "content"}]}',
    "content of parts": _choice([{"type": "text", "text": "x"}]),
    "content of numbers": _choice(12),
    "ended by a list": b'{"choices": [{"message": {"content": "x"}, "finish_reason": ["stop"]}]}',
    "nested": b'{"choices": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    "nested below the limit of the parser": b'{"more": ' + b"[" * 500 + b"]" * 500 + b"}",
    "many values": b'{"choices": [' + b"0," * 400_000 + b"0]}",
    "a lone surrogate": b'{"choices": [{"message": {"content": "\\ud800"}}]}',
}


@pytest.mark.parametrize("body", _WRONG.values(), ids=_WRONG)
def test_a_wrong_reply_is_refused(hostile: Callable[[Attack], Hostile], body: bytes) -> None:
    with pytest.raises(ModelError, match=r"in 1 tries: the reply (is not a chat completion|has no text)"):
        hostile(sending(_response(body))).chat(timeout_s=AT_MOST_S).ask(QUESTION)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 10**30, "completion_tokens": 1},
        {"prompt_tokens": -1, "completion_tokens": 1},
        {"prompt_tokens": 1e400, "completion_tokens": 1},
        {"prompt_tokens": "7", "completion_tokens": []},
        [1, 2],
        "usage",
    ],
    ids=str,
)
def test_an_impossible_count_of_tokens_is_replaced_by_an_estimate(
    hostile: Callable[[Attack], Hostile], usage: Any
) -> None:
    body = _choice("On the pier.", usage=usage).replace(b"Infinity", b"1e308")
    answer = hostile(sending(_response(body))).chat(timeout_s=AT_MOST_S).ask(QUESTION)
    assert (answer.text, answer.estimated) == ("On the pier.", True)
    assert answer.tokens_in < 100


_ESCAPES = f"\x1b]0;owned\x07\x1b[2J\r\n\x9b31m\u202e{KEY}"


@pytest.mark.parametrize(
    "whole",
    [
        _response(_ESCAPES.encode(), status="400 Bad"),
        _response(_ESCAPES.encode()),
        _response(json.dumps({"choices": _ESCAPES}, ensure_ascii=False).encode()),
        b"HTTP/1.1 200 \x1b[2J\r\nX\x1b: 1\r\n\r\n",
        f"{_ESCAPES}\r\n\r\n".encode(),
        _response(b"\x1b[2J", "Content-Encoding: gzip"),
    ],
    ids=["refusal", "not JSON", "wrong shape", "headers", "not HTTP", "not gzip"],
)
def test_a_message_of_an_error_has_no_control_characters_and_no_key(
    hostile: Callable[[Attack], Hostile], whole: bytes
) -> None:
    with pytest.raises(ModelError) as raised:
        hostile(sending(whole)).chat(timeout_s=AT_MOST_S).ask(QUESTION)
    assert str(raised.value).isprintable(), ascii(str(raised.value))
    assert KEY not in str(raised.value)
    assert len(str(raised.value)) < 400
