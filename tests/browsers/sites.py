"""The web of both browsers: pages of the comparison at `yard.test`, and some of the library's sites.

Both browsers use it over http only. Requests of the real browser are answered on the loopback interface by the same engine
that answers ours, so that only the browsers are compared.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from soundstage.contexts.engine import library
from soundstage.kernels.engines.web_requests.answering import answered
from soundstage.kernels.engines.web_requests.messages import NetworkError, Request, Response
from tests.browsers.simulated import Simulated

PAGES = Path(__file__).parent / "pages"
OWN = "http://yard.test"
SITES = (
    "shop.test", "seagull.site.test", "halfapage.example", "lib.pujiang-poly.example", "riverside-gardens.example",
    "prism.example", "osmanthus-catering.example", "quietrooms.example", "northbank.example", "creek-runners.example",
)  # fmt: skip

State = dict[str, list[dict[str, Any]]]


def own_pages() -> State:
    """Return the pages of `pages/`, by their file names."""
    return {"page": [{"url": f"{OWN}/{file.name}", "html": file.read_text()} for file in sorted(PAGES.glob("*.html"))]}


def library_pages() -> State:
    """Return the library's sites of `SITES`, with the endpoints of their forms."""
    return {
        entity: [
            json.loads(json.dumps(row).replace("https://", "http://"))
            for row in library.shared().list("web", entity, {})
            if row["url"].partition("://")[2].partition("/")[0] in SITES
        ]
        for entity in ("page", "endpoint")
    }


class Sites:
    """The web on the loopback interface during the block, at `port`."""

    def __init__(self) -> None:
        self._behind: Simulated | None = None
        self._one_at_a_time = threading.Lock()
        sites = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *arguments: Any) -> None:
                """Log nothing."""

            def answer(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(size).decode() if size else None
                headers = {name.lower(): value for name, value in self.headers.items()}
                url = f"http://{self.headers['host']}{self.path}"
                try:
                    sent = sites.response(Request(self.command, url, headers, body, cookies=True))
                except NetworkError:  # no such site: the connection ends
                    self.close_connection = True
                    return
                self.send_response(sent.status, sent.reason)
                for name, value in sent.headers.items():
                    self.send_header(name, value)
                data = sent.data if sent.data is not None else sent.body.encode()
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = answer  # noqa: N815

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]

    def response(self, request: Request) -> Response:
        """Return the response of the web; the browser follows redirects."""
        assert self._behind is not None, "an episode begins by telling what the web holds"
        with self._one_at_a_time, self._behind.changing():
            return answered(self._behind.context, request)

    def serve(self, behind: Simulated) -> None:
        """Answer from another session's web."""
        self._behind = behind

    def __enter__(self) -> Sites:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
