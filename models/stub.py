"""A scripted language model for tests of agents: an OpenAI-compatible endpoint in this process.

It answers `POST /v1/chat/completions` by script. The turn is derived from the request's conversation, so that requests may be
repeated, concurrent and in any order. Errors of real endpoints are drawn from a seed.
"""

from __future__ import annotations

import json
import math
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, TypeAlias

from soundstage.bounded_input import Limits, Refused, read_json

_LIMITS = Limits(size=32 * 2**20, values=1_000_000, depth=80)
_CREATED = 1_795_161_600  # constant, so that repeated requests get equal replies
_CHARACTERS_A_TOKEN = 4
_CUT = 0.6
"""The share of a text that remains if it is cut off."""

Trouble = Literal["rate_limit", "empty", "no_json", "broken_json", "length_stop", "prose"]
_EXCUSES = (
    "I'm sorry, I can't help with that.",
    "Let me think about what this tool would need first. It seems to take [1] a name and {perhaps} a price.",
    "好的，我先说明一下思路，稍后再给出结果。",
)
_BEFORE = (
    "Sure! Here is what you asked for:",
    "I thought about {this} and [that], and came to the following.",
    "当然可以：",
)
_AFTER = (
    "Let me know if you need anything else!",
    "Note that {placeholders} may need adjusting.",
    "如需调整请告诉我。",
)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of the model."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model: a text, calls, or both."""

    say: str = ""
    calls: tuple[Call, ...] = ()


Scripts: TypeAlias = Mapping[str, Sequence[Turn]]
"""A phrase of the conversation → the model's turns; the first phrase that occurs decides, and "" always occurs."""


@dataclass(frozen=True, slots=True)
class Troubles:
    """The rates of simulated errors, drawn independently.

    - `rate_limit`: HTTP 429 with `retry_after_s`.
    - `empty`: no text at all.
    - `no_json`: a sentence in place of JSON text.
    - `broken_json`: the arguments of a call, or a JSON text, end in the middle.
    - `length_stop`: the text ends in the middle, with `finish_reason: length`.
    - `prose`: sentences around JSON or fenced code, and a fence around the JSON.

    A request meets at most `in_a_row` errors before it succeeds.
    """

    rate_limit: float = 0.0
    empty: float = 0.0
    no_json: float = 0.0
    broken_json: float = 0.0
    length_stop: float = 0.0
    prose: float = 0.0
    retry_after_s: float = 0.05
    in_a_row: int = 1


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A received request: the turn, the simulated error, and the reported tokens."""

    turn: int
    trouble: Trouble | None
    input_tokens: int
    output_tokens: int


class BadRequest(ValueError):
    """The endpoint rejects a request; the message has the reason."""


class StubModel:
    """The endpoint, running during a `with` block; `base_url` is its address, `asked` the received requests."""

    def __init__(self, scripts: Scripts, *, seed: int = 0, troubles: Troubles | None = None) -> None:
        self.requests: list[ReceivedRequest] = []
        self._scripts = scripts
        self._seed = seed
        self._troubles = troubles or Troubles()
        self._times: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        """The address, such as http://127.0.0.1:40123/v1."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> StubModel:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, body: bytes) -> tuple[int, dict[str, str], dict[str, Any]]:
        """Return HTTP status, headers and body for a request."""
        try:
            request = _request(body)
            number, turn = self._turn(request)
        except BadRequest as refusal:
            return 400, {}, {"error": {"message": str(refusal), "type": "invalid_request_error", "code": None}}
        digest = blake2b(body, digest_size=16).hexdigest()
        with self._lock:
            before = self._times[digest]
            self._times[digest] += 1
        trouble = self._trouble(digest, before, turn)
        if trouble == "rate_limit":
            self._note(ReceivedRequest(number, trouble, 0, 0))
            seconds = self._troubles.retry_after_s
            headers = {"Retry-After": str(math.ceil(seconds)), "retry-after-ms": str(round(seconds * 1000))}
            error = {"message": "Rate limit reached for requests", "type": "requests", "code": "rate_limit_exceeded"}
            return 429, headers, {"error": error}
        words = math.floor(self._drawn("words", digest, before) * len(_EXCUSES))
        message, reason = _message(turn, number, trouble, words)
        usage = _usage(body, message)
        self._note(ReceivedRequest(number, trouble, usage["prompt_tokens"], usage["completion_tokens"]))
        return 200, {}, {
            "id": f"chatcmpl-{digest}",
            "object": "chat.completion",
            "created": _CREATED,
            "model": request.get("model", "stub"),
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": reason}],
            "usage": usage,
        }  # fmt: skip

    def _turn(self, request: Mapping[str, Any]) -> tuple[int, Turn]:
        """Return the turn of a request: its index is the number of assistant messages with tool calls."""
        messages = request["messages"]
        conversation = " ".join(_text(m) for m in messages if m.get("role") != "assistant")
        turns = next((turns for phrase, turns in self._scripts.items() if phrase in conversation), None)
        if turns is None:
            raise BadRequest(f"no script fits this conversation; known phrases: {', '.join(self._scripts)}")
        number = sum(bool(m.get("tool_calls")) for m in messages if m.get("role") == "assistant")
        if number >= len(turns):
            raise BadRequest(f"the script has {len(turns)} turns, and turn {number + 1} is asked for")
        offered = {tool.get("function", {}).get("name") for tool in request.get("tools") or []}
        for call in turns[number].calls:
            if call.tool not in offered:
                raise BadRequest(f"turn {number + 1} calls {call.tool}, which is not among the tools of the request")
        return number, turns[number]

    def _trouble(self, digest: str, before: int, turn: Turn) -> Trouble | None:
        if before >= self._troubles.in_a_row:
            return None
        is_json = _is_json(turn.say)
        may_meet: tuple[tuple[Trouble, bool], ...] = (
            ("rate_limit", True),
            ("empty", bool(turn.say) and not turn.calls),
            ("no_json", is_json),
            ("broken_json", is_json or bool(turn.calls)),
            ("length_stop", bool(turn.say)),
            ("prose", is_json or _has_code(turn.say)),
        )
        for kind, applies in may_meet:
            if applies and self._drawn(kind, digest, before) < getattr(self._troubles, kind):
                return kind
        return None

    def _drawn(self, kind: str, digest: str, before: int) -> float:
        """Return a number in 0…1, determined by seed, request and number of earlier attempts."""
        hashed = blake2b(f"{self._seed} {kind} {digest} {before}".encode(), digest_size=8, person=b"soundstage stub")
        return int.from_bytes(hashed.digest(), "big") / 2**64

    def _note(self, request: ReceivedRequest) -> None:
        with self._lock:
            self.requests.append(request)


