"""The lower bound of every call: the cost of HTTP with the server that the gateway uses.

    python -m bench.floor_server PORT REPLY

An ASGI application answers each request with the JSON-RPC response in the file REPLY, a reply to a request with id 1, and reads
only the request's id. Any further cost of a gateway is the cost of its work.
"""

from __future__ import annotations

import sys
from pathlib import Path

import orjson
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

_ID = b'"id":1'


def build(reply: bytes) -> ASGIApp:
    """The application."""
    before, _, after = reply.partition(_ID)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        request = orjson.loads((await receive()).get("body") or b"{}")
        body = b'%s"id":%s%s' % (before, orjson.dumps(request.get("id")), after)
        headers = [(b"content-length", b"%d" % len(body)), (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app


async def _live(receive: Receive, send: Send) -> None:
    while True:
        kind = (await receive())["type"]
        await send({"type": f"{kind}.complete"})
        if kind == "lifespan.shutdown":
            return


if __name__ == "__main__":
    uvicorn.run(build(Path(sys.argv[2]).read_bytes()), port=int(sys.argv[1]), access_log=False, log_level="warning")
