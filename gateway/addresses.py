"""Where a session is reached: the one place that knows how its addresses look."""

from __future__ import annotations

import re
from dataclasses import dataclass

from starlette.requests import Request

from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.settings import Settings

_MCP = re.compile(r"(?:/s/(?P<handle>[^/]+)(?:/(?P<app>[^/]+))?)?/mcp")


def shown_in(path: str) -> dict[str, str] | None:
    """What the path of an MCP address shows: `handle` and `app`, each where it is there. None for any other path."""
    found = _MCP.fullmatch(path)
    return None if found is None else {name: shown for name, shown in found.groupdict().items() if shown is not None}


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of a gateway's sessions, as one client knows the gateway: behind a proxy it is not where it listens.

    `named`: a session's name leads to it, so it stands in its addresses in place of its handle.
    """

    base: str
    named: bool

    @classmethod
    def seen_from(cls, request: Request, settings: Settings) -> Addresses:
        """As the client sees them that sent this request."""
        return cls(str(request.base_url).rstrip("/"), settings.open_here)

    @property
    def shared(self) -> str:
        """Where MCP clients reach the session `default`, or the one whose handle they show."""
        return f"{self.base}/mcp"

    def handle(self, record: SessionRecord) -> str:
        """What leads to a session."""
        return record.name if self.named and record.name is not None else record.handle

    def mcp(self, handle: str, app: str | None = None) -> str:
        """Where MCP clients reach what a handle leads to: all its apps, or one."""
        return f"{self.base}/s/{handle}/mcp" if app is None else f"{self.base}/s/{handle}/{app}/mcp"

    def page(self, record: SessionRecord) -> str:
        """A session's page in the browser."""
        return f"{self.base}/sessions/{record.id}"