def _request(body: bytes) -> dict[str, Any]:
    try:
        request = read_json(body, _LIMITS)
    except Refused as refused:
        raise BadRequest(f"the body {refused}") from None
    messages = request.get("messages") if isinstance(request, dict) else None
    if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
        raise BadRequest("messages: a list of messages is needed")
    if request.get("stream"):
        raise BadRequest("stream: this endpoint answers in one piece; leave it out")
    return dict(request)


def _message(turn: Turn, number: int, trouble: Trouble | None, words: int) -> tuple[dict[str, Any], str]:
    say, reason = turn.say, "tool_calls" if turn.calls else "stop"
    match trouble:
        case "length_stop":
            say, reason = _cut(say), "length"
        case "broken_json" if not turn.calls:
            say = _cut(say)
        case "empty":
            say = ""
        case "no_json":
            say = _EXCUSES[words]
        case "prose":
            within = f"```json\n{say}\n```" if _is_json(say) else say
            say = f"{_BEFORE[words]}\n\n{within}\n\n{_AFTER[words]}"
    message: dict[str, Any] = {"role": "assistant", "content": say or None, "refusal": None}
    if turn.calls and trouble != "length_stop":
        written = [json.dumps(call.arguments, ensure_ascii=False) for call in turn.calls]
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{i}",
                "type": "function",
                "function": {"name": call.tool, "arguments": _cut(text) if trouble == "broken_json" else text},
            }
            for i, (call, text) in enumerate(zip(turn.calls, written, strict=True))
        ]
    return message, reason


def _cut(text: str) -> str:
    return text[: max(1, int(len(text) * _CUT))]


def _is_json(text: str) -> bool:
    return text.lstrip().startswith(("{", "["))


def _has_code(text: str) -> bool:
    return "```" in text


def _usage(body: bytes, message: Mapping[str, Any]) -> dict[str, int]:
    """Return a rough token count; it only has to be reproducible by the client."""
    tokens_in = math.ceil(len(body) / _CHARACTERS_A_TOKEN)
    tokens_out = math.ceil(len(json.dumps([message["content"], message.get("tool_calls")])) / _CHARACTERS_A_TOKEN)
    return {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _handler_of(model: StubModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            listed = {
                "object": "list",
                "data": [{"id": "stub", "object": "model", "created": _CREATED, "owned_by": "-"}],
            }
            known = self.path.rstrip("/") == "/v1/models"
            self._reply(*((200, {}, listed) if known else _nothing_at(self.path)))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            known = self.path.rstrip("/") == "/v1/chat/completions"
            self._reply(*(model.answer(body) if known else _nothing_at(self.path)))

        def _reply(self, status: int, headers: Mapping[str, str], content: Mapping[str, Any]) -> None:
            written = json.dumps(content).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Type": "application/json"}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            self.wfile.write(written)

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing; tests inspect `asked`."""

    return Handler


def _nothing_at(path: str) -> tuple[int, dict[str, str], dict[str, Any]]:
    return 404, {}, {"error": {"message": f"there is nothing at {path}", "type": "invalid_request_error", "code": None}}
