"""Servers that misbehave, each in one way.

    python -m tests.gateway.upstream.odd_server stdio WAY
    python -m tests.gateway.upstream.odd_server http WAY PORT

`twins` lists two tools of one name, `banner` writes to stdout before it speaks MCP, `mute` answers no call, `dies` ends at a
call, `broken` ends at once, `stubborn` ignores the end of its stdin and SIGTERM and has a child process, `html` answers
HTML, `stranger` answers with the id of another request, `redirect` redirects its caller, `nothing` sends a response without
a result.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_SCHEMA = {"type": "object"}


def answer(way: str, message: dict[str, Any]) -> dict[str, Any] | None:
    """Return the response to a message in the handshake's revision, or None if there is none."""
    method, key = message.get("method"), message.get("id")
    if key is None:
        return None
    result: Any
    if method == "initialize":
        info = {"name": way, "version": "1"}
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list":
        names = ["same", "same", "other"] if way == "twins" else ["same"]
        result = {
            "tools": [{"name": n, "description": f"{n} {i}", "inputSchema": _SCHEMA} for i, n in enumerate(names)]
        }
    elif method == "tools/call":
        if way == "mute":
            return None
        if way == "dies":
            print("the disk is on fire", file=sys.stderr, flush=True)
            sys.exit(3)
        if way == "nothing":
            return {"jsonrpc": "2.0", "id": key, "result": 5}
        result = {"content": [{"type": "text", "text": "done"}]}
    else:
        return {"jsonrpc": "2.0", "id": key, "error": {"code": -32601, "message": f"Method not found: {method}"}}
    return {
        "jsonrpc": "2.0",
        "id": "somebody else's" if way == "stranger" and method == "tools/call" else key,
        "result": result,
    }


def serve_stdio(way: str) -> None:
    if way == "broken":
        print("no licence found", file=sys.stderr)
        sys.exit(1)
    if way == "banner":
        print("Welcome to the server!", flush=True)
    if way == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    for line in sys.stdin:
        made = answer(way, json.loads(line))
        if made is not None:
            print(json.dumps(made), flush=True)
    while way == "stubborn":
        time.sleep(1)


def serve_http(way: str, port: int) -> None:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            message = json.loads(body)
            made = answer(way, message)
            if way == "redirect":
                self._send(307, b"", "text/plain", location="http://169.254.169.254/latest/meta-data")
            elif way == "html" and message.get("method") == "tools/call":
                self._send(200, b"<html>Please sign in</html>", "text/html")
            elif made is None:
                if way == "mute" and "id" in message:
                    time.sleep(30)
                self._send(202, b"", "text/plain")
            else:
                self._send(200, json.dumps(made).encode(), "application/json")

        def do_GET(self) -> None:
            self._send(405, b"", "text/plain")

        def log_message(self, *_: object) -> None:
            pass

        def _send(self, status: int, body: bytes, kind: str, location: str | None = None) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            if location is not None:
                self.send_header("location", location)
            self.end_headers()
            self.wfile.write(body)

    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["http", way, port]:
            serve_http(way, int(port))
        case [_, way]:
            serve_stdio(way)
