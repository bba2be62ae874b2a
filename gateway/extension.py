"""Extensions: components that run in the gateway's process and at its addresses without being a part of it.

The composition root (`soundstage.cli`) passes them to `build_app`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from fastapi import FastAPI
from starlette.routing import BaseRoute

from soundstage.gateway.access import Access
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.gateway.web.page import Section, Web


@dataclass(frozen=True, slots=True)
class GatewayServices:
    """Services that the gateway provides to extensions."""

    settings: Settings
    sessions: Sessions
    access: Access
    calls: CallService
    web: Web


@dataclass(frozen=True, slots=True)
class Plane:
    """Routes whose paths start with `below`, with separate credentials; see `soundstage.gateway.control.plane.new_plane`."""

    below: str
    api: FastAPI


class Extension(Protocol):
    """A component that extends a gateway. Its tables are in the registry's METADATA when the gateway starts."""

    def add_routes(self, control: FastAPI) -> None:
        """Add routes to the control plane, below /api."""

    def planes(self) -> Sequence[Plane]:
        """Return its planes."""

    def pages(self) -> Sequence[BaseRoute]:
        """Return its web pages."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Run the extension within the block: it starts when sessions are available, and ends while they still are."""


class Extend(Protocol):
    """Creates an extension. `sections` are its links in the header of all pages."""

    sections: Sequence[Section]

    def __call__(self, services: GatewayServices) -> Extension:
        """Create the extension."""
