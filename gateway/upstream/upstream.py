"""The state of one upstream while the gateway runs: availability, revisions and tools."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from mcp.shared.inbound import (
    MCP_NAME_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
    find_invalid_x_mcp_header,
    mcp_param_headers,
    x_mcp_header_map,
)
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    PROTOCOL_VERSION_META_KEY,
    SERVER_INFO_META_KEY,
)

import soundstage
from soundstage.gateway.log import log
from soundstage.gateway.upstream.config import Declaration
from soundstage.gateway.upstream.exchange import Incoming, Reply
from soundstage.gateway.upstream.messages import MODERN_VERSION, Message
from soundstage.gateway.upstream.network import Header
from soundstage.servers.catalogue import PREFIXED_NAME_LIMIT
from soundstage.servers.tool import Tool

CLIENT_INFO = {"name": "soundstage", "version": soundstage.__version__}
_NAME_HASH = 6
_versions = itertools.count(1)

Status = Literal["starting", "up", "down"]


class Channel(Protocol):
    """One session's connection to one upstream. `used` is the loop's time of the last request."""

    used: float

    @property
    def busy(self) -> bool:
        """Whether the channel is in use."""

    async def serve(self, incoming: Incoming, reply: Reply) -> None:
        """Answer one request of a client.

        Raises:
            UpstreamFailure: no answer arrived.
            UnknownTransportSession: the client names a transport session that does not exist.
        """

    async def request(self, method: str, params: dict[str, Any]) -> Message:
        """Send a request of the gateway itself and wait for the response.

        Raises:
            UpstreamFailure: no response arrived.
        """

    async def close(self) -> None:
        """Close the channel."""


@dataclass(frozen=True, eq=False)
class UpstreamTool(Tool):
    """A tool declared by an upstream.

    `definition` is the original declaration; `prefixed_name` is its name at an address that several apps share.
    """

    definition: dict[str, Any] = field(default_factory=dict)
    prefixed_name: str = ""

    def listed(self, name: str | None = None) -> dict[str, Any]:
        """Return the tool's definition as the upstream sent it, by this name."""
        return {**self.definition, "name": name or self.name, "inputSchema": self.input_schema}


class Upstream:
    """An upstream's current state. `modern` is whether it supports 2026-07-28; None if unknown."""

    def __init__(self, declaration: Declaration, *, declared_at: Literal["start", "control"]) -> None:
        self.declaration = declaration
        self.declared_at = declared_at
        self.status: Status = "starting"
        self.reason: str | None = None
        self.retry_at: float | None = None
        self.tools: dict[str, UpstreamTool] = {}
        self.version = next(_versions)  # changes whenever the tools change
        self._definitions: list[dict[str, Any]] = []
        self.problems: tuple[str, ...] = ()
        self.modern: bool | None = None
        self.title = declaration.name
        self.description = ""
        self.checked = asyncio.Event()  # set after the first check, whatever its result
        self.check_wanted = asyncio.Event()
        self.changed_by: Channel | None = None

    @property
    def name(self) -> str:
        """The name of its declaration."""
        return self.declaration.name

    def tool(self, name: object) -> UpstreamTool | None:
        """Return its tool of this name, or None."""
        return self.tools.get(name) if isinstance(name, str) else None

    def learn_versions(self, discovered: Message) -> None:
        """Process the response to `server/discover`; anything but a result means a server older than 2026-07-28."""
        result = discovered.get("result")
        supported = result.get("supportedVersions") if isinstance(result, dict) else None
        self.modern = isinstance(supported, list) and MODERN_VERSION in supported
        if self.modern:
            self.learn_about(discovered)

    def learn_about(self, introduction: Message) -> None:
        """Store how the server introduces itself, in either revision."""
        result = introduction.get("result")
        if not isinstance(result, dict):
            return
        meta = result.get("_meta")
        info = result.get("serverInfo") or (meta.get(SERVER_INFO_META_KEY) if isinstance(meta, dict) else None)
        if isinstance(info, dict):
            self.title = str(info.get("title") or info.get("name") or self.name)
            self.description = str(info.get("description") or "")
        self.description = str(result.get("instructions") or self.description)

    def routing_headers(self, method: str, params: Mapping[str, Any]) -> list[Header]:
        """Return the 2026-07-28 headers that repeat parts of a body."""
        key = NAME_BEARING_METHODS.get(method)
        value = params.get(key) if key else None
        if not isinstance(value, str):
            return []
        headers = [(MCP_NAME_HEADER.encode(), encode_header_value(value).encode())]
        tool = self.tool(value) if method == "tools/call" else None
        arguments = params.get("arguments")
        if tool is not None and isinstance(arguments, dict) and find_invalid_x_mcp_header(tool.input_schema) is None:
            mirrored = mcp_param_headers(x_mcp_header_map(tool.input_schema), arguments)
            headers += [(name.lower().encode(), text.encode()) for name, text in mirrored.items()]
        return headers

    def came_up(self, definitions: list[dict[str, Any]]) -> None:
        """Record a successful check with these tools."""
        if definitions != self._definitions:
            self._definitions = definitions
            self.tools, self.problems = _tools(self.name, definitions)
            self.version = next(_versions)
            for problem in self.problems:
                log.warning("upstream", upstream=self.name, problem=problem)
        if self.status != "up":
            log.info("upstream is up", upstream=self.name, tools=len(self.tools))
        self.status, self.reason, self.retry_at = "up", None, None
        self.checked.set()

    def went_down(self, reason: str, retry_at: float) -> None:
        """Record a failed check. The upstream is omitted from lists until a check succeeds."""
        if self.status != "down" or self.reason != reason:
            log.warning("upstream is down", upstream=self.name, reason=reason)
        self.status, self.reason, self.retry_at = "down", reason, retry_at
        self.modern = None  # it may come back as another version
        self.checked.set()

    def failed(self, reason: str) -> None:
        """Record a failed request, which triggers a check."""
        if self.status == "up":
            log.warning("upstream failed", upstream=self.name, reason=reason)
            self.check_wanted.set()

    def answered(self) -> None:
        """Record an answered request: an upstream that was down is up again."""
        if self.status == "down":
            self.check_wanted.set()

    def tools_changed(self, channel: Channel) -> None:
        """Handle a change notification of the upstream's list: read it again over the same channel."""
        self.changed_by = channel
        self.check_wanted.set()


