"""A session of a gateway, in a sync and an async form with the same requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import update_wrapper
from types import TracebackType
from typing import Concatenate, ParamSpec, TypeVar

from soundstage.client import requests
from soundstage.client.control import AsyncControl, Control
from soundstage.client.requests import Request
from soundstage.client.shapes import SessionShown

P = ParamSpec("P")
T = TypeVar("T")


class _Known:
    """The properties of a session that never change.

    `mcp_url` is the address of all its apps, `apps` maps each app to its own address, and `web_url` is its page. An agent gets
    `handle`; the control plane uses `id`.
    """

    def __init__(self, shown: SessionShown) -> None:
        self.id = shown["id"]
        self.handle = shown["handle"]
        self.name = shown["name"]
        self.world = shown["world"]
        self.seed = shown["seed"]
        self.mcp_url = shown["mcp_url"]
        self.apps = shown["apps"]
        self.web_url = shown["web_url"]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name or self.id} of {self.world}, seed {self.seed}>"


def _waited(request: Callable[Concatenate[str, P], Request[T]]) -> Callable[Concatenate[Session, P], T]:
    def method(session: Session, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return session._control.send(request(session.id, *args, **kwargs))

    update_wrapper(method, request)
    return method


def _awaited(
    request: Callable[Concatenate[str, P], Request[T]],
) -> Callable[Concatenate[AsyncSession, P], Awaitable[T]]:
    async def method(session: AsyncSession, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await session._control.send(request(session.id, *args, **kwargs))

    update_wrapper(method, request)
    return method


class Session(_Known):
    """One isolated session. As a context manager it is deleted at the end."""

    def __init__(self, control: Control, shown: SessionShown) -> None:
        super().__init__(shown)
        self._control = control

    examine = _waited(requests.examine)
    journal = _waited(requests.journal)
    diff = _waited(requests.diff)
    state = _waited(requests.state)
    put_state = _waited(requests.put_state)
    reset = _waited(requests.reset)
    snapshot = _waited(requests.snapshot)
    restore = _waited(requests.restore)
    faults = _waited(requests.faults)
    ledger = _waited(requests.ledger)
    clock = _waited(requests.clock)
    call = _waited(requests.call)
    delete = _waited(requests.delete)

    def fork(self, *, at: int | None = None, name: str | None = None) -> Session:
        """Create a session equal to this one now, or as it was after step `at`."""
        return Session(self._control, self._control.send(requests.fork(self.id, at=at, name=name)))

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.delete()


class AsyncSession(_Known):
    """`Session` for async code. As a context manager it is deleted at the end."""

    def __init__(self, control: AsyncControl, shown: SessionShown) -> None:
        super().__init__(shown)
        self._control = control

    examine = _awaited(requests.examine)
    journal = _awaited(requests.journal)
    diff = _awaited(requests.diff)
    state = _awaited(requests.state)
    put_state = _awaited(requests.put_state)
    reset = _awaited(requests.reset)
    snapshot = _awaited(requests.snapshot)
    restore = _awaited(requests.restore)
    faults = _awaited(requests.faults)
    ledger = _awaited(requests.ledger)
    clock = _awaited(requests.clock)
    call = _awaited(requests.call)
    delete = _awaited(requests.delete)

    async def fork(self, *, at: int | None = None, name: str | None = None) -> AsyncSession:
        """Create a session equal to this one now, or as it was after step `at`."""
        return AsyncSession(self._control, await self._control.send(requests.fork(self.id, at=at, name=name)))

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.delete()
