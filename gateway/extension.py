"""What stands on a gateway, in its process and at its addresses, and is none of its own business.

Whoever composes a process (`soundstage.cli`) hands it to `build_app`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from fastapi import FastAPI
from starlette.routing import BaseRoute

from soundstage.gateway.access import Access
from soundstage.gateway.calls.make import Calls
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.gateway.web.page import Section, Web


@dataclass(frozen=True, slots=True)
class Ground:
    """What a gateway gives to what stands on it."""

    settings: Settings
    sessions: Sessions
    access: Access
    calls: Calls
    web: Web


@dataclass(frozen=True, slots=True)
class Plane:
    """Routes whose paths start with `below`, for whoever shows a credential of their own; made by
    `soundstage.gateway.control.plane.new_plane`.
    """

    below: str
    api: FastAPI


class Extension(Protocol):
    """Something that stands on a gateway. Its tables are in the registry's METADATA when the gateway starts."""

    def add_routes(self, control: FastAPI) -> None:
        """Add to the control plane, below /api."""

    def planes(self) -> Sequence[Plane]:
        """Its own planes."""

    def pages(self) -> Sequence[BaseRoute]:
        """Its pages."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Within it the extension is at work: begun when sessions can be used, ended while they still can."""


class Extend(Protocol):
    """Makes an extension. `sections` are what the heads of all pages lead to of it."""

    sections: Sequence[Section]

    def __call__(self, ground: Ground) -> Extension: ...
