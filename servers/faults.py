"""Wordings of injected faults, and concurrent changes by other users.

`servers/<app>/faults.py` may define any of the following names; faults without an own wording use a general one, in the format
of the app's failures:

* `rate_limit`, `unavailable`, `server_error`, `auth_expired`, `timeout`: functions from a `Hit` to the real reply;
* `SOURCES`: the origin of each wording;
* `LOGIN_TOOLS`: tools that end an expired login;
* `DRIFTS`: changes by other users; each is a function that makes a change and returns whether there was anything to change.

An app of an app root is not trusted: its wordings are texts in `servers/<app>/faults.json`.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

from soundstage import app_roots
from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.types import Arguments
from soundstage.servers.catalogue import declared_faults, load_app
from soundstage.servers.reply import Answer, failed
from soundstage.servers.tool import Tool

if TYPE_CHECKING:
    from soundstage.servers.declared import DeclaredFaults


@dataclass(frozen=True, slots=True)
class Hit:
    """A failing call.

    `seconds` is the time to wait after a rate limit, or the duration of a timeout. `context` is None if the tool does not
    belong to a simulated app.
    """

    tool: Tool
    arguments: Arguments
    context: AppContext | None
    seconds: int


Wording = Callable[[Hit], Answer]
Drift = Callable[[AppContext, Random], bool]


@dataclass(frozen=True, slots=True)
class FaultWords:
    """An app's replies by kind of fault and further data for schedules. `own` names the kinds with an own wording."""

    wordings: Mapping[str, Wording]
    own: frozenset[str]
    sources: Mapping[str, str]
    login_tools: tuple[str, ...]
    drifts: Mapping[str, Drift]


@cache
def fault_words(app: str) -> FaultWords:
    """Return the wordings of an app; missing ones are general."""
    if app_roots.root_of(app) is not None:
        return _declared_words(declared_faults(app))
    name = f"soundstage.servers.{app}.faults"
    known = app.isidentifier() and importlib.util.find_spec(f"soundstage.servers.{app}") is not None
    module = importlib.import_module(name) if known and importlib.util.find_spec(name) is not None else None
    own = {kind: getattr(module, kind) for kind in GENERAL if hasattr(module, kind)}
    return FaultWords(
        wordings={**GENERAL, **own},
        own=frozenset(own),
        sources=getattr(module, "SOURCES", {}),
        login_tools=getattr(module, "LOGIN_TOOLS", ()),
        drifts=getattr(module, "DRIFTS", {}),
    )


def _declared_words(declared: DeclaredFaults | None) -> FaultWords:
    """Return the wordings of an untrusted app: texts in the format of its dialect."""
    texts = {kind: text for kind in GENERAL if (text := getattr(declared, kind, None)) is not None}
    own = {kind: _wording(kind, text.text, text.kind) for kind, text in texts.items()}
    login_tools = () if declared is None else tuple(declared.login_tools)
    return FaultWords({**GENERAL, **own}, frozenset(own), {}, login_tools, {})


def _wording(kind: str, text: str, error_kind: ErrorKind | None) -> Wording:
    def word(hit: Hit) -> Answer:
        return said(hit, text.replace("{seconds}", str(hit.seconds)), error_kind or _KINDS[kind])

    return word


def worded(hit: Hit, error: AppError) -> Answer:
    """Return a failure in the words of the app's dialect, or as one sentence for tools of other apps."""
    if hit.context is None:
        return failed(error.message, error.kind)
    return load_app(hit.tool.app).dialect.failure(hit.tool, error, hit.context)


def said(hit: Hit, text: str, kind: ErrorKind) -> Answer:
    """Return a failure with a text that is not an app's own error, such as that of its HTTP client."""
    return worded(hit, AppError(kind, text))


def any_row(
    context: AppContext, entity: str, random: Random, where: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """Return a random row of an entity for another user to change, or None."""
    count = context.count(entity, where)
    return context.list(entity, where, limit=1, offset=random.randrange(count))[0] if count else None


def _rate_limit(hit: Hit) -> Answer:
    return said(hit, f"Error: 429 Too Many Requests. Retry after {hit.seconds} seconds.", "rate_limited")


def _unavailable(hit: Hit) -> Answer:
    return said(hit, "Error: 503 Service Unavailable", "unavailable")


def _server_error(hit: Hit) -> Answer:
    return said(hit, "Error: 500 Internal Server Error", "internal")


def _auth_expired(hit: Hit) -> Answer:
    return said(hit, "Error: 401 Unauthorized. The access token has expired.", "unauthorized")


def _timeout(hit: Hit) -> Answer:
    return said(hit, f"Error: the request timed out after {hit.seconds} seconds.", "unavailable")


_KINDS: Mapping[str, ErrorKind] = {
    "rate_limit": "rate_limited",
    "unavailable": "unavailable",
    "server_error": "internal",
    "auth_expired": "unauthorized",
    "timeout": "unavailable",
}
GENERAL: Mapping[str, Wording] = {
    "rate_limit": _rate_limit,
    "unavailable": _unavailable,
    "server_error": _server_error,
    "auth_expired": _auth_expired,
    "timeout": _timeout,
}


app_roots.forgets(fault_words.cache_clear)
