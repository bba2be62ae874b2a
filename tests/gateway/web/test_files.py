"""The session's own files as a page: folders, texts, and the changes of the last step."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from tests.conftest import Gateway

_FILES = [
    {"path": "/home/agent/<b>notes.txt", "text": "lanterns <script>alert(1)</script>", "modified": 1_795_000_000_000},
    {"path": "/home/agent/picture.png", "base64": "iVBORw0K//8="},
    {"path": "/home/agent/film.mov", "size": 20_000_000},
]


@pytest.fixture
def session(gateway: Gateway) -> Iterator[str]:
    made = gateway.session(world="empty", apps=["telegram"])["id"]
    state = {"disk": {"file": _FILES, "symlink": [{"path": "/home/agent/latest", "target": "<b>notes.txt"}]}}
    assert gateway.api("PUT", f"/sessions/{made}/state", json=state).status_code == 200
    yield made
    gateway.api("DELETE", f"/sessions/{made}")


def _page(gateway: Gateway, session: str, **query: str) -> str:
    answer = httpx2.get(f"{gateway.url}/sessions/{session}/apps/disk", params=query)
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def test_the_page_opens_at_the_files_and_lists_them(gateway: Gateway, session: str) -> None:
    page = _page(gateway, session)
    assert "Files: " in page
    for shown in ("&lt;b&gt;notes.txt", "picture.png", "20000000", "latest"):
        assert shown in page
    assert "<script>alert(1)" not in page


def test_a_text_is_shown_through_its_link_and_a_binary_file_is_not(gateway: Gateway, session: str) -> None:
    assert "lanterns &lt;script&gt;" in _page(gateway, session, path="/home/agent/latest")
    assert "binary content" in _page(gateway, session, path="/home/agent/picture.png")
    for nowhere in ("/nowhere", "relative", "/" + "n" * 5000):
        assert "Nothing is at" in _page(gateway, session, path=nowhere)


def test_the_page_opens_at_the_file_changed_by_the_last_step(gateway: Gateway, session: str) -> None:
    changed = {"disk": {"file": [{"path": "/srv/report.txt", "text": "done"}]}}
    assert gateway.api("PUT", f"/sessions/{session}/state?mode=add", json=changed).status_code == 200
    page = _page(gateway, session)
    assert "report.txt" in page.partition('id="changed"')[2][:400]


def test_a_session_without_files_has_no_files_page(gateway: Gateway) -> None:
    made = gateway.session(world="empty", apps=["slack"])["id"]
    assert httpx2.get(f"{gateway.url}/sessions/{made}/apps/disk").status_code == 404
    gateway.api("DELETE", f"/sessions/{made}")
