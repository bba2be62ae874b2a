"""A small server in place of a gateway behind the proxy. It returns its name and the request, and can be slow, stream or wait.

Run as `python -m tests.docker.echo PORT NAME`, so that a test can kill it. It responds to `do` in the query: `wait` answers
after `s` seconds; `stream` sends four pieces, `s` seconds apart.
"""

from __future__ import annotations

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import parse_qs, urlsplit

PIECES = 4

_seen: list[str] = []
_lock = Lock()


class Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    name = ""

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        query = parse_qs(urlsplit(self.path).query)
        todo, seconds = query.get("do", [""])[0], float(query.get("s", ["0"])[0])
        if todo == "seen":
            self._send({"name": self.name, "seen": _seen})
            return
        with _lock:
            _seen.append(body.decode("latin-1")[:100])
        if todo == "stream":
            self._stream(seconds)
            return
        time.sleep(seconds)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._send({"name": self.name, "path": self.path, "headers": headers, "bytes": len(body)})

    do_GET = do_POST = _answer  # noqa: N815

    def _send(self, reply: object) -> None:
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, seconds: float) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number in range(PIECES):
            piece = f"data: {number}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
            time.sleep(seconds)
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *arguments: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


if __name__ == "__main__":
    Echo.name = sys.argv[2]
    Server(("127.0.0.1", int(sys.argv[1])), Echo).serve_forever()
