"""Data written in one turn of the event loop is sent at once, in order and without loss."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from soundstage.gateway.serving.protocol import CoalescingTransport


class Wire(asyncio.Transport):
    """A transport that records the data of each write in a list, and how it ended."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.sent: list[list[bytes]] = []
        self.ended: str | None = None

    def writelines(self, data: Any) -> None:
        assert self.ended is None
        self.sent.append(list(data))

    def close(self) -> None:
        self.ended = "closed"

    def abort(self) -> None:
        self.ended = "aborted"

    def is_closing(self) -> bool:
        return self.ended is not None

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None: ...


@pytest.fixture
async def wire() -> Wire:
    return Wire()


async def test_a_head_and_its_body_are_sent_together(wire: Wire) -> None:
    together = CoalescingTransport(wire)
    together.write(b"head")
    together.write(b"body")
    assert wire.sent == []
    await asyncio.sleep(0)
    assert wire.sent == [[b"head", b"body"]]


async def test_later_data_is_not_waited_for(wire: Wire) -> None:
    together = CoalescingTransport(wire)
    for piece in (b"head", b"first event", b"second event"):
        together.write(piece)
        await asyncio.sleep(0)
    assert wire.sent == [[b"head"], [b"first event"], [b"second event"]]


async def test_written_data_is_sent_once_before_the_connection_closes(wire: Wire) -> None:
    together = CoalescingTransport(wire)
    together.write(b"all")
    together.close()
    assert (wire.sent, wire.ended, together.is_closing()) == ([[b"all"]], "closed", True)
    await asyncio.sleep(0)
    assert wire.sent == [[b"all"]]


async def test_a_disconnected_client_is_sent_nothing(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    together = CoalescingTransport(wire)
    together.write(b"all")
    wire.close()
    await asyncio.sleep(0)
    assert (wire.sent, caplog.records) == ([], [])


async def test_an_aborted_connection_sends_nothing_more(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    together = CoalescingTransport(wire)
    together.write(b"half")
    together.abort()
    await asyncio.sleep(0)
    assert (wire.sent, wire.ended, caplog.records) == ([], "aborted", [])
