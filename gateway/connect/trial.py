"""Try a client's configured server as the client would: start or connect to it, list its tools, make one call."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import orjson
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

PATIENCE_S = 30.0
SESSION = "soundstage-doctor"
"""The session in which a started command is tried, so that the client's session contains no additional call."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The result: seconds to the list, the tools' names, the list's size, and the call that was made."""

    seconds: float
    names: list[str]
    list_bytes: int
    called: str
    reply_bytes: int


class Failed(Exception):
    """The server could not be used; the message gives the reason."""


def try_entry(entry: Mapping[str, Any]) -> Trial:
    """Try an entry of a client's configuration.

    Raises:
        Failed: the server could not be used.
    """
    url = next((entry[m] for m in ("url", "httpUrl", "serverUrl") if isinstance(entry.get(m), str)), None)
    if url is None and not isinstance(entry.get("command"), str):
        raise Failed("the entry has neither a command nor an address")
    arguments = [str(a) for a in entry.get("args", [])]
    server = url or StdioServerParameters(
        command=entry["command"],
        args=elsewhere(arguments),
        env={k: str(v) for k, v in entry.get("env", {}).items()} or None,
    )
    try:
        with Path(os.devnull).open("w") as nowhere:
            transport = stdio_client(server, errlog=nowhere) if isinstance(server, StdioServerParameters) else server
            return anyio.run(_try, transport)
    except Exception as error:
        raise Failed(_reason(error)) from None


def elsewhere(arguments: list[str]) -> list[str]:
    """Replace the session in a command's arguments by the trial session."""
    changed = list(arguments)
    if "--session" in changed[:-1]:
        changed[changed.index("--session") + 1] = SESSION
    return changed


async def _try(server: Any) -> Trial:
    started = time.perf_counter()
    with anyio.fail_after(PATIENCE_S):
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            seconds = time.perf_counter() - started
            size = len(orjson.dumps([t.model_dump(mode="json", by_alias=True, exclude_none=True) for t in tools]))
            # On a server that runs independently only an unknown tool may be called, which changes nothing.
            own = not isinstance(server, str)
            easy = (t.name for t in tools if not t.input_schema.get("required"))
            name = next(easy, tools[0].name if tools else "nothing") if own else "soundstage_doctor"
            try:
                result = await client.call_tool(name, {})
                reply = len(result.model_dump_json(by_alias=True, exclude_none=True))
            except Exception as error:
                if own and not hasattr(error, "error"):
                    raise
                reply = len(str(error))  # an error is a reply, too
    return Trial(seconds, [t.name for t in tools], size, name, reply)


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return f"no answer within {PATIENCE_S:.0f} s"
    if isinstance(error, FileNotFoundError):
        return f"there is no command {error.filename or ''}".rstrip()
    return str(error) or type(error).__name__
