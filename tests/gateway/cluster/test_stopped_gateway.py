"""A gateway that is stopped at any time during its work does not block the others."""

from __future__ import annotations

import random
import signal
import threading
import time

import httpx2
import pytest

from tests.conftest import Gateway
from tests.gateway.cluster.conftest import StartTwo

_STOPS = 6
_STOPPED_S = 2.0
_CLIENTS = 3


def _make_sessions(gateway: Gateway, stop: threading.Event) -> None:
    with httpx2.Client(base_url=f"{gateway.url}/api", timeout=60) as client:
        while not stop.is_set():
            made = client.post("/sessions", json={"world": "empty"})
            if made.status_code == 201:
                client.delete(f"/sessions/{made.json()['id']}")


@pytest.mark.long
def test_a_stopped_gateway_does_not_block_the_registry(start_two: StartTwo) -> None:
    two = start_two()
    stop, chance = threading.Event(), random.Random(3)
    clients = [threading.Thread(target=_make_sessions, args=(two.one, stop)) for _ in range(_CLIENTS)]
    for client in clients:
        client.start()
    delayed = 0
    try:
        for _ in range(_STOPS):
            time.sleep(chance.uniform(0.3, 0.8))
            two.one.process.send_signal(signal.SIGSTOP)
            began = time.monotonic()
            made = two.other.api("POST", "/sessions", json={"world": "empty"})
            delayed += made.status_code != 201 or time.monotonic() - began > _STOPPED_S
            assert two.other.api("GET", "/sessions").status_code == 200
            two.one.process.send_signal(signal.SIGCONT)
    finally:
        two.one.process.send_signal(signal.SIGCONT)
        stop.set()
        for client in clients:
            client.join()
    assert delayed <= 1, "it may have been stopped in just the fraction of a millisecond in which it writes, once"
