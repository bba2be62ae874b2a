"""What is written in one turn of the event loop goes out at once, in its order, and nothing of it is lost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from soundstage.gateway.serving.protocol import Together


class Wire(asyncio.Transport):
    """A transport that keeps what was sent, a list for each time, and how it ended."""

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


async def test_a_head_and_its_body_are_sent_at_once(wire: Wire) -> None:
    together = Together(wire)
    together.write(b"head")
    together.write(b"body")
    assert wire.sent == []
    await asyncio.sleep(0)
    assert wire.sent == [[b"head", b"body"]]


async def test_what_comes_later_is_not_waited_for(wire: Wire) -> None:
    together = Together(wire)
    for piece in (b"head", b"first event", b"second event"):
        together.write(piece)
        await asyncio.sleep(0)
    assert wire.sent == [[b"head"], [b"first event"], [b"second event"]]


async def test_what_was_written_is_sent_before_the_end_and_once(wire: Wire) -> None:
    together = Together(wire)
    together.write(b"all")
    together.close()
    assert (wire.sent, wire.ended, together.is_closing()) == ([[b"all"]], "closed", True)
    await asyncio.sleep(0)
    assert wire.sent == [[b"all"]]


async def test_who_has_gone_is_sent_nothing(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    together = Together(wire)
    together.write(b"all")
    wire.close()
    await asyncio.sleep(0)
    assert (wire.sent, caplog.records) == ([], [])


async def test_what_is_broken_off_sends_nothing_more(wire: Wire, caplog: pytest.LogCaptureFixture) -> None:
    together = Together(wire)
    together.write(b"half")
    together.abort()
    await asyncio.sleep(0)
    assert (wire.sent, wire.ended, caplog.records) == ([], "aborted", [])
