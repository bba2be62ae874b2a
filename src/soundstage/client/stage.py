"""A gateway as a factory of sessions, in a sync and an async form."""

from __future__ import annotations

from types import TracebackType
from typing import Unpack

from soundstage.client import requests
from soundstage.client.control import AsyncControl, Control
from soundstage.client.session import AsyncSession, Session
from soundstage.client.shapes import SessionOptions


class Stage:
    """A gateway. As a context manager it closes its connections at the end; `async with` gives an `AsyncStage`."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url
        self._token = token
        self._control = Control(url, token)

    def session(self, **options: Unpack[SessionOptions]) -> Session:
        """Create a session; see `SessionOptions`.

        Raises:
            GatewayError: The gateway refused, for example because the world or an app does not exist.
        """
        return Session(self._control, self._control.send(requests.create(options)))

    def sessions(self, count: int, **options: Unpack[SessionOptions]) -> list[Session]:
        """Create `count` equal sessions, each with its own address: all of them or none.

        Raises:
            GatewayError: The gateway refused, for example because `count` exceeds its limit, or because a `name` was given.
        """
        made = self._control.send(requests.create_many(count, options))
        return [Session(self._control, shown) for shown in made["sessions"]]

    def find(self, session: str) -> Session:
        """Return an existing session by its id or name.

        Raises:
            GatewayError: There is no such session, or it has expired.
        """
        return Session(self._control, self._control.send(requests.examine(session)))

    def close(self) -> None:
        """Close the connections."""
        self._control.close()

    def __enter__(self) -> Stage:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> AsyncStage:
        self.close()
        self._awaited = AsyncStage(self.url, self._token)
        return self._awaited

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self._awaited.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"


class AsyncStage:
    """`Stage` for async code."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url
        self._control = AsyncControl(url, token)

    async def session(self, **options: Unpack[SessionOptions]) -> AsyncSession:
        """Create a session; see `Stage.session`."""
        return AsyncSession(self._control, await self._control.send(requests.create(options)))

    async def sessions(self, count: int, **options: Unpack[SessionOptions]) -> list[AsyncSession]:
        """Create several equal sessions; see `Stage.sessions`."""
        made = await self._control.send(requests.create_many(count, options))
        return [AsyncSession(self._control, shown) for shown in made["sessions"]]

    async def find(self, session: str) -> AsyncSession:
        """Return an existing session; see `Stage.find`."""
        return AsyncSession(self._control, await self._control.send(requests.examine(session)))

    async def close(self) -> None:
        """Close the connections."""
        await self._control.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"
