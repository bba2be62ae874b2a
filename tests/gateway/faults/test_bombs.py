"""Oversized schedules are refused quickly with a message, and the gateway continues."""

from __future__ import annotations

import time
from typing import Any

import orjson
import pytest

from tests.conftest import START_S, Gateway

_RULES = "rules:\n" + "  - {fault: timeout}\n" * 20_000
_LAUGHS = "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{chr(c)}: &{chr(c)} [{','.join([f'*{chr(c - 1)}'] * 9)}]\n" for c in range(ord("b"), ord("k"))
)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (_LAUGHS, "has too many values"),
        ("&a [*a]", "inside its own value"),
        ("[" * 100_000, "nested too deeply"),
        (f"turns: {'9' * 100_000}", "a number of 100000 characters"),
        (f"rules: [{{fault: timeout, lasts: {10**30}}}]", "needs more than 64 bits"),
        ("rules: [{fault: timeout, lasts: 3000000000}]", "less than or equal to 2147483648"),
        (_RULES, "is too large"),
        ("rules: [" + "{fault: timeout}," * 300 + "]", "has 300 rules; at most 200"),
        (f"rules: [{{fault: timeout, when: {{call: [{'1,' * 100_000}]}}}}]", "has too many values"),
        (f"rules: [{{fault: timeout, when: {{call: [{'1,' * 1_000}]}}}}]", "at most 500"),
    ],
    ids=lambda v: v[:30],
)  # fmt: skip
def test_an_oversized_schedule_is_refused(gateway: Gateway, body: str, words: str) -> None:
    session = gateway.session(world="empty", apps=["slack"])
    began = time.perf_counter()
    refused = gateway.api(
        "PUT", f"/sessions/{session['id']}/faults", content=body, headers={"Content-Type": "application/yaml"}
    )
    assert time.perf_counter() - began < START_S / 2
    assert refused.status_code == 400
    assert words in refused.json()["error"]
    assert gateway.api("GET", f"/sessions/{session['id']}/faults").json()["schedule"] is None


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b'{"world": ' + orjson.dumps("x" * 300) + b"}", 400, "there is no world"),
        (b'{"seed": ' + b"9" * 100_000 + b"}", 422, "the body is not valid JSON"),
        (b'{"faults": ' + b"[" * 500 + b"]" * 500 + b"}", 422, "nested too deeply"),
        (orjson.dumps({"faults": {"rules": [{"fault": "timeout"}] * 20_000}}), 400, "has too many values"),
        (orjson.dumps({"faults": {"rules": [{"fault": "timeout", "lasts": 1e30}]}}), 400, "rules[0].lasts"),
        (b"{", 422, "the body is not valid JSON"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_an_oversized_session_request_is_refused(gateway: Gateway, body: bytes, status: int, words: str) -> None:
    began = time.perf_counter()
    refused = gateway.api("POST", "/sessions", content=body, headers={"Content-Type": "application/json"})
    assert time.perf_counter() - began < START_S / 2
    answer: dict[str, Any] = refused.json()
    assert (refused.status_code, words in answer["error"]) == (status, True), answer
