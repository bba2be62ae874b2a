"""HTTP on one connection: uvicorn's, which an application can break off."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from soundstage.gateway.delivery import BREAK_OFF


class GatewayProtocol(HttpToolsProtocol):
    """One connection."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {BREAK_OFF: {"close": self.transport.close}}
