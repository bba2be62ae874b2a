"""The addresses of sessions. This is the only module that knows their format."""

from __future__ import annotations

import re
from dataclasses import dataclass

from starlette.requests import Request

from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.settings import Settings

_MCP = re.compile(r"(?:/s/(?P<handle>[^/]+)(?:/(?P<app>[^/]+))?)?/mcp")


def shown_in(path: str) -> dict[str, str] | None:
    """Return `handle` and `app` from the path of an MCP address, each if present; None for any other path."""
    match = _MCP.fullmatch(path)
    return None if match is None else {name: shown for name, shown in match.groupdict().items() if shown is not None}


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of a gateway's sessions from one client's point of view.

    Behind a proxy they differ from the listening address.

    With `named`, session names are valid in addresses and replace the handles.
    """

    base: str
    named: bool

    @classmethod
    def seen_from(cls, request: Request, settings: Settings) -> Addresses:
        """Create the addresses as seen by the client of this request."""
        return cls(str(request.base_url).rstrip("/"), settings.open_here)

    @property
    def shared(self) -> str:
        """The address of the session `default`, or of the session of the client's bearer token."""
        return f"{self.base}/mcp"

    def handle(self, record: SessionRecord) -> str:
        """Return the path segment that identifies a session."""
        return record.name if self.named and record.name is not None else record.handle

    def mcp(self, handle: str, app: str | None = None) -> str:
        """Return the MCP address of a handle: all of its apps, or one."""
        return f"{self.base}/s/{handle}/mcp" if app is None else f"{self.base}/s/{handle}/{app}/mcp"

    def page(self, record: SessionRecord) -> str:
        """Return the address of a session's web page."""
        return f"{self.base}/sessions/{record.id}"