def without_envelope(params: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the parameters of a 2026-07-28 request to earlier revisions."""
    given = params.get("_meta")
    rest = {k: v for k, v in params.items() if k != "_meta"}
    members = (
        {k: v for k, v in given.items() if k != "progressToken" and not k.startswith("io.modelcontextprotocol/")}
        if isinstance(given, dict)
        else {}
    )
    return {**rest, "_meta": members} if members else rest


def envelope(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `_meta` of a 2026-07-28 request by the gateway; the agent's own declarations take precedence."""
    given = params.get("_meta")
    return {
        CLIENT_INFO_META_KEY: CLIENT_INFO,
        CLIENT_CAPABILITIES_META_KEY: {},
        **(given if isinstance(given, dict) else {}),
        PROTOCOL_VERSION_META_KEY: MODERN_VERSION,
    }


def _tools(upstream: str, definitions: list[dict[str, Any]]) -> tuple[dict[str, UpstreamTool], tuple[str, ...]]:
    """Return the tools of a list, each name once, and its problems."""
    tools: dict[str, UpstreamTool] = {}
    problems: list[str] = []
    taken: set[str] = set()
    for definition in definitions:
        name = definition.get("name")
        if not isinstance(name, str) or not name:
            problems.append("a tool without a name is left out")
        elif name in tools:
            problems.append(f"two tools are named {name!r}; the first one is shown")
        else:
            prefixed = _prefixed(upstream, name, taken)
            taken.add(prefixed)
            tools[name] = _tool(upstream, name, prefixed, definition)
    return tools, tuple(dict.fromkeys(problems))


def _tool(upstream: str, name: str, prefixed: str, definition: dict[str, Any]) -> UpstreamTool:
    schema, title = definition.get("inputSchema"), definition.get("title")
    annotations = definition.get("annotations")
    reads = isinstance(annotations, dict) and annotations.get("readOnlyHint") is True
    return UpstreamTool(
        app=upstream,
        name=name,
        description=str(definition.get("description") or ""),
        input_schema=schema if isinstance(schema, dict) else {"type": "object"},
        effect="read" if reads else "other",
        title=title if isinstance(title, str) else None,
        definition=definition,
        prefixed_name=prefixed,
    )


def _prefixed(upstream: str, tool: str, taken: set[str]) -> str:
    """Return `upstream_tool`, or `tool` if it already starts with the upstream's name.

    A name that is too long or in use ends in a hash of the whole name.
    """
    name = tool if tool.startswith((f"{upstream}_", f"{upstream}-")) else f"{upstream}_{tool}"
    if len(name) <= PREFIXED_NAME_LIMIT and name not in taken:
        return name
    digest = hashlib.blake2s(tool.encode("utf-8", "replace")).hexdigest()[:_NAME_HASH]
    return f"{name[: PREFIXED_NAME_LIMIT - _NAME_HASH - 1]}_{digest}"
